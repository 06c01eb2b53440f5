// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/block_patterns.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace divisi::plan {

namespace {

using graph::NodeIndex;

/// Deeper scopes get no separate pattern, so that a name that consists of slashes cannot exhaust memory.
constexpr std::size_t most_depth = 32;

/// A common start of operator names, ending at a '/'; "" for all names. Parents come before their children.
struct Prefix {
    std::string_view text;
    std::int32_t parent = -1;
    NodeIndex first = 0;  ///< the first node whose name begins with the prefix
};

struct Prefixes {
    std::vector<Prefix> all;
    std::vector<std::int32_t> of_node;  ///< index of each node's longest prefix
};

Prefixes find_prefixes(const graph::Graph& model) {
    Prefixes found{{Prefix{}}, {}};
    std::unordered_map<std::string_view, std::int32_t> known;
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(model.nodes.size()); ++node) {
        const std::string_view name = model.nodes[node].name;
        std::int32_t at = 0;
        std::size_t slash = name.find('/', 1);
        for (std::size_t depth = 0; slash != std::string_view::npos && depth < most_depth; ++depth) {
            const auto next = static_cast<std::int32_t>(found.all.size());
            const auto [entry, is_new] = known.emplace(name.substr(0, slash + 1), next);
            if (is_new) found.all.push_back({entry->first, at, node});
            at = entry->second;
            slash = name.find('/', slash + 1);
        }
        found.of_node.push_back(at);
    }
    return found;
}

}  // namespace

std::vector<std::vector<std::string>> name_operators(const graph::Graph& model,
                                                     const std::vector<std::int32_t>& block_of, std::int32_t blocks) {
    const Prefixes prefixes = find_prefixes(model);
    // Computes, as in route aggregation, the fewest patterns that are needed below a prefix, for each block that a
    // shorter pattern may assign. Index `blocks` means that no shorter pattern applies.
    const auto choices = static_cast<std::size_t>(blocks) + 1;
    std::vector<std::vector<std::int32_t>> least(prefixes.all.size(), std::vector<std::int32_t>(choices, 0));
    for (std::size_t node = 0; node < block_of.size(); ++node) {
        if (block_of[node] < 0) continue;
        std::vector<std::int32_t>& here = least[prefixes.of_node[node]];
        for (std::size_t choice = 0; choice < choices; ++choice)
            here[choice] += choice == static_cast<std::size_t>(block_of[node]) ? 0 : 1;
    }
    std::vector<std::int32_t> own(prefixes.all.size());  ///< the block that a pattern of the prefix would assign
    for (std::size_t at = prefixes.all.size(); at-- > 0;) {
        const auto best = std::min_element(least[at].begin(), least[at].end() - 1);
        own[at] = static_cast<std::int32_t>(best - least[at].begin());
        if (at == 0) break;
        std::vector<std::int32_t>& above = least[prefixes.all[at].parent];
        for (std::size_t choice = 0; choice < choices; ++choice)
            above[choice] += std::min(least[at][choice], *best + 1);
    }
    std::vector<std::int32_t> block_at(prefixes.all.size(), blocks);
    std::vector<std::vector<std::pair<NodeIndex, std::string>>> lists(static_cast<std::size_t>(blocks));
    for (std::size_t at = 0; at < prefixes.all.size(); ++at) {
        const Prefix& prefix = prefixes.all[at];
        block_at[at] = at == 0 ? blocks : block_at[prefix.parent];
        const std::int32_t with = least[at][own[at]] + 1, without = least[at][block_at[at]];
        // Prefer "*" even if listing names needs equally few entries: "*" also covers operators that are added to the
        // model later.
        if (with > without || (with == without && at > 0) || own[at] == block_at[at]) continue;
        block_at[at] = own[at];
        lists[own[at]].emplace_back(prefix.first, std::string(prefix.text) + '*');
    }
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(block_of.size()); ++node)
        if (block_of[node] >= 0 && block_of[node] != block_at[prefixes.of_node[node]])
            lists[block_of[node]].emplace_back(node, model.nodes[node].name);
    std::vector<std::vector<std::string>> result;
    for (auto& list : lists) {
        std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        result.emplace_back();
        for (auto& [first, text] : list) result.back().push_back(std::move(text));
    }
    return result;
}

}  // namespace divisi::plan
