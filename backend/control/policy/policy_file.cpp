// SPDX-License-Identifier: Apache-2.0
// Adopts the policies of the cluster file as versions of the policy.
#include <algorithm>

#include "backend/control/policy/policies.h"

namespace divisi::control::inline policy {
namespace {

/// The reason of a version from the cluster file quotes all settings of the file. After a restart, the settings are
/// read from that reason.
constexpr std::string_view says = "it says: ", nothing = "it says nothing", separator = ", ";

std::string reason_of(const std::vector<PolicySetting>& settings) {
    std::string text;
    for (const PolicySetting& one : settings) text += std::string(text.empty() ? says : separator) + to_text(one.entry);
    return text.empty() ? std::string(nothing) : text;
}

std::vector<PolicyEntry> said_by(std::string_view reason) {
    std::vector<PolicyEntry> entries;
    if (!reason.starts_with(says)) return entries;
    for (reason.remove_prefix(says.size()); !reason.empty();) {
        const std::size_t end = std::min(reason.find(separator), reason.size());
        if (const auto setting = parse_setting(reason.substr(0, end))) entries.push_back(setting->entry);
        reason.remove_prefix(std::min(end + separator.size(), reason.size()));
    }
    return entries;
}

}  // namespace

void Policies::adopt() {
    std::string before(nothing);
    for (const auto& [number, version] : context_.state().policies)
        if (version.author == file_author) before = version.reason;
    const std::string now = reason_of(stated_);
    if (now == before) return;
    std::vector<PolicyEntry> entries = current().entries;
    drop_ended(entries, context_.state());
    const auto is_said = [&](const PolicyEntry& entry) {
        return std::ranges::any_of(stated_, [&](const PolicySetting& one) {
            return one.entry.key == entry.key && one.entry.from == entry.from && one.entry.to == entry.to;
        });
    };
    std::string change;
    const auto set = [&](const PolicySetting& setting) {
        change += (change.empty() ? "" : ", ") + set_entry(entries, setting);
    };
    for (const PolicyEntry& old : said_by(before))
        if (std::ranges::find(entries, old) != entries.end() && author_of(old) == file_author && !is_said(old))
            set({old, true});
    for (const PolicySetting& setting : stated_) set(setting);
    if (entries.size() > most_policy_entries) {
        context_.append(Noted{Severity::error, "policy", "",
                              "the policies of the cluster file are not in force: with them the policy would have "
                              "more than 256 entries; remove some by 'divisictl policies set KEY=default', "
                              "then restart divisid"});
        return;
    }
    enact(std::move(entries), file_author, std::move(change), now);
}

}  // namespace divisi::control::inline policy
