// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend/base/ids.h"
#include "backend/process/sensors.h"

namespace divisi::node {

/// Divides the energy of the processors among instances, without I/O. An instance gets a fraction of the packages'
/// energy between two readings: its CPU time divided by the busy time of all processors. Idle energy is thus divided
/// among all processes that compute. The sum over all instances of a machine's nodes never exceeds the measured
/// energy.
class EnergyMeter {
public:
    struct Reading {
        std::vector<process::PowerDomain> domains;  ///< empty: the machine does not report energy
        std::optional<std::int64_t> busy_ms;        ///< busy time of all processors
        std::map<InstanceId, std::int64_t> cpu_ms;  ///< CPU time of each instance since it began
    };
    /// Adds a reading; the first reading is only the reference for the next reading. An interval with an incomplete
    /// reading is ignored.
    void take(Reading reading);
    /// Returns the energy so far in millijoules; none if no energy was measured for the instance.
    std::optional<std::int64_t> energy_mj(const InstanceId& instance) const;
    void forget(const InstanceId& instance) { energy_uj_.erase(instance); }

private:
    std::optional<Reading> last_;
    std::map<InstanceId, double> energy_uj_;
};

}  // namespace divisi::node
