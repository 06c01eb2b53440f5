// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace divisi::process {

/// The resources that a process has used since its start.
struct ProcessUsage {
    std::int64_t cpu_ms = 0;      ///< user and system time of all its threads
    std::int64_t peak_bytes = 0;  ///< highest resident size
};

/// Returns the usage of a running process from /proc; nothing if it is not running.
std::optional<ProcessUsage> usage_of(pid_t pid);
/// Returns the usage of an ended process from wait4(). Its peak is never below the peak of the process that started it.
ProcessUsage usage_of(const rusage& ended);

}  // namespace divisi::process
