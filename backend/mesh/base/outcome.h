// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::mesh::inline base {

/// How the set-up of a flow ended. The numbers travel on the wire; append only.
enum class Outcome : std::uint8_t {
    admitted = 1,
    denied,    ///< no rule allows it, a rule denies it, or no policy is in force
    unserved,  ///< nobody serves the destination, or there is no way to it
    limited,   ///< beyond a rate limit or the retry budget
};
const char* to_string(Outcome outcome);

}  // namespace divisi::mesh::inline base
