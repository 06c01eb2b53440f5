// SPDX-License-Identifier: Apache-2.0
// Policies set at gateways and routers from the start: [policy] of a cluster file.
#include "backend/task/cluster_fields.h"

namespace divisi::task {
namespace {

constexpr std::size_t longest_policy = 1024;

}  // namespace

Result<void> read_policies(const toml::table& root, const std::string& filename, std::vector<StatedPolicy>& policies) {
    const toml::node* node = root.get("policy");
    if (!node) return {};
    if (!node->as_table()) return wrong_type(*node, "policy", place(filename, *node), "a section [policy]");
    const Section section{*node->as_table(), "policy", filename};
    DIVISI_TRY(check_keys(section.table, section.name, {"entries"}, filename));
    const toml::node* entries = section.table.get("entries");
    if (!entries) return {};
    const char* form = "a list of texts, as in [\"breaker=5\", \"retries=20\"]";
    if (!entries->as_array()) return wrong_type(*entries, "policy.entries", place(filename, *entries), form);
    for (const toml::node& entry : *entries->as_array()) {
        const auto* text = entry.as_string();
        if (!text) return wrong_type(entry, "policy.entries", place(filename, entry), form);
        if (text->get().size() > longest_policy || policies.size() == most_stated_policies)
            return Error{ErrorCode::invalid_input,
                         "policy.entries has an entry of more than 1024 bytes, or more than 64", place(filename, entry),
                         "say less, or set the rest by 'divisictl policies set'"};
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
