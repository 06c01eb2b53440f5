// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace divisi::process {

/// What a process has taken so far.
struct ProcessUsage {
    std::int64_t cpu_ms = 0;      ///< user and system, of all its threads
    std::int64_t peak_bytes = 0;  ///< resident, at most
};

/// Of a process that lives, as /proc tells; none where it does not.
std::optional<ProcessUsage> usage_of(pid_t pid);
/// Of one that has ended, as wait4() tells. Its peak is never below that of the process that started it.
ProcessUsage usage_of(const rusage& ended);

}  // namespace divisi::process
