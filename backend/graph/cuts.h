// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::graph {

/// Describes the boundary after one node of the canonical order.
struct CutPosition {
    /// bytes of all values that cross the boundary, each counted once, for the batch bound in the shapes
    std::int64_t forward_bytes = 0;
    std::int64_t backward_bytes = 0;  ///< bytes of gradients sent back, for floating values that depend on a weight
    std::int32_t values = 0;          ///< number of crossing values
    bool exact = true;                ///< false if a crossing value has an unknown size, which counts as 0 bytes
    bool legal = false;
};

/// All cut positions of a canonical graph, found in one sweep: O(nodes + edges).
///
/// Every prefix of the canonical order gives acyclic segments. A position is legal if three conditions hold: its node
/// works on data, both sides contain computation, and a value that may carry a gradient crosses the cut. Constants and
/// shape arithmetic (see Role) do not count as work on data. A constant sub-expression
/// (Role::constant) belongs to its first consumer wherever the file lists it; `home` has its effective position. Graph
/// inputs do not cross a cut: the data unit sends them straight to their consumers.
struct CutList {
    std::vector<CutPosition> positions;  ///< positions[i] is the boundary after node i; one per node
    std::vector<NodeIndex> legal;        ///< ascending; an integer cut is an index into this list
    std::vector<NodeIndex> home;         ///< for each node, the position that determines its segment (>= its own index)

    /// Returns the index into `legal` of the legal position nearest to `after`, the earlier one if two are equally
    /// near. Returns -1 if there is none.
    std::int32_t nearest(NodeIndex after) const;
};

CutList find_cuts(const Graph& graph);

/// Returns the index into `cuts.legal` of a cut given as a node's name or as an index. Fails with not_found for an
/// index out of range or an unknown name (the message lists the most similar names). Fails with invalid_input for a
/// position that is not legal (the message lists the nearest legal ones).
Result<std::int32_t> find_cut(const Graph& graph, const CutList& cuts, std::string_view name_or_index);

/// Returns the nodes of each segment, ascending, for cuts given as indices into `cuts.legal`. Fails (invalid_input) if
/// the cuts are not strictly ascending.
Result<std::vector<std::vector<NodeIndex>>> segment_nodes(const Graph& graph, const CutList& cuts,
                                                          std::span<const std::int32_t> chosen);

}  // namespace divisi::graph
