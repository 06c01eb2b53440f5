// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "backend/process/power.h"

namespace divisi::node {

/// What the processor packages take, from readings of their energy counters, without I/O.
class PowerMeter {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Watts since the reading before; none with the first, where the packages are not those of before, or where a
    /// counter has begun anew, as it does when a machine wakes up.
    std::optional<double> take(std::vector<process::PowerDomain> domains, Time now);

private:
    std::vector<process::PowerDomain> last_;
    Time then_{};
};

}  // namespace divisi::node
