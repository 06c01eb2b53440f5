// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "backend/base/ids.h"
#include "backend/process/power.h"

namespace divisi::node {

/// Shares the energy of the processors out to instances, without I/O: of what the packages took between two readings an
/// instance has the part that it has of the time that all processors computed for anybody. So what the packages take
/// while nobody computes goes to those who do, and all instances of all nodes of a machine have no more than it took.
class EnergyMeter {
public:
    struct Reading {
        std::vector<process::PowerDomain> domains;  ///< none: the machine does not tell
        std::optional<std::int64_t> busy_ms;        ///< of all processors
        std::map<InstanceId, std::int64_t> cpu_ms;  ///< of each instance since it began
    };
    /// The first is what later ones are held against. One that the machine did not tell all of counts for nothing.
    void take(Reading reading);
    /// Millijoules so far; none where nothing was measured of it.
    std::optional<std::int64_t> energy_mj(const InstanceId& instance) const;
    void forget(const InstanceId& instance) { energy_uj_.erase(instance); }

private:
    std::optional<Reading> last_;
    std::map<InstanceId, double> energy_uj_;
};

}  // namespace divisi::node
