// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/branches.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "backend/graph/dominance.h"
#include "backend/graph/roles.h"
#include "backend/plan/error_texts.h"

namespace divisi::plan {

namespace {

using graph::Graph;
using graph::NodeIndex;
using graph::ValueIndex;

/// Positions of heads, ascending.
using HeadSet = std::set<std::int32_t>;

/// Identifies a branch and defines the order of branches: branches that lead to more heads come first. This order is
/// topological, since a branch leads to every head that its followers lead to.
struct BranchKey {
    HeadSet heads;
    NodeIndex owner = graph::no_node;  ///< the node that computes the head's output; no_node for a shared branch

    bool operator<(const BranchKey& other) const {
        if (heads.size() != other.heads.size()) return heads.size() > other.heads.size();
        if (heads != other.heads) return heads < other.heads;
        return owner < other.owner;
    }
};

Result<std::vector<ValueIndex>> find_heads(const Graph& model, const std::vector<std::string>& names) {
    std::string known;
    for (const ValueIndex output : model.outputs)
        known += (known.empty() ? "'" : ", '") + model.values[output].name + "'";
    for (const std::string& name : names) {
        const auto is_named = [&](ValueIndex output) { return model.values[output].name == name; };
        const auto found = std::find_if(model.outputs.begin(), model.outputs.end(), is_named);
        if (found == model.outputs.end())
            return make_error(error_text("no-output-of-model"), "train.losses." + name, {name, known});
        if (model.values[*found].producer == graph::no_node)
            return make_error(error_text("output-not-computed"), "train.losses." + name, {name});
    }
    std::vector<ValueIndex> heads;
    for (const ValueIndex output : model.outputs) {
        const bool listed = std::find(names.begin(), names.end(), model.values[output].name) != names.end();
        if (listed && std::find(heads.begin(), heads.end(), output) == heads.end()) heads.push_back(output);
    }
    return heads;
}

/// All branches, and for every node the position of its branch in `keys`; -1 for nodes that no head needs.
struct Grouping {
    std::vector<BranchKey> keys;
    std::vector<std::int32_t> branch_of;
};

/// Returns, for each node, the heads that its outputs reach.
std::vector<HeadSet> reached_heads(const Graph& model, const std::vector<ValueIndex>& heads) {
    std::vector<HeadSet> reached(model.nodes.size());
    for (auto node = static_cast<NodeIndex>(model.nodes.size()) - 1; node >= 0; --node) {
        for (const ValueIndex output : model.nodes[node].outputs) {
            if (output == graph::no_value) continue;
            const auto head = std::find(heads.begin(), heads.end(), output);
            if (head != heads.end()) reached[node].insert(static_cast<std::int32_t>(head - heads.begin()));
            for (const NodeIndex consumer : model.values[output].consumers)
                reached[node].insert(reached[consumer].begin(), reached[consumer].end());
        }
    }
    return reached;
}

/// Returns, for every node, its nearest post-dominator (possibly itself) that computes a head's output.
std::vector<NodeIndex> owners(const Graph& model, const std::vector<ValueIndex>& heads,
                              const std::vector<NodeIndex>& dominators) {
    std::vector<NodeIndex> owner(model.nodes.size(), graph::no_node);
    for (const ValueIndex head : heads) owner[model.values[head].producer] = model.values[head].producer;
    for (auto node = static_cast<NodeIndex>(model.nodes.size()) - 1; node >= 0; --node) {
        const NodeIndex next = dominators[node];
        const bool inherits = next != graph::no_node && next < static_cast<NodeIndex>(model.nodes.size());
        if (owner[node] == graph::no_node && inherits) owner[node] = owner[next];
    }
    return owner;
}

Grouping group(const Graph& model, const std::vector<ValueIndex>& heads) {
    const auto dominators = graph::post_dominators(model, heads);
    const auto owner = owners(model, heads, dominators);
    const auto reached = reached_heads(model, heads);
    const auto roles = graph::node_roles(model);
    const auto follows_consumer = [&](NodeIndex node) {
        return owner[node] == graph::no_node && roles[node] <= graph::Role::shape;
    };
    std::map<BranchKey, std::int32_t> positions;
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(model.nodes.size()); ++node)
        if (dominators[node] != graph::no_node && !follows_consumer(node))
            positions.emplace(BranchKey{reached[node], owner[node]}, 0);

    Grouping grouping;
    for (auto& [key, position] : positions) {
        position = static_cast<std::int32_t>(grouping.keys.size());
        grouping.keys.push_back(key);
    }
    grouping.branch_of.assign(model.nodes.size(), -1);
    for (auto node = static_cast<NodeIndex>(model.nodes.size()) - 1; node >= 0; --node) {
        std::int32_t& branch = grouping.branch_of[node];
        if (dominators[node] == graph::no_node) continue;
        if (!follows_consumer(node)) {
            branch = positions.at({reached[node], owner[node]});
            continue;
        }
        for (const ValueIndex output : model.nodes[node].outputs) {
            if (output == graph::no_value) continue;
            for (const NodeIndex consumer : model.values[output].consumers)
                if (grouping.branch_of[consumer] >= 0 && (branch < 0 || grouping.branch_of[consumer] < branch))
                    branch = grouping.branch_of[consumer];
        }
    }
    return grouping;
}

/// Builds a graph of `nodes` in that order, with the values they read and the given `outputs`.
Graph extract(const Graph& model, const std::vector<NodeIndex>& nodes, const std::vector<ValueIndex>& outputs) {
    std::vector<bool> used(model.values.size(), false);
    for (const NodeIndex node : nodes)
        for (const auto* values : {&model.nodes[node].inputs, &model.nodes[node].outputs})
            for (const ValueIndex value : *values)
                if (value != graph::no_value) used[value] = true;
    Graph graph;
    graph.name = model.name;
    graph.opset = model.opset;
    graph.other_opsets = model.other_opsets;
    std::vector<ValueIndex> moved(model.values.size(), graph::no_value);
    for (std::size_t i = 0; i < model.values.size(); ++i) {
        const graph::Value& value = model.values[i];
        if (!used[i]) continue;
        moved[i] = graph.add_value(value.name, value.dtype, value.shape);
        if (value.initializer < 0) continue;
        graph.values.back().initializer = static_cast<std::int32_t>(graph.initializers.size());
        graph.initializers.push_back(model.initializers[value.initializer]);
        graph.initializers.back().value = moved[i];
    }
    const auto move_all = [&](std::vector<ValueIndex>& values) {
        for (ValueIndex& value : values)
            if (value != graph::no_value) value = moved[value];
    };
    for (const NodeIndex index : nodes) {
        graph::Node node = model.nodes[index];
        move_all(node.inputs);
        move_all(node.outputs);
        graph.add_node(std::move(node));
    }
    for (const ValueIndex input : model.inputs)
        if (used[input]) graph.inputs.push_back(moved[input]);
    graph.outputs = outputs;
    move_all(graph.outputs);
    return graph;
}

std::vector<std::string> left_out(const Graph& model, const std::vector<ValueIndex>& heads, std::size_t kept) {
    std::vector<std::string> warnings;
    for (const ValueIndex output : model.outputs)
        if (std::find(heads.begin(), heads.end(), output) == heads.end())
            warnings.push_back("output '" + model.values[output].name + "' is dropped: it has no loss");
    if (const std::size_t operators = model.nodes.size() - kept; operators > 0)
        warnings.push_back(operators == 1 ? "1 operator that no head needs does not run"
                                          : std::to_string(operators) + " operators that no head needs do not run");
    return warnings;
}

}  // namespace

const Branch* BranchedModel::backbone() const {
    const bool all = !branches.empty() && branches.front().heads.size() == graph.outputs.size();
    return all && branches.front().shared ? &branches.front() : nullptr;
}

std::string BranchedModel::name(const Branch& branch) const {
    if (&branch == backbone()) return "backbone";
    std::string names;
    for (const std::string& head : branch.heads) names += (names.empty() ? "" : ", ") + head;
    return (branch.shared ? "trunk of " : "head ") + names;
}

Result<BranchedModel> keep_heads(const Graph& model, const std::vector<std::string>& outputs) {
    DIVISI_ASSIGN(const std::vector<ValueIndex> heads, find_heads(model, outputs));
    const Grouping grouping = group(model, heads);
    std::vector<NodeIndex> order;
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(model.nodes.size()); ++node)
        if (grouping.branch_of[node] >= 0) order.push_back(node);
    std::stable_sort(order.begin(), order.end(),
                     [&](NodeIndex a, NodeIndex b) { return grouping.branch_of[a] < grouping.branch_of[b]; });

    BranchedModel branched;
    branched.graph = extract(model, order, heads);
    DIVISI_TRY(branched.graph.canonicalize());  // already sorted, so the order does not change
    branched.warnings = left_out(model, heads, order.size());
    for (std::size_t i = 0; i < grouping.keys.size(); ++i) {
        const BranchKey& key = grouping.keys[i];
        Branch branch;
        branch.shared = key.owner == graph::no_node;
        for (std::size_t head = 0; head < heads.size(); ++head) {
            const bool own = key.owner == model.values[heads[head]].producer;
            if (branch.shared ? key.heads.contains(static_cast<std::int32_t>(head)) : own)
                branch.heads.push_back(model.values[heads[head]].name);
        }
        const auto in_branch = [&](NodeIndex node) { return grouping.branch_of[node] < static_cast<std::int32_t>(i); };
        branch.first = static_cast<NodeIndex>(std::count_if(order.begin(), order.end(), in_branch));
        branch.last =
            branch.first + static_cast<NodeIndex>(std::count(grouping.branch_of.begin(), grouping.branch_of.end(),
                                                             static_cast<std::int32_t>(i)));
        branched.branches.push_back(std::move(branch));
    }
    return branched;
}

}  // namespace divisi::plan
