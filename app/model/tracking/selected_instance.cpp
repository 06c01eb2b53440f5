// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/selected_instance.h"

namespace divisi::model {

InstanceId instance_of(const Selected& what, const control::ClusterState& cluster) {
    if (what.kind == Selected::Kind::instance) return InstanceId(what.id);
    if (what.kind == Selected::Kind::model_block) return InstanceId(what.other);
    if (what.kind != Selected::Kind::unit) return {};
    const auto task = cluster.tasks.find(what.task);
    if (task == cluster.tasks.end()) return {};
    for (const control::UnitView& unit : task->second.units)
        if (unit.sid.value() == what.id) return unit.instance;
    return {};
}

}  // namespace divisi::model
