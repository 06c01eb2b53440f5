// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/gradient_order.h"

#include <algorithm>

namespace divisi::plan {

namespace {

using graph::Graph;
using graph::NodeIndex;
using graph::ValueIndex;

/// One use of a value: an input slot of a node.
struct Use {
    NodeIndex node = graph::no_node;
    std::size_t slot = 0;
    std::int32_t segment = 0;
};

/// Uses that read the value under a new name. The value is sent at the position of the first of these uses.
struct Departure {
    ValueIndex value = graph::no_value;
    std::vector<Use> uses;
    std::int32_t home = 0;  ///< segment of the producer
};

std::vector<Use> uses_of(const Graph& graph, ValueIndex value, const std::vector<std::int32_t>& segment_of) {
    std::vector<Use> uses;
    NodeIndex seen = graph::no_node;
    for (const NodeIndex node : graph.values[value].consumers) {  // one entry per slot
        if (node == seen) continue;
        seen = node;
        for (std::size_t slot = 0; slot < graph.nodes[node].inputs.size(); ++slot)
            if (graph.nodes[node].inputs[slot] == value) uses.push_back({node, slot, segment_of[node]});
    }
    return uses;
}

/// Returns which segments can be reached along values, as [from][to].
std::vector<std::vector<bool>> find_reach(const Graph& graph, const std::vector<std::int32_t>& segment_of,
                                          std::size_t segments) {
    std::vector<std::vector<bool>> reach(segments, std::vector<bool>(segments, false));
    for (const graph::Value& value : graph.values)
        if (value.producer != graph::no_node)
            for (const NodeIndex consumer : value.consumers)
                reach[segment_of[value.producer]][segment_of[consumer]] = true;
    for (std::size_t from = segments; from-- > 0;)  // every value leads to a later segment
        for (std::size_t via = from + 1; via < segments; ++via)
            for (std::size_t to = via; reach[from][via] && to < segments; ++to)
                if (reach[via][to]) reach[from][to] = true;
    return reach;
}

/// Returns whether relaying the value over these uses would make a segment wait for another segment that it does not
/// need, and no segment uses the value twice.
bool better_apart(const std::vector<Use>& uses, const std::vector<std::vector<bool>>& reach) {
    bool parallel = false;
    for (std::size_t i = 1; i < uses.size(); ++i) {
        if (uses[i].segment == uses[i - 1].segment) return false;
        parallel = parallel || !reach[uses[i - 1].segment][uses[i].segment];
    }
    return parallel;
}

/// Appends the departures that must be sent separately so that gradients of `value` are added last use first.
void find_departures(const Graph& graph, ValueIndex value, const std::vector<std::int32_t>& segment_of,
                     const std::vector<std::vector<bool>>& reach, std::vector<Departure>& departures) {
    const std::int32_t home = segment_of[graph.values[value].producer];
    const std::vector<Use> uses = uses_of(graph, value, segment_of);
    std::size_t tail = uses.size();  // from this use on, segments ascend and none is the home segment
    while (tail > 0 && uses[tail - 1].segment != home &&
           (tail == uses.size() || uses[tail - 1].segment <= uses[tail].segment))
        --tail;
    const std::vector<Use> last(uses.begin() + static_cast<std::ptrdiff_t>(tail), uses.end());
    if (!reach.empty() && better_apart(last, reach)) tail = uses.size();
    const auto away = [&](const Use& use) { return use.segment != home; };
    if (std::none_of(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(tail), away)) return;
    for (std::size_t i = 0; i < tail; ++i)
        if (away(uses[i])) departures.push_back({value, {uses[i]}, home});
    if (tail < uses.size()) departures.push_back({value, last, home});
}

/// Adds the node of one departure to `graph` and makes its uses read the new value.
graph::Node leave(Graph& graph, const Departure& departure, std::size_t number) {
    const graph::Value described = graph.values[departure.value];
    graph::Node node;
    const std::size_t slash = described.name.starts_with('/') ? 1 : 0;
    node.name = relay_scope + described.name.substr(slash) + "/" + std::to_string(number);
    node.op_type = "Identity";
    node.inputs = {departure.value};
    node.outputs = {graph.add_value(node.name + "_output", described.dtype, described.shape)};
    for (const Use& use : departure.uses) graph.nodes[use.node].inputs[use.slot] = node.outputs[0];
    return node;
}

}  // namespace

Result<std::int32_t> keep_gradient_order(TrainingGraph& training, std::vector<Segment>& segments, bool apart) {
    Graph& graph = training.graph;
    std::vector<std::int32_t> segment_of(graph.nodes.size(), 0);
    for (std::size_t s = 0; s < segments.size(); ++s)
        for (const NodeIndex node : segments[s].nodes) segment_of[node] = static_cast<std::int32_t>(s);

    std::vector<std::vector<bool>> reach;
    if (apart) reach = find_reach(graph, segment_of, segments.size());
    std::vector<Departure> departures;
    const std::vector<bool> has_gradient = values_with_gradient(graph);
    for (ValueIndex value = 0; value < static_cast<ValueIndex>(graph.values.size()); ++value)
        if (has_gradient[value] && graph.values[value].producer != graph::no_node)
            find_departures(graph, value, segment_of, reach, departures);
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
    // Kahn's algorithm with ties by file order keeps the order of an already sorted graph.
    DIVISI_TRY(graph.canonicalize());
    return static_cast<std::int32_t>(departures.size());
}

}  // namespace divisi::plan
