// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/block_tree.h"

#include <algorithm>
#include <string_view>

#include "backend/graph/scopes.h"

namespace divisi::model {

namespace {

/// Maximum depth of scopes; deeper scopes do not become blocks. Without a limit, a name with very many slashes could
/// exhaust the stack.
constexpr std::size_t scope_depth_limit = 32;

using Path = std::vector<std::string_view>;

/// Splits a path: "/layers/3/attn" -> {"layers", "3", "attn"}. Levels beyond the depth limit are kept as one part.
Path split_path(std::string_view path) {
    Path parts;
    for (std::size_t begin = 0; begin < path.size();) {
        const bool deepest = parts.size() + 1 == scope_depth_limit;
        const std::size_t end = deepest ? path.size() : std::min(path.find('/', begin), path.size());
        if (end > begin) parts.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::string_view last_part(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    return slash == std::string_view::npos || slash + 1 == name.size() ? name : name.substr(slash + 1);
}

class Builder {
public:
    Builder(const graph::Graph& graph, BlockTree& tree)
        : graph_(graph), tree_(tree), scopes_(graph::group_by_scope(graph)) {
        paths_.reserve(graph.nodes.size());
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const graph::Scope& scope = scopes_.scopes[static_cast<std::size_t>(scopes_.scope_of_node[i])];
            Path path = split_path(scope.path);
            path.push_back(last_part(graph.nodes[i].name));
            paths_.push_back(std::move(path));
        }
    }

    /// Adds the children of `parent`, whose operators share `depth` leading scopes.
    void add_children(std::int32_t parent, std::size_t depth) {
        const auto [first, last] = range(parent);
        for (graph::NodeIndex begin = first; begin <= last;) {
            const graph::NodeIndex end = run_end(begin, last, depth);
            if (begin == first && end == last && has_scope(begin, depth) && parent >= 0) {
                merge_scope(parent, begin, depth);
                return;
            }
            if (begin == end) add_operator(parent, begin, depth);
            else add_scope(parent, begin, end, depth);
            begin = end + 1;
        }
    }

private:
    std::pair<graph::NodeIndex, graph::NodeIndex> range(std::int32_t block) const {
        return {tree_.blocks[block].first, tree_.blocks[block].last};
    }

    bool has_scope(graph::NodeIndex node, std::size_t depth) const { return paths_[node].size() > depth + 1; }

    graph::NodeIndex run_end(graph::NodeIndex begin, graph::NodeIndex last, std::size_t depth) const {
        graph::NodeIndex end = begin;
        if (!has_scope(begin, depth)) return end;
        while (end < last && has_scope(end + 1, depth) && paths_[end + 1][depth] == paths_[begin][depth]) ++end;
        return end;
    }

    /// Merges `parent` with its only child, an inner scope, into one block.
    void merge_scope(std::int32_t parent, graph::NodeIndex node, std::size_t depth) {
        Block& block = tree_.blocks[parent];
        const std::string scope(paths_[node][depth]);
        block.path += "/" + scope;
        if (parent > 0) block.label += "/" + scope;
        add_children(parent, depth + 1);
    }

    void add_operator(std::int32_t parent, graph::NodeIndex node, std::size_t depth) {
        Block block;
        for (std::size_t i = depth; i < paths_[node].size(); ++i) {
            if (i > depth) block.label += '/';
            block.label += paths_[node][i];
        }
        block.path = graph_.nodes[node].name;
        block.first = block.last = node;
        tree_.operator_block[node] = append(parent, std::move(block));
    }

    void add_scope(std::int32_t parent, graph::NodeIndex first, graph::NodeIndex last, std::size_t depth) {
        Block block;
        block.label = std::string(paths_[first][depth]);
        block.path = tree_.blocks[parent].path + "/" + block.label;
        block.first = first;
        block.last = last;
        add_children(append(parent, std::move(block)), depth + 1);
    }

    std::int32_t append(std::int32_t parent, Block block) {
        const auto index = static_cast<std::int32_t>(tree_.blocks.size());
        block.parent = parent;
        tree_.blocks[parent].children.push_back(index);
        tree_.blocks.push_back(std::move(block));
        return index;
    }

    const graph::Graph& graph_;
    BlockTree& tree_;
    graph::ScopeTree scopes_;  ///< owns the strings that the paths refer to
    std::vector<Path> paths_;  ///< scopes and name of each operator
};

}  // namespace

BlockTree build_block_tree(const graph::Graph& graph) {
    BlockTree tree;
    tree.operator_block.assign(graph.nodes.size(), 0);
    Block root;
    root.label = graph.name;
    root.last = static_cast<graph::NodeIndex>(graph.nodes.size()) - 1;
    tree.blocks.push_back(std::move(root));
    if (!graph.nodes.empty()) Builder(graph, tree).add_children(0, 0);
    return tree;
}

std::vector<std::int32_t> visible_blocks(const BlockTree& tree, const std::vector<bool>& open) {
    std::vector<std::int32_t> visible;
    std::vector<std::int32_t> stack(tree.blocks[0].children.rbegin(), tree.blocks[0].children.rend());
    while (!stack.empty()) {
        const std::int32_t index = stack.back();
        stack.pop_back();
        const Block& block = tree.blocks[index];
        if (block.is_operator() || !open[index]) visible.push_back(index);
        else stack.insert(stack.end(), block.children.rbegin(), block.children.rend());
    }
    return visible;
}

std::vector<bool> initially_open(const BlockTree& tree, std::size_t limit) {
    std::vector<bool> open(tree.blocks.size(), false);
    open[0] = true;
    std::vector<std::int32_t> level = tree.blocks[0].children;
    std::size_t shown = level.size();
    while (!level.empty()) {
        std::vector<std::int32_t> next;
        std::size_t gain = 0;
        for (const std::int32_t index : level) {
            const Block& block = tree.blocks[index];
            if (block.is_operator()) continue;
            gain += block.children.size() - 1;
            next.insert(next.end(), block.children.begin(), block.children.end());
        }
        if (shown + gain > limit) break;
        for (const std::int32_t index : level)
            if (!tree.blocks[index].is_operator()) open[index] = true;
        shown += gain;
        level = std::move(next);
    }
    return open;
}

}  // namespace divisi::model
