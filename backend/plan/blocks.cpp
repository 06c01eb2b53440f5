// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/blocks.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "backend/graph/roles.h"
#include "backend/plan/error_texts.h"

namespace divisi::plan {
namespace {

using graph::Graph;
using graph::NodeIndex;
using graph::ValueIndex;

constexpr std::int32_t no_block = -1;

std::string block_name(std::int32_t block) { return "segment " + std::to_string(block); }

/// Returns one link per pair of blocks. Operators without a block are ignored.
std::vector<BlockLink> find_links(const Graph& graph, const std::vector<std::int32_t>& block_of) {
    std::vector<BlockLink> links;
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(graph.nodes.size()); ++node) {
        if (block_of[node] == no_block) continue;
        for (const ValueIndex input : graph.nodes[node].inputs) {
            if (input == graph::no_value || graph.values[input].producer == graph::no_node) continue;
            const std::int32_t from = block_of[graph.values[input].producer];
            if (from != no_block && from != block_of[node]) links.push_back({from, block_of[node], input, node});
        }
    }
    const auto pair = [](const BlockLink& link) { return std::pair(link.from, link.to); };
    std::stable_sort(links.begin(), links.end(),
                     [&](const BlockLink& a, const BlockLink& b) { return pair(a) < pair(b); });
    links.erase(std::unique(links.begin(), links.end(),
                            [&](const BlockLink& a, const BlockLink& b) { return pair(a) == pair(b); }),
                links.end());
    return links;
}

/// Returns the shortest path of links from a block back to itself; empty if there is none. The links must be in the
/// order of find_links().
std::vector<BlockLink> shortest_circle(const std::vector<BlockLink>& links, std::int32_t blocks, std::int32_t start) {
    std::vector<const BlockLink*> into(static_cast<std::size_t>(blocks), nullptr);
    std::vector<std::int32_t> reached{start};
    for (std::size_t next = 0; next < reached.size() && into[start] == nullptr; ++next)
        for (auto link = std::ranges::lower_bound(links, reached[next], {}, &BlockLink::from);
             link != links.end() && link->from == reached[next]; ++link) {
            if (into[link->to] != nullptr) continue;
            into[link->to] = &*link;
            if (link->to != start) reached.push_back(link->to);
        }
    std::vector<BlockLink> circle;
    for (std::int32_t at = start; into[at] != nullptr && (circle.empty() || at != start); at = into[at]->from)
        circle.insert(circle.begin(), *into[at]);
    return circle;
}

std::vector<BlockLink> shortest_circle(const std::vector<BlockLink>& links, std::int32_t blocks) {
    std::vector<BlockLink> shortest;
    for (std::int32_t start = 0; start < blocks; ++start) {
        std::vector<BlockLink> circle = shortest_circle(links, blocks, start);
        if (!circle.empty() && (shortest.empty() || circle.size() < shortest.size())) shortest = std::move(circle);
    }
    return shortest;
}

Error cyclic(const Graph& graph, const std::vector<BlockLink>& links, std::int32_t blocks) {
    std::string steps;
    for (const BlockLink& link : shortest_circle(links, blocks)) {
        const graph::Value& value = graph.values[link.value];
        if (!steps.empty()) steps += ", ";
        steps += block_name(link.from) + " gives '" + value.name + "' of operator '" +
                 graph.nodes[value.producer].name + "' to " + block_name(link.to);
    }
    return make_error(error_text("segments-wait-for-each-other"), "split.segment", {steps});
}

/// Sorts blocks by Kahn's algorithm; ties keep the given order.
Result<std::vector<std::int32_t>> sort_blocks(const Graph& graph, const std::vector<BlockLink>& links,
                                              std::int32_t blocks) {
    std::vector<std::int32_t> waiting(static_cast<std::size_t>(blocks), 0), order;
    for (const BlockLink& link : links) ++waiting[link.to];
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
    for (std::int32_t block = 0; block < blocks; ++block)
        if (waiting[block] == 0) ready.push(block);
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (const BlockLink& link : links)
            if (link.from == order.back() && --waiting[link.to] == 0) ready.push(link.to);
    }
    if (order.size() < static_cast<std::size_t>(blocks)) return cyclic(graph, links, blocks);
    return order;
}

/// Rates how specific a pattern is: full names before prefixes, long prefixes before short ones.
std::size_t exactness(const std::string& pattern) {
    return pattern.ends_with('*') ? pattern.size() : pattern.size() + (std::size_t{1} << 32);
}

Error matches_nothing(const Graph& graph, const std::string& pattern, const std::string& where) {
    const std::string stem = pattern.substr(0, pattern.find_last_of('/') + 1);
    for (const graph::Node& node : graph.nodes) {
        if (stem.size() < 2 || !node.name.starts_with(stem)) continue;
        return make_error(error_text("no-operator-matches-in-scope"), where, {pattern, node.name});
    }
    return make_error(error_text("no-operator-matches"), where, {pattern});
}

/// Puts each loss into the block of its head's output. Nodes that sum up losses join the last of these blocks.
Result<void> place_losses(const TrainingGraph& training, std::int32_t blocks, std::vector<std::int32_t>& block_of) {
    const auto first = static_cast<std::size_t>(training.model_nodes);
    for (std::size_t i = 0; i < training.anchors.size(); ++i)
        if (training.anchors[i] != graph::no_node) block_of[first + i] = block_of[training.anchors[i]];
    DIVISI_ASSIGN(const auto order, sort_blocks(training.graph, find_links(training.graph, block_of), blocks));
    std::int32_t last = no_block;
    for (const std::int32_t block : order)
        for (const Head& head : training.heads) {
            const NodeIndex producer = training.graph.values[head.output].producer;
            if (producer != graph::no_node && block_of[producer] == block) last = block;
        }
    for (std::size_t i = 0; i < training.anchors.size(); ++i)
        if (block_of[first + i] == no_block) block_of[first + i] = last == no_block ? blocks - 1 : last;
    return {};
}

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

std::vector<BlockLink> find_cycle(const Graph& graph, const std::vector<std::int32_t>& block_of, std::int32_t blocks) {
    return shortest_circle(find_links(graph, block_of), blocks);
}

bool name_matches(const std::string& name, const std::string& pattern) {
    if (!pattern.ends_with('*')) return name == pattern;
    return name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

Result<std::vector<NodeIndex>> find_operators(const Graph& graph, NodeIndex model_nodes, const std::string& pattern,
                                              const std::string& where) {
    std::vector<NodeIndex> found;
    for (NodeIndex node = 0; node < model_nodes; ++node)
        if (name_matches(graph.nodes[node].name, pattern)) found.push_back(node);
    if (found.empty()) return matches_nothing(graph, pattern, where);
    return found;
}

Result<std::vector<std::int32_t>> match_operators(const Graph& graph, NodeIndex model_nodes,
                                                  const std::vector<std::vector<std::string>>& lists) {
    std::vector<std::int32_t> matched(static_cast<std::size_t>(model_nodes), no_block);
    std::vector<std::size_t> best(static_cast<std::size_t>(model_nodes), 0);
    std::vector<std::int32_t> rival(static_cast<std::size_t>(model_nodes), no_block);
    for (std::size_t list = 0; list < lists.size(); ++list) {
        const auto number = static_cast<std::int32_t>(list);
        for (const std::string& pattern : lists[list]) {
            const std::size_t exact = exactness(pattern);
            DIVISI_ASSIGN(const auto found, find_operators(graph, model_nodes, pattern, block_name(number)));
            for (const NodeIndex node : found) {
                if (exact == best[node] && matched[node] != number) rival[node] = number;
                if (exact <= best[node]) continue;
                best[node] = exact;
                matched[node] = number;
                rival[node] = no_block;
            }
        }
    }
    for (NodeIndex node = 0; node < model_nodes; ++node)
        if (rival[node] != no_block)
            return make_error(error_text("operator-in-two-segments"), block_name(rival[node]),
                              {graph.nodes[node].name, block_name(matched[node])});
    return matched;
}

Result<Blocks> make_blocks(const TrainingGraph& training, const std::vector<std::int32_t>& given, std::int32_t blocks) {
    const Graph& graph = training.graph;
    const std::vector<graph::Role> roles = graph::node_roles(graph);
    std::vector<std::int32_t> block_of(graph.nodes.size(), no_block);
    std::vector<bool> filled(static_cast<std::size_t>(blocks), false);
    for (NodeIndex node = 0; node < training.model_nodes; ++node) {
        if (roles[node] == graph::Role::constant) continue;
        block_of[node] = given[node];
        if (given[node] == no_block)
            return make_error(error_text("operator-in-no-listed-segment"), "split.segment", {graph.nodes[node].name});
        filled[given[node]] = true;
    }
    for (std::int32_t block = 0; block < blocks; ++block)
        if (!filled[block]) return make_error(error_text("segment-without-work"), block_name(block));
    DIVISI_TRY(place_losses(training, blocks, block_of));
    DIVISI_ASSIGN(const std::vector<std::int32_t> order, sort_blocks(graph, find_links(graph, block_of), blocks));
    Blocks result;
    result.segments.resize(order.size());
    result.given = order;
    std::vector<std::int32_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int32_t>(i);
    std::vector<std::int32_t> segment_of(graph.nodes.size(), static_cast<std::int32_t>(order.size()) - 1);
    for (NodeIndex node = static_cast<NodeIndex>(graph.nodes.size()) - 1; node >= 0; --node) {
        if (block_of[node] != no_block) {
            segment_of[node] = place[block_of[node]];
        } else {  // a constant: its consumers come later in canonical order
            for (const ValueIndex output : graph.nodes[node].outputs)
                if (output != graph::no_value)
                    for (const NodeIndex consumer : graph.values[output].consumers)
                        segment_of[node] = std::min(segment_of[node], segment_of[consumer]);
        }
    }
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(graph.nodes.size()); ++node)
        result.segments[segment_of[node]].nodes.push_back(node);
    return result;
}

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
