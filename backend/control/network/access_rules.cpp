// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/access_rules.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "backend/control/protocol/policy_messages.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/policy_types.h"
#include "backend/mesh/admission/authorization.h"
#include "backend/mesh/base/service_path.h"

namespace divisi::control::inline network {
namespace {

/// Sorts policy entries by precedence: longer prefixes first, then entries for fewer senders. Between two equal
/// entries, the denial comes first.
std::vector<PolicyEntry> by_weight(std::vector<PolicyEntry> entries) {
    std::erase_if(entries, [](const PolicyEntry& entry) { return entry.key != PolicyKey::send; });
    const auto weight = [](const PolicyEntry& entry) {
        const int depth = entry.to.empty() ? 0 : static_cast<int>(mesh::components(entry.to));
        return std::tuple(-depth, width_of(entry), entry.value);
    };
    std::ranges::stable_sort(entries, {}, weight);
    return entries;
}

}  // namespace

void AccessRules::follow(const Event& event) {
    const auto* key = get_if<KeyChanged>(&event.body);
    const bool changes = key != nullptr || holds_alternative<InstanceJoined>(event.body) ||
                         holds_alternative<InstanceEnded>(event.body) || holds_alternative<PolicyChanged>(event.body) ||
                         holds_alternative<TaskEnded>(event.body);
    if (!changes) return;
    if (key != nullptr) fixed_keys_.erase(key->public_key);
    if (key != nullptr && !key->revoked) revoked_.erase(key->public_key);
    if (key != nullptr && key->revoked) {
        if (revoked_.size() < mesh::most_revoked_keys) revoked_.insert(key->public_key);
        else if (!revoked_.contains(key->public_key)) keys_left_out_ = true;
    }
    version_ = event.sequence;
    changed_ = true;
}

/// Looks up the rules of all MICs at once, because a change concerns all gateways.
void AccessRules::look_up() {
    const ClusterState& state = context_.state();
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
    look_up_blob_ends();
    look_up_orders();
}

void AccessRules::look_up_blob_ends() {
    const auto& nodes = context_.state().nodes;
    for (const BlobEnd& end : blob_ends_) {
        const auto node = nodes.find(end.node);
        if (node == nodes.end()) continue;
        OfMic& mic = by_mic_[node->second.info.mic];
        const std::string transfer(mesh::parent(end.sid.value()));
        if (mic.rules.size() < mesh::most_rules)
            mic.rules.push_back({node->second.info.blob_key, end.sid, end.transfer, transfer});
        else ++mic.left_out;
    }
}

void AccessRules::set_blob_ends(std::vector<BlobEnd> ends) {
    blob_ends_ = std::move(ends);
    looked_up_.reset();
    version_ = context_.state().sequence;
    changed_ = true;
}

void AccessRules::allow_always(const std::vector<KeyChanged>& keys) {
    for (const KeyChanged& key : keys) fixed_keys_[key.public_key] = key;
}

bool AccessRules::knows_key_of(const PolicyEntry& entry) const {
    const auto meant = [&](const auto& key) { return is_sender(entry, key.second.name, key.second.role); };
    return std::ranges::any_of(fixed_keys_, meant) || std::ranges::any_of(context_.state().keys, meant);
}

/// Returns the entry that allows a key, with the holder's name and role; null if the key is not allowed. If both the
/// log and the cluster file allow the key, returns the entry of the log, even if this entry predates a restart.
const KeyChanged* AccessRules::holder_of(const std::string& key) const {
    const auto& keys = context_.state().keys;
    if (const auto allowed = keys.find(key); allowed != keys.end()) return &allowed->second;
    const auto fixed = fixed_keys_.find(key);
    return fixed == fixed_keys_.end() ? nullptr : &fixed->second;
}

/// Returns the order for a process with this key on this node, or none if the entry does not match the process. The key
/// is empty on ipc. A key that is not allowed, or no longer allowed, has no known name or role. Every denial by name or
/// role therefore applies to that key.
std::optional<AdmissionOrder> AccessRules::order_for(const PolicyEntry& entry, const NodeId& node,
                                                     const std::string& key) const {
    const bool of_keys = names_keys(entry.from);
    if (of_keys && key.empty()) return std::nullopt;
    const KeyChanged* holder = of_keys ? holder_of(key) : nullptr;
    const bool unknown = of_keys && holder == nullptr;
    const bool meant = unknown   ? entry.value == 0
                       : of_keys ? is_sender(entry, holder->name, holder->role)
                                 : is_sender(entry, node);
    if (!meant) return std::nullopt;
    AdmissionOrder order{Sid(), 0, entry.to, entry.value != 0, to_text(entry)};
    if (unknown) order.text += " (its key is not allowed under any name)";
    return order;
}

/// Returns the orders for all processes in the MIC that the entry matches.
std::vector<AdmissionOrder> AccessRules::orders_for(const PolicyEntry& entry, const MicId& mic) const {
    const ClusterState& state = context_.state();
    std::vector<AdmissionOrder> orders;
    const auto add = [&](const NodeId& node, const std::string& key, const Sid& as, Incarnation incarnation) {
        auto order = order_for(entry, node, key);
        if (!order) return;
        order->as = as;
        order->incarnation = incarnation;
        orders.push_back(*std::move(order));
    };
    for (const BlobEnd& end : blob_ends_) {
        const auto node = state.nodes.find(end.node);
        if (node == state.nodes.end() || node->second.info.mic != mic) continue;
        add(end.node, node->second.info.blob_key, end.sid, end.transfer);
    }
    for (const auto& [id, task] : state.tasks) {
        if (!task.runs()) continue;
        for (const InstanceView* one : instances_of(state, id)) {
            const auto node = state.nodes.find(one->node);
            if (node == state.nodes.end() || node->second.info.mic != mic || !one->joined || one->exited) continue;
            add(one->node, one->data_key, one->sid, incarnation_of(one->id));
        }
    }
    return orders;
}

/// Translates policy entries for the gateways: a policy names nodes and key holders, but a gateway knows processes and
/// public keys.
void AccessRules::look_up_orders() {
    const ClusterState& state = context_.state();
    if (state.policies.empty()) return;
    for (const PolicyEntry& entry : by_weight(state.policies.rbegin()->second.entries)) {
        const bool of_all = entry.from == anyone;
        for (auto& [id, mic] : by_mic_) {
            std::vector<AdmissionOrder> of_mic;
            if (of_all) of_mic.push_back({Sid(), 0, entry.to, entry.value != 0, to_text(entry)});
            else of_mic = orders_for(entry, id);
            mic.too_many_orders |= mic.orders.size() + of_mic.size() > most_orders;
            if (!mic.too_many_orders) mic.orders.insert(mic.orders.end(), of_mic.begin(), of_mic.end());
        }
    }
}

AdmissionPolicy AccessRules::policy_for(const MicId& mic) {
    look_up();
    const auto found = by_mic_.find(mic);
    const OfMic here = found == by_mic_.end() ? OfMic() : found->second;
    AdmissionPolicy policy{version_ > 0 ? version_ : context_.state().sequence,
                           here.rules,
                           {revoked_.begin(), revoked_.end()},
                           here.orders};
    if (here.too_many_orders) {  // an omitted order could be a denial, so nobody may send
        policy.rules.clear();
        note_left_out("nobody in " + mic.value() + " may send: its gateway accepts at most " +
                      std::to_string(most_orders) +
                      " policy orders, one for each process that an order concerns; set fewer 'send:...' "
                      "entries, or set them for all senders");
    }
    if (here.left_out > 0)
        note_left_out(std::to_string(here.left_out) + " instances of " + mic.value() +
                      " may not send: its gateway accepts at most " + std::to_string(mesh::most_rules) +
                      " instances; spread the instances over more MICs");
    if (std::exchange(keys_left_out_, false))
        note_left_out("gateways know " + std::to_string(mesh::most_revoked_keys) +
                      " revoked keys at most, so the last revoked key is still accepted; restart the "
                      "orchestrator, which starts with an empty list");
    return policy;
}

void AccessRules::note_left_out(const std::string& what) {
    const auto note = [&](const std::string& line) {
        context_.append(Noted{Severity::warning, "admission", "", line});
    };
    if (const auto line = lines_.due(context_.now())) note(*line);
    if (const auto line = lines_.pass(what, context_.now())) note(*line);
}

}  // namespace divisi::control::inline network
