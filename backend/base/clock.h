// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace divisi {

/// Time since the Unix epoch on the steady-adjusted clock of one process, in nanoseconds.
using Duration = std::chrono::nanoseconds;
struct TimeTag {};
using TimePoint = std::chrono::time_point<TimeTag, Duration>;

/// The only way in which the core learns the time. Adapters read the machine's clock; tests set it.
class Clock {
public:
    virtual ~Clock() = default;
    virtual TimePoint now() const = 0;
};

inline double to_ms(Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

}  // namespace divisi
