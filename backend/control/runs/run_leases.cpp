// SPDX-License-Identifier: Apache-2.0
// Decides which instances the data path activates, and handles their reports of it (draft-li, step 2).
#include <algorithm>

#include "backend/control/runs/runs.h"

namespace divisi::control::inline runs {

/// Returns whether the instance's first inputs are tensors that pass gateways. The gateway next to their sender writes
/// the lease into them. All other instances are activated when they are told to begin.
bool Runs::is_woken_by_data(const InstanceView& instance) const {
    if (instance.stage < 0) return false;  // data instances answer requests
    const std::vector<UnitView>& units = task_of(instance).units;
    const auto passes_gateways = [&](const Sid& source) {
        const auto unit = std::ranges::find(units, source, &UnitView::sid);
        if (unit == units.end()) return false;
        const auto player = context_.state().instances.find(unit->instance);
        return player != context_.state().instances.end() &&
               devices_.entry(player->second.node, instance.node).has_value();
    };
    return std::ranges::any_of(units, [&](const UnitView& unit) {
        return unit.kind == "forward" && unit.instance == instance.id &&
               std::ranges::any_of(unit.depends_on, passes_gateways);
    });
}

void Runs::handle(const Received&, const InstanceActivated& message) {
    const Lease* lease = leases_.held_by(message.instance);
    if (!lease) return;  // the task is over
    if (lease->number == message.lease && lease->share == message.share)
        return leases_.activate(message.instance, devices_.name_of(message.gateway));
    context_.append(Noted{Severity::warning, "instance " + message.instance.value(), lease->task.value(),
                          "it says that lease " + std::to_string(message.lease) + " was activated, and holds lease " +
                              std::to_string(lease->number)});
}

}  // namespace divisi::control::inline runs
