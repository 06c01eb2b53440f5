// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace divisi {

/// A duration in nanoseconds. A TimePoint counts nanoseconds since the Unix epoch, on a clock that is steady within one
/// process.
using Duration = std::chrono::nanoseconds;
struct TimeTag {};
using TimePoint = std::chrono::time_point<TimeTag, Duration>;

/// The core's only source of time. Adapters read the machine's clock; tests set the time.
class Clock {
public:
    virtual ~Clock() = default;
    virtual TimePoint now() const = 0;
};

inline double to_ms(Duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

}  // namespace divisi
