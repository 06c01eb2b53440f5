// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "backend/process/sensors.h"

namespace divisi::node {

/// Computes the power of the processor packages from readings of their energy counters, without I/O.
class PowerMeter {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Returns the watts since the previous reading. Returns none for the first reading, if the packages have changed,
    /// or if a counter restarted, as it does when a machine wakes up.
    std::optional<double> take(std::vector<process::PowerDomain> domains, Time now);

private:
    std::vector<process::PowerDomain> last_;
    Time then_{};
};

}  // namespace divisi::node
