// SPDX-License-Identifier: Apache-2.0
#include "backend/control/access_rules.h"

#include "backend/control/incarnation.h"
#include "backend/mesh/authorization.h"

namespace divisi::control {

void AccessRules::follow(const Event& event) {
    const auto* key = std::get_if<KeyChanged>(&event.body);
    const bool changes = key != nullptr || std::holds_alternative<InstanceJoined>(event.body) ||
                         std::holds_alternative<InstanceEnded>(event.body) ||
                         std::holds_alternative<TaskEnded>(event.body);
    if (!changes) return;
    if (key != nullptr && !key->revoked) revoked_.erase(key->public_key);
    if (key != nullptr && key->revoked && revoked_.size() < mesh::most_revoked_keys) revoked_.insert(key->public_key);
    version_ = event.sequence;
    changed_ = true;
}

AdmissionPolicy AccessRules::policy_for(const MicId& mic) const {
    const ClusterState& state = desk_.state();
    AdmissionPolicy policy{version_ > 0 ? version_ : state.sequence, {}, {revoked_.begin(), revoked_.end()}};
    for (const auto& [id, task] : state.tasks) {
        if (!task.runs()) continue;
        for (const InstanceView* one : instances_of(state, id)) {
            const auto node = state.nodes.find(one->node);
            const bool here = node != state.nodes.end() && node->second.info.mic == mic;
            if (!here || !one->joined || one->exited || policy.rules.size() >= mesh::most_rules) continue;
            policy.rules.push_back({one->data_key, one->sid, incarnation_of(one->id), id.value()});
        }
    }
    return policy;
}

}  // namespace divisi::control
