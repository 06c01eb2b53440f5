// SPDX-License-Identifier: Apache-2.0
// Policies set at gateways and routers from the start: [policy] of a cluster file.
#include "backend/task/cluster_fields.h"
#include "backend/task/error_texts.h"

namespace divisi::task {
namespace {

constexpr std::size_t longest_policy = 1024;

}  // namespace

Result<void> read_policies(const toml::table& root, const std::string& filename, std::vector<StatedPolicy>& policies) {
    const toml::node* node = root.get("policy");
    if (!node) return {};
    if (!node->as_table())
        return wrong_type(*node, "policy", place(filename, *node), fill(error_text("section-wanted").what, {"policy"}));
    const Section section{*node->as_table(), "policy", filename};
    DIVISI_TRY(check_keys(section.table, section.name, {"entries"}, filename));
    const toml::node* entries = section.table.get("entries");
    if (!entries) return {};
    const std::string form = error_text("policies-wanted").what;
    if (!entries->as_array()) return wrong_type(*entries, "policy.entries", place(filename, *entries), form);
    for (const toml::node& entry : *entries->as_array()) {
        const auto* text = entry.as_string();
        if (!text) return wrong_type(entry, "policy.entries", place(filename, entry), form);
        if (text->get().size() > longest_policy || policies.size() == most_stated_policies)
            return make_error(error_text("policy-entries-too-large"), place(filename, entry));
        policies.push_back({text->get(), place(filename, entry)});
    }
    return {};
}

std::string print_policies(const std::vector<StatedPolicy>& policies) {
    if (policies.empty()) return {};
    std::string list;
    for (const StatedPolicy& one : policies) list += (list.empty() ? "" : ", ") + literal(one.text);
    return "\n[policy]\nentries = [" + list + "]\n";
}

}  // namespace divisi::task
