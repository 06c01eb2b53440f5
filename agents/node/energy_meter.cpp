// SPDX-License-Identifier: Apache-2.0
#include "agents/node/energy_meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace divisi::node {

void EnergyMeter::take(Reading reading) {
    const auto before = std::exchange(last_, std::move(reading));
    if (!before || !before->busy_ms || !last_->busy_ms) return;
    const auto taken = process::taken_uj(before->domains, last_->domains);
    if (!taken) return;
    std::map<InstanceId, double> worked;
    double all = 0;
    for (const auto& [instance, cpu_ms] : last_->cpu_ms) {
        const auto then = before->cpu_ms.find(instance);
        const std::int64_t since = cpu_ms - (then == before->cpu_ms.end() ? 0 : then->second);
        all += worked[instance] = static_cast<double>(std::max<std::int64_t>(since, 0));
    }
    // The times have a coarse resolution, so count at least the instances' CPU time as busy time of the processors.
    const double busy = std::max(static_cast<double>(*last_->busy_ms - *before->busy_ms), all);
    for (const auto& [instance, ms] : worked) energy_uj_[instance] += busy > 0 ? *taken * ms / busy : 0;
}

std::optional<std::int64_t> EnergyMeter::energy_mj(const InstanceId& instance) const {
    const auto found = energy_uj_.find(instance);
    if (found == energy_uj_.end()) return std::nullopt;
    return std::llround(found->second / 1000);
}

}  // namespace divisi::node
