// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/units.h"

namespace divisi::control::inline types {

/// From admins: a copy of all that the orchestrator keeps, in this folder of its machine, which is not there yet.
/// Made beside the loop, while everything goes on. Answered by BackedUp once it is durable.
struct BackUp {
    std::string folder;  ///< a path from the root
};
struct BackedUp {
    std::string folder;
    std::uint64_t sequence = 0;  ///< the last event that the copy has
    std::int64_t files = 0;
    Bytes bytes = 0;
    double seconds = 0;  ///< that it took
};

}  // namespace divisi::control::inline types
