// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::plan {

/// A convex set of operators that runs as one. Position in Partition::segments is its number.
struct Segment {
    std::vector<graph::NodeIndex> nodes;  ///< ascending, i.e. canonical order
};

inline constexpr std::int32_t data_unit = -1;  ///< `from` of an edge that the data unit feeds

/// One value on its way between two segments. A value with one later consumer segment goes straight
/// there; with several it is relayed along them in ascending order, and its gradient comes back the same
/// way, so that contributions are folded last consumer first (design, section 5). Graph inputs go from
/// the data unit straight to every consumer.
struct Edge {
    graph::ValueIndex value = graph::no_value;
    std::int32_t from = data_unit;
    std::int32_t to = 0;
    bool gradient = false;  ///< a gradient flows back (floating type and depends on a trainable weight)
    bool operator==(const Edge&) const = default;
};

/// A trainable weight used in more than one segment. Each holds a replica; per step the gradients of the single
/// uses are exchanged and summed last use first, so that all replicas stay equal to the bit.
struct SharedWeight {
    std::int32_t initializer = -1;
    std::vector<std::int32_t> segments;  ///< ascending
};

struct Partition {
    std::vector<Segment> segments;
    std::vector<Edge> edges;
    std::vector<SharedWeight> shared_weights;
};

/// Derives edges and shared weights. Fails when a node is in no or two segments, or when the segments
/// are not acyclic in ascending order; the message names the operator or edge.
/// Edges are ordered by value, then by `to`.
Result<Partition> make_partition(const graph::Graph& graph, std::vector<Segment> segments);

/// The segment that holds a node; make_partition() has put every node in one.
std::int32_t segment_of(const Partition& partition, graph::NodeIndex node);

/// By segment: edges on the longest way from it to a segment without a successor; in a chain, the number of
/// segments behind it.
std::vector<std::int32_t> depths(const Partition& partition);

/// By value: floating and derived, through floating values only, from a trainable weight.
/// `graph` must be canonical.
std::vector<bool> values_with_gradient(const graph::Graph& graph);

}  // namespace divisi::plan
