// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/scopes.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "backend/graph/cuts.h"

namespace divisi::graph {

namespace {

/// Bounds for the length of a run of nodes. A run should be short enough to be readable when its block is open, and
/// long enough that a large graph has few runs.
constexpr std::int32_t shortest_run = 12;
constexpr std::int32_t longest_run = 40;
/// If the share of nodes with a path in their name is smaller than this, nodes are not grouped by name.
constexpr double least_scoped_share = 0.5;
/// Deeper paths are truncated: names come from files, and the view recurses over this tree.
constexpr std::size_t deepest_scope = 64;

/// Splits a node name: "/layers/3/attn/MatMul" -> {"layers", "3", "attn"}.
std::vector<std::string_view> scope_parts(std::string_view name) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (std::size_t end = name.find('/'); end != std::string_view::npos; end = name.find('/', begin)) {
        if (end > begin && parts.size() < deepest_scope) parts.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

class TreeBuilder {
public:
    explicit TreeBuilder(std::size_t nodes) {
        tree_.scopes.emplace_back();
        tree_.scope_of_node.resize(nodes, 0);
    }

    std::int32_t child(std::int32_t parent, std::string_view name) {
        const auto [found, fresh] =
            children_.emplace(std::pair(parent, std::string(name)), static_cast<std::int32_t>(tree_.scopes.size()));
        if (fresh) {
            Scope scope;
            scope.name = name;
            scope.path = tree_.scopes[parent].path + "/" + scope.name;
            scope.parent = parent;
            tree_.scopes.push_back(std::move(scope));
            tree_.scopes[parent].children.push_back(found->second);
        }
        return found->second;
    }
    void add(NodeIndex node, std::int32_t scope) {
        tree_.scopes[scope].nodes.push_back(node);
        tree_.scope_of_node[node] = scope;
    }
    /// Computes ranges and totals. Goes from the last scope to the first, since children were created after their
    /// parents.
    ScopeTree finish() {
        for (auto i = tree_.scopes.size(); i-- > 0;) {
            Scope& scope = tree_.scopes[i];
            if (!scope.nodes.empty()) widen(scope, scope.nodes.front(), scope.nodes.back());
            scope.total += static_cast<std::int32_t>(scope.nodes.size());
            if (scope.parent < 0) continue;
            Scope& parent = tree_.scopes[scope.parent];
            if (scope.first != no_node) widen(parent, scope.first, scope.last);
            parent.total += scope.total;
        }
        return std::move(tree_);
    }

private:
    static void widen(Scope& scope, NodeIndex first, NodeIndex last) {
        scope.first = scope.first == no_node ? first : std::min(scope.first, first);
        scope.last = std::max(scope.last, last);
    }

    ScopeTree tree_;
    std::map<std::pair<std::int32_t, std::string>, std::int32_t> children_;
};

/// If a scope contains only one other scope, merges the two into one scope with both names.
ScopeTree merge_chains(ScopeTree tree) {
    std::vector<std::int32_t> kept(tree.scopes.size(), -1);
    ScopeTree merged;
    merged.scope_of_node = std::move(tree.scope_of_node);
    std::vector<std::string> prefix(tree.scopes.size());
    for (std::size_t i = 0; i < tree.scopes.size(); ++i) {
        Scope& scope = tree.scopes[i];
        const std::string name = (i > 0 ? prefix[scope.parent] : "") + scope.name;
        const std::int32_t parent = i > 0 ? kept[scope.parent] : -1;
        if (i > 0 && scope.nodes.empty() && scope.children.size() == 1) {
            prefix[i] = name + "/";
            kept[i] = parent;  // the inner scope gets this parent
            continue;
        }
        kept[i] = static_cast<std::int32_t>(merged.scopes.size());
        scope.name = name;
        scope.parent = parent;
        scope.children.clear();
        if (parent >= 0) merged.scopes[parent].children.push_back(kept[i]);
        merged.scopes.push_back(std::move(scope));
    }
    for (std::int32_t& scope : merged.scope_of_node) scope = kept[scope];
    return merged;
}

ScopeTree group_by_names(const Graph& graph) {
    TreeBuilder builder(graph.nodes.size());
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(graph.nodes.size()); ++i) {
        std::int32_t scope = 0;
        for (const std::string_view part : scope_parts(graph.nodes[i].name)) scope = builder.child(scope, part);
        builder.add(i, scope);
    }
    return merge_chains(builder.finish());
}

/// Ends each run where the fewest values lead to later nodes, so that single edges connect the blocks if possible.
std::vector<NodeIndex> run_ends(const Graph& graph) {
    const CutList cuts = find_cuts(graph);
    const auto count = static_cast<NodeIndex>(graph.nodes.size());
    std::vector<NodeIndex> ends;
    for (NodeIndex begin = 0; begin < count;) {
        NodeIndex best = std::min(begin + longest_run, count) - 1;
        if (count - begin > longest_run) {
            for (NodeIndex i = begin + shortest_run - 1; i < begin + longest_run; ++i)
                if (cuts.positions[i].values < cuts.positions[best].values) best = i;
        }
        ends.push_back(best);
        begin = best + 1;
    }
    return ends;
}

/// Groups the nodes in runs. If there are more than `longest_run` runs, nests that many in each outer group.
ScopeTree group_by_runs(const Graph& graph) {
    TreeBuilder builder(graph.nodes.size());
    const auto count = static_cast<NodeIndex>(graph.nodes.size());
    const std::vector<NodeIndex> ends = run_ends(graph);
    const auto label = [&](NodeIndex first, NodeIndex last) {
        return "nodes " + std::to_string(first) + " to " + std::to_string(last);
    };
    const auto group = static_cast<std::size_t>(longest_run);
    NodeIndex next = 0;
    for (std::size_t run = 0; run < ends.size(); ++run) {
        std::int32_t scope = 0;
        if (count > longest_run && ends.size() > group) {
            const std::size_t outer_first = run / group * group;
            const std::size_t outer_last = std::min(outer_first + group, ends.size()) - 1;
            scope = builder.child(0, label(outer_first ? ends[outer_first - 1] + 1 : 0, ends[outer_last]));
        }
        if (count > longest_run) scope = builder.child(scope, label(next, ends[run]));
        for (; next <= ends[run]; ++next) builder.add(next, scope);
    }
    return builder.finish();
}

}  // namespace

ScopeTree group_by_scope(const Graph& graph) {
    const auto scoped = std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                      [](const Node& node) { return !scope_parts(node.name).empty(); });
    const bool names_group =
        static_cast<double>(scoped) >= least_scoped_share * static_cast<double>(graph.nodes.size());
    return scoped > 0 && names_group ? group_by_names(graph) : group_by_runs(graph);
}

}  // namespace divisi::graph
