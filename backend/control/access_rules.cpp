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

/// The rules of all MICs at once: a change concerns all gateways.
void AccessRules::look_up() {
    const ClusterState& state = desk_.state();
    if (std::exchange(looked_up_, state.sequence) == state.sequence) return;
    by_mic_.clear();
    for (const auto& [id, task] : state.tasks) {
        if (!task.runs()) continue;
        for (const InstanceView* one : instances_of(state, id)) {
            const auto node = state.nodes.find(one->node);
            if (node == state.nodes.end() || !one->joined || one->exited) continue;
            OfMic& mic = by_mic_[node->second.info.mic];
            if (mic.rules.size() < mesh::most_rules)
                mic.rules.push_back({one->data_key, one->sid, incarnation_of(one->id), id.value()});
            else ++mic.left_out;
        }
    }
}

AdmissionPolicy AccessRules::policy_for(const MicId& mic) {
    look_up();
    const auto found = by_mic_.find(mic);
    const OfMic here = found == by_mic_.end() ? OfMic() : found->second;
    AdmissionPolicy policy{
        version_ > 0 ? version_ : desk_.state().sequence, here.rules, {revoked_.begin(), revoked_.end()}};
    if (here.left_out > 0)
        note_left_out(std::to_string(here.left_out) + " instances of " + mic.value() +
                      " may not send: its gateway takes " + std::to_string(mesh::most_rules) +
                      " at most; spread them over more MICs");
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
