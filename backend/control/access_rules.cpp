// SPDX-License-Identifier: Apache-2.0
#include "backend/control/access_rules.h"

#include <utility>

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
    if (key != nullptr && key->revoked) {
        if (revoked_.size() < mesh::most_revoked_keys) revoked_.insert(key->public_key);
        else if (!revoked_.contains(key->public_key)) keys_left_out_ = true;
    }
    version_ = event.sequence;
    changed_ = true;
}

AdmissionPolicy AccessRules::policy_for(const MicId& mic) {
    std::size_t left_out = 0;
    const ClusterState& state = desk_.state();
    AdmissionPolicy policy{version_ > 0 ? version_ : state.sequence, {}, {revoked_.begin(), revoked_.end()}};
    for (const auto& [id, task] : state.tasks) {
        if (!task.runs()) continue;
        for (const InstanceView* one : instances_of(state, id)) {
            const auto node = state.nodes.find(one->node);
            const bool here = node != state.nodes.end() && node->second.info.mic == mic;
            if (!here || !one->joined || one->exited) continue;
            if (policy.rules.size() >= mesh::most_rules) {
                ++left_out;
                continue;
            }
            policy.rules.push_back({one->data_key, one->sid, incarnation_of(one->id), id.value()});
        }
    }
    if (left_out > 0)
        note_left_out(std::to_string(left_out) + " instances of " + mic.value() + " may not send: its gateway takes " +
                      std::to_string(mesh::most_rules) + " at most; spread them over more MICs");
    if (std::exchange(keys_left_out_, false))
        note_left_out("gateways know " + std::to_string(mesh::most_revoked_keys) +
                      " revoked keys at most, and not the one that was revoked last; restart the orchestrator, which "
                      "begins without any");
    return policy;
}

void AccessRules::note_left_out(const std::string& what) {
    const auto note = [&](const std::string& line) { desk_.append(Noted{Severity::warning, "admission", "", line}); };
    if (const auto line = lines_.due(desk_.now())) note(*line);
    if (const auto line = lines_.pass(what, desk_.now())) note(*line);
}

}  // namespace divisi::control
