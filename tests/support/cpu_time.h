// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace divisi::testing {

/// Returns the CPU time that a clock has counted, in ms. Unlike elapsed time, it does not depend on other processes.
inline double cpu_ms(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}
inline double thread_cpu_ms() { return cpu_ms(CLOCK_THREAD_CPUTIME_ID); }
inline double process_cpu_ms() { return cpu_ms(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace divisi::testing
