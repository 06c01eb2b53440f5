// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::plan {

/// A convex set of operators that run as one unit. Its number is its position in Partition::segments.
struct Segment {
    std::vector<graph::NodeIndex> nodes;  ///< ascending, i.e. canonical order
};

inline constexpr std::int32_t data_unit = -1;  ///< `from` of an edge fed by the data unit

/// Returns "the data unit", or "stage 3", for messages.
std::string instance_name(std::int32_t instance);

/// One value sent between two segments. A value with one later consumer segment is sent there directly. A value with
/// several consumer segments is relayed along these segments in ascending order. Its gradient returns along the same
/// path, so that contributions are added last consumer first (design, section 5). Graph inputs go from the data unit
/// directly to every consumer.
struct Edge {
    graph::ValueIndex value = graph::no_value;
    std::int32_t from = data_unit;
    std::int32_t to = 0;
    bool gradient = false;  ///< a gradient flows back: the value is floating and depends on a trainable weight
    bool operator==(const Edge&) const = default;
};

/// A trainable weight used in more than one segment. Each segment holds a replica. In every step, the gradients of the
/// individual uses are exchanged and summed last use first, so that all replicas stay bit-identical.
struct SharedWeight {
    std::int32_t initializer = -1;
    std::vector<std::int32_t> segments;  ///< ascending
};

struct Partition {
    std::vector<Segment> segments;
    std::vector<Edge> edges;
    std::vector<SharedWeight> shared_weights;
};

/// Derives edges and shared weights. Edges are ordered by value, then by `to`. Fails if a node is in no segment or in
/// two, or if the segments are not acyclic in ascending order; the message names the operator or edge.
Result<Partition> make_partition(const graph::Graph& graph, std::vector<Segment> segments);

/// Returns the segment that holds a node. Every node has a segment after make_partition().
std::int32_t segment_of(const Partition& partition, graph::NodeIndex node);

/// Returns, for each segment, the number of edges on the longest path from it to a segment without a successor. In a
/// chain, this is the number of segments after it.
std::vector<std::int32_t> depths(const Partition& partition);

/// Returns, for each value, whether it is floating and derived from a trainable weight through floating values only.
/// `graph` must be canonical.
std::vector<bool> values_with_gradient(const graph::Graph& graph);

}  // namespace divisi::plan
