// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/recut_cause.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/state/event.h"
#include "backend/control/state/incarnation.h"

namespace divisi::control::inline protocol {
namespace {

constexpr const char* behind_verdict = "; looked at because ";

/// Returns a setting's text without its value.
std::string target_of(const std::string& text) { return text.substr(0, text.find('=')); }

std::set<MicId> mics_of(const ClusterState& state, const TaskView& task) {
    std::set<MicId> mics;
    for (const InstanceView* one : instances_of(state, task.id))
        if (const auto node = state.nodes.find(one->node); node != state.nodes.end())
            mics.insert(node->second.info.mic);
    return mics;
}

/// Returns whether the task uses the MIC of this gateway. An empty name means any gateway.
bool is_of(const std::set<MicId>& mics, const ClusterState& state, const std::string& gateway) {
    if (gateway.empty()) return true;
    const auto device = state.devices.find(gateway);
    return device != state.devices.end() && mics.contains(device->second.mic);
}

bool changes_speed(PolicyKey key) {
    return key == PolicyKey::share || key == PolicyKey::window || key == PolicyKey::mic_rate ||
           key == PolicyKey::task_rate;
}

std::vector<PolicyEntry> without(const std::vector<PolicyEntry>& some, const std::vector<PolicyEntry>& others) {
    std::vector<PolicyEntry> left;
    std::ranges::copy_if(some, std::back_inserter(left),
                         [&](const PolicyEntry& one) { return std::ranges::find(others, one) == others.end(); });
    return left;
}

}  // namespace

// --- causes of one task -------------------------------------------------------------------------

void RecutCauses::add(const RecutCause& cause, TimePoint now) {
    std::erase_if(quiet_, [&](const auto& entry) { return now >= entry.second; });
    if (quiet_.size() >= most_quiet_causes || !quiet_.try_emplace(cause.key, now + cause_quiet).second) return;
    const bool named = std::ranges::find(open_, cause.text) != open_.end();
    // the limit is needed because for some tasks a search never begins
    if (!named && open_.size() < most_quiet_causes) open_.push_back(cause.text);
}

std::string RecutCauses::take() {
    const std::vector<std::string> all = std::exchange(open_, {});
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), most_named_causes); ++i) text += (i > 0 ? "; " : "") + all[i];
    if (all.size() > most_named_causes) text += "; and " + std::to_string(all.size() - most_named_causes) + " more";
    return clipped(text);
}

// --- policy entries that concern a task ---------------------------------------------------------

std::vector<PolicyEntry> concerning(const ClusterState& state, const TaskView& task,
                                    const std::vector<PolicyEntry>& entries) {
    const std::set<MicId> mics = mics_of(state, task);
    std::vector<PolicyEntry> found;
    std::ranges::copy_if(entries, std::back_inserter(found), [&](const PolicyEntry& entry) {
        if (!changes_speed(entry.key)) return false;
        if (entry.from.find('/') != std::string::npos) return task_of(Sid(entry.from)) == task.id;
        // Tensors within one MIC pass no gateway.
        return mics.size() > 1 && is_of(mics, state, entry.from) && is_of(mics, state, entry.to);
    });
    return found;
}

bool concerns(const ClusterState& state, const TaskView& task, const Advice& advice) {
    if (advice.kind == AdviceKind::path_priority || advice.kind == AdviceKind::traffic)
        return !concerning(state, task, {{PolicyKey::share, advice.from, advice.to, 0}}).empty();
    return std::ranges::any_of(instances_of(state, task.id),
                               [&](const InstanceView* one) { return one->node == NodeId(advice.from); });
}

std::vector<PolicyEntry> changed_entries(const ClusterState& state, const PolicyVersion& policy) {
    const auto now = state.policies.lower_bound(policy.version);
    const std::vector<PolicyEntry> none;
    const std::vector<PolicyEntry>& old = now == state.policies.begin() ? none : std::prev(now)->second.entries;
    std::vector<PolicyEntry> changed = without(policy.entries, old);
    std::ranges::copy(without(old, policy.entries), std::back_inserter(changed));
    return changed;
}

// --- texts of the causes ------------------------------------------------------------------------

/// All moves of a share by the SMO are one cause. A setting by anybody else is a separate cause for each value.
RecutCause cause_of(const PolicyVersion& policy, const PolicyEntry& entry) {
    const bool moved = policy.author == smo_author;
    const std::string what = describe(PolicyChanged{policy});
    if (!moved) return {"policy " + to_text(entry), what};
    return {"moved " + target_of(to_text(entry)),
            "tensors from " + entry.from + " to " + entry.to + " were moved: " + what};
}

RecutCause cause_of(const std::string& module, const Advice& advice) {
    const std::string what = to_text(advice), who = "module " + module;
    return {who + " " + target_of(what), who + " advises " + what + ": " + advice.reason};
}

std::string with_cause(const std::string& verdict, const std::string& cause) {
    return cause.empty() ? verdict : verdict + behind_verdict + cause;
}

std::string verdict_of(const RecutAdvice& advice) { return advice.why.substr(0, advice.why.find(behind_verdict)); }

std::string cause_of(const RecutAdvice& advice) {
    const std::size_t at = advice.why.find(behind_verdict);
    return at == std::string::npos ? "" : advice.why.substr(at + std::string_view(behind_verdict).size());
}

}  // namespace divisi::control::inline protocol
