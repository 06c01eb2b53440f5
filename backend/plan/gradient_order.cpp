// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/gradient_order.h"

#include <algorithm>

namespace divisi::plan {

namespace {

using graph::Graph;
using graph::NodeIndex;
using graph::ValueIndex;

/// A use of a value: an input slot of a node.
struct Use {
    NodeIndex node = graph::no_node;
    std::size_t slot = 0;
    std::int32_t segment = 0;
};

/// Uses that are sent under a name of their own, at the place of the first of them.
struct Departure {
    ValueIndex value = graph::no_value;
    std::vector<Use> uses;
    std::int32_t home = 0;  ///< segment of the producer
};

std::vector<Use> uses_of(const Graph& graph, ValueIndex value, const std::vector<std::int32_t>& segment_of) {
    std::vector<Use> uses;
    NodeIndex seen = graph::no_node;
    for (const NodeIndex node : graph.values[value].consumers) {  // once per slot
        if (node == seen) continue;
        seen = node;
        for (std::size_t slot = 0; slot < graph.nodes[node].inputs.size(); ++slot)
            if (graph.nodes[node].inputs[slot] == value) uses.push_back({node, slot, segment_of[node]});
    }
    return uses;
}

/// Appends what must leave by itself so that gradients of `value` are added last use first.
void find_departures(const Graph& graph, ValueIndex value, const std::vector<std::int32_t>& segment_of,
                     std::vector<Departure>& departures) {
    const std::int32_t home = segment_of[graph.values[value].producer];
    const std::vector<Use> uses = uses_of(graph, value, segment_of);
    std::size_t tail = uses.size();  // from here on segments ascend, all of them away from home
    while (tail > 0 && uses[tail - 1].segment != home &&
           (tail == uses.size() || uses[tail - 1].segment <= uses[tail].segment))
        --tail;
    const auto away = [&](const Use& use) { return use.segment != home; };
    if (std::none_of(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(tail), away)) return;
    for (std::size_t i = 0; i < tail; ++i)
        if (away(uses[i])) departures.push_back({value, {uses[i]}, home});
    if (tail < uses.size())
        departures.push_back({value, {uses.begin() + static_cast<std::ptrdiff_t>(tail), uses.end()}, home});
}

/// Adds the node of one departure to `graph`; its uses read the new value.
graph::Node leave(Graph& graph, const Departure& departure, std::size_t number) {
    const graph::Value described = graph.values[departure.value];
    graph::Node node;
    node.name = "/relay" + (described.name.starts_with('/') ? "" : std::string("/")) + described.name + "/" +
                std::to_string(number);
    node.op_type = "Identity";
    node.inputs = {departure.value};
    node.outputs = {graph.add_value(node.name + "_output", described.dtype, described.shape)};
    for (const Use& use : departure.uses) graph.nodes[use.node].inputs[use.slot] = node.outputs[0];
    return node;
}

}  // namespace

Result<std::int32_t> keep_gradient_order(TrainingGraph& training, std::vector<Segment>& segments) {
    Graph& graph = training.graph;
    std::vector<std::int32_t> segment_of(graph.nodes.size(), 0);
    for (std::size_t s = 0; s < segments.size(); ++s)
        for (const NodeIndex node : segments[s].nodes) segment_of[node] = static_cast<std::int32_t>(s);

    std::vector<Departure> departures;
    const std::vector<bool> has_gradient = values_with_gradient(graph);
    for (ValueIndex value = 0; value < static_cast<ValueIndex>(graph.values.size()); ++value)
        if (has_gradient[value] && graph.values[value].producer != graph::no_node)
            find_departures(graph, value, segment_of, departures);
    if (departures.empty()) return 0;
    std::stable_sort(departures.begin(), departures.end(),
                     [](const Departure& a, const Departure& b) { return a.uses.front().node < b.uses.front().node; });

    std::vector<graph::Node> added;
    for (std::size_t i = 0; i < departures.size(); ++i) added.push_back(leave(graph, departures[i], i));
    std::vector<graph::Node> nodes;
    for (Segment& segment : segments) segment.nodes.clear();
    const auto append = [&](graph::Node node, std::int32_t segment) {
        segments[static_cast<std::size_t>(segment)].nodes.push_back(static_cast<NodeIndex>(nodes.size()));
        nodes.push_back(std::move(node));
    };
    std::size_t next = 0;
    NodeIndex model_nodes = training.model_nodes;
    for (NodeIndex node = 0; node < static_cast<NodeIndex>(graph.nodes.size()); ++node) {
        for (; next < departures.size() && departures[next].uses.front().node == node; ++next) {
            if (node <= training.model_nodes) ++model_nodes;
            append(std::move(added[next]), departures[next].home);
        }
        append(std::move(graph.nodes[node]), segment_of[node]);
    }
    graph.nodes = std::move(nodes);
    training.model_nodes = model_nodes;
    // Kahn's order with ties by file order leaves a file alone that is already sorted.
    DIVISI_TRY(graph.canonicalize());
    return static_cast<std::int32_t>(departures.size());
}

}  // namespace divisi::plan
