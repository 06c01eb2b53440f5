// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::mesh::inline base {

/// The result of a flow's set-up. The numbers are part of the wire format; append only.
enum class Outcome : std::uint8_t {
    admitted = 1,
    denied,    ///< no rule allows it, a rule denies it, or no policy is in force
    unserved,  ///< no instance serves the destination, or no path leads to it
    limited,   ///< the set-up exceeds a rate limit or the retry budget
};
const char* to_string(Outcome outcome);

}  // namespace divisi::mesh::inline base
