// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/units.h"

namespace divisi::control::inline types {

/// Sent by admins to copy all stored data of the orchestrator into a folder on the orchestrator's machine. The folder
/// must not exist yet. The copy is made in the background while the orchestrator keeps working. Answered by BackedUp
/// once the copy is durable.
struct BackUp {
    std::string folder;  ///< absolute path
};
struct BackedUp {
    std::string folder;
    std::uint64_t sequence = 0;  ///< last event in the copy
    std::int64_t files = 0;
    Bytes bytes = 0;
    double seconds = 0;  ///< time that the copy took
};

}  // namespace divisi::control::inline types
