// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/partition.h"

#include <algorithm>

#include "backend/plan/error_texts.h"

namespace divisi::plan {

namespace {

using graph::Graph;
using graph::NodeIndex;
using graph::ValueIndex;

constexpr std::int32_t unassigned = -1;

Result<std::vector<std::int32_t>> assign(const Graph& graph, const std::vector<Segment>& segments) {
    std::vector<std::int32_t> segment_of(graph.nodes.size(), unassigned);
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const std::string where = "segment " + std::to_string(s);
        if (segments[s].nodes.empty()) return make_error(error_text("segment-without-operator"), where);
        for (const NodeIndex node : segments[s].nodes) {
            if (node < 0 || node >= static_cast<NodeIndex>(graph.nodes.size()))
                return make_error(error_text("no-operator-of-number"), where, {std::to_string(node)});
            if (segment_of[node] != unassigned)
                return make_error(error_text("operator-also-in-segment"), where,
                                  {graph.nodes[node].name, std::to_string(segment_of[node])});
            segment_of[node] = static_cast<std::int32_t>(s);
        }
    }
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        if (segment_of[node] == unassigned)
            return make_error(error_text("operator-in-no-segment"), "partition", {graph.nodes[node].name});
    return segment_of;
}

/// Returns the segments that consume `value`, ascending, each once.
std::vector<std::int32_t> consumer_segments(const Graph& graph, ValueIndex value,
                                            const std::vector<std::int32_t>& segment_of) {
    std::vector<std::int32_t> result;
    for (const NodeIndex node : graph.values[value].consumers) result.push_back(segment_of[node]);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

Error backwards(const Graph& graph, ValueIndex value, std::int32_t from, std::int32_t to) {
    const NodeIndex producer = graph.values[value].producer;
    return make_error(error_text("value-needed-earlier"), "partition",
                      {graph.values[value].name, graph.nodes[producer].name, std::to_string(from), std::to_string(to)});
}

/// Reports a value without a type. Without a type, it is unknown whether its gradient returns, and weights before the
/// value would not train.
Error untyped(const Graph& graph, ValueIndex value) {
    return make_error(error_text("value-of-unknown-type"), "partition",
                      {graph.values[value].name, graph.nodes[graph.values[value].producer].name});
}

}  // namespace

std::string instance_name(std::int32_t instance) {
    return instance == data_unit ? "the data unit" : "stage " + std::to_string(instance);
}

std::vector<bool> values_with_gradient(const Graph& graph) {
    std::vector<bool> result(graph.values.size(), false);
    for (const auto& initializer : graph.initializers)
        if (initializer.trainable && graph::is_floating(graph.values[initializer.value].dtype))
            result[initializer.value] = true;
    for (const auto& node : graph.nodes) {  // canonical order: producers come first
        const bool reached = std::any_of(node.inputs.begin(), node.inputs.end(),
                                         [&](ValueIndex input) { return input != graph::no_value && result[input]; });
        if (!reached) continue;
        for (const ValueIndex output : node.outputs)
            if (output != graph::no_value && graph::is_floating(graph.values[output].dtype)) result[output] = true;
    }
    return result;
}

std::int32_t segment_of(const Partition& partition, NodeIndex node) {
    std::size_t s = 0;
    while (s + 1 < partition.segments.size() &&
           !std::binary_search(partition.segments[s].nodes.begin(), partition.segments[s].nodes.end(), node))
        ++s;
    return static_cast<std::int32_t>(s);
}

std::vector<std::int32_t> depths(const Partition& partition) {
    std::vector<std::vector<std::int32_t>> successors(partition.segments.size());
    for (const Edge& edge : partition.edges)
        if (edge.from != data_unit) successors[edge.from].push_back(edge.to);
    std::vector<std::int32_t> result(partition.segments.size(), 0);
    for (std::size_t s = result.size(); s-- > 0;)  // every edge leads to a later segment
        for (const std::int32_t next : successors[s]) result[s] = std::max(result[s], result[next] + 1);
    return result;
}

Result<Partition> make_partition(const Graph& graph, std::vector<Segment> segments) {
    DIVISI_ASSIGN(const std::vector<std::int32_t> segment_of, assign(graph, segments));
    for (Segment& segment : segments) std::sort(segment.nodes.begin(), segment.nodes.end());
    const std::vector<bool> has_gradient = values_with_gradient(graph);

    Partition partition;
    for (ValueIndex value = 0; value < static_cast<ValueIndex>(graph.values.size()); ++value) {
        const auto& described = graph.values[value];
        const std::vector<std::int32_t> consumers = consumer_segments(graph, value, segment_of);
        if (described.initializer >= 0) {
            const bool trainable = graph.initializers[described.initializer].trainable;
            if (trainable && consumers.size() > 1)
                partition.shared_weights.push_back({described.initializer, consumers});
            continue;
        }
        const bool from_data = described.producer == graph::no_node;
        std::int32_t from = from_data ? data_unit : segment_of[described.producer];
        for (const std::int32_t to : consumers) {
            if (to == from) continue;
            if (to < from) return backwards(graph, value, from, to);
            if (!from_data && described.dtype == graph::DType::undefined) return untyped(graph, value);
            partition.edges.push_back({value, from, to, !from_data && has_gradient[value]});
            if (!from_data) from = to;  // relayed: this segment sends the value to its next consumer
        }
    }
    std::sort(partition.shared_weights.begin(), partition.shared_weights.end(),
              [](const auto& a, const auto& b) { return a.initializer < b.initializer; });
    partition.segments = std::move(segments);
    return partition;
}

}  // namespace divisi::plan
