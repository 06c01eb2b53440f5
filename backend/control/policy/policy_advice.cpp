// SPDX-License-Identifier: Apache-2.0
// Sets and takes back policy entries that functional modules advise.
#include <algorithm>
#include <iterator>

#include "backend/control/policy/policies.h"
#include "backend/control/state/policy_origin.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline policy {
namespace {

Result<void> check_value(const PolicyEntry& entry) {
    const bool share = entry.key == PolicyKey::share;
    const std::int64_t least = share ? 0 : least_window, most = share ? 100 : most_policy_window;
    if (entry.value >= least && entry.value <= most) return {};
    return make_error(error_text("advised-value-out-of-range"), to_text(entry),
                      {std::to_string(entry.value), std::to_string(least), std::to_string(most)});
}

}  // namespace

/// Returns the author of the current entry: the author of the first version with its value. Empty if no version sets
/// it.
std::string Policies::author_of(const PolicyEntry& entry) const {
    const PolicyVersion* origin = origin_of(context_.state().policies, entry);
    return origin != nullptr ? origin->author : "";
}

Policies::Taken Policies::set_by_advice(const PolicySetting& setting, const std::string& author,
                                        const std::string& reason) {
    std::vector<PolicyEntry> entries = current().entries;
    drop_ended(entries, context_.state());
    Taken taken;
    if (const PolicyEntry* there = find_entry(entries, setting.entry)) taken.before = there->value;
    taken.change = set_entry(entries, setting);
    taken.version = enact(std::move(entries), author, taken.change, reason);
    return taken;
}

Result<Policies::Taken> Policies::take_advice(const PolicyEntry& entry, const std::string& author,
                                              const std::string& reason) {
    DIVISI_TRY(check_value(entry));
    DIVISI_TRY(check_ends(entry));
    DIVISI_TRY(check_window(entry));
    const std::vector<PolicyEntry> entries = current().entries;
    const PolicyEntry* there = find_entry(entries, entry);
    const std::string set_by = author_of(entry);
    if (!set_by.empty() && set_by != author)
        return set_by == smo_author ? make_error(error_text("policy-moved-by-orchestrator"), to_text(*there))
                                    : make_error(error_text("policy-set-by-another"), to_text(*there), {set_by});
    if (there != nullptr && there->value == entry.value) return Taken{0, to_text(entry) + ", as before", entry.value};
    if (entries.size() >= most_policy_entries) return make_error(error_text("policy-full"), to_text(entry));
    return set_by_advice({entry, false}, author, reason);
}

std::optional<Policies::Taken> Policies::take_back(const PolicyEntry& entry, std::optional<std::int64_t> before,
                                                   const std::string& author, const std::string& reason) {
    const std::vector<PolicyEntry> entries = current().entries;
    const PolicyEntry* there = find_entry(entries, entry);
    if (there == nullptr || there->value != entry.value || author_of(entry) != author) return std::nullopt;
    PolicySetting setting{entry, !before};
    if (before) setting.entry.value = *before;
    return set_by_advice(setting, author, reason);
}

bool Policies::module_is_on(const std::string& module, const TaskId& task) const {
    const std::vector<PolicyEntry>& entries = current().entries;
    for (const std::string& about : {task.value(), std::string()})
        if (const PolicyEntry* entry = find_entry(entries, {PolicyKey::module, module, about, 0}))
            return entry->value != 0;
    return true;
}

std::vector<TaskId> Policies::without(const std::string& module) const {
    std::vector<TaskId> tasks;
    for (const PolicyEntry& entry : current().entries)
        if (entry.key == PolicyKey::module && entry.from == module && !entry.to.empty() && entry.value == 0)
            tasks.push_back(TaskId(entry.to));
    return tasks;
}

}  // namespace divisi::control::inline policy
