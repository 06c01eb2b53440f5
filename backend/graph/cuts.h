// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::graph {

/// The boundary after one node of the canonical order.
struct CutPosition {
    std::int64_t forward_bytes = 0;   ///< crossing values, each once, for the batch bound in the shapes
    std::int64_t backward_bytes = 0;  ///< gradients that come back: floating values that depend on a weight
    std::int32_t values = 0;          ///< how many values cross
    bool exact = true;                ///< false: a crossing value has an unknown size, counted as 0 bytes
    bool legal = false;
};

/// All positions of a canonical graph, found in one sweep: O(nodes + edges).
///
/// Every prefix of the canonical order gives acyclic segments. Legal are those after which an operator
/// could want a cut: the node works on data (constants and shape arithmetic change sides with it), both
/// sides compute something, and a value that may carry a gradient crosses. Constant sub-expressions (Role::constant)
/// belong to their first consumer, wherever the file lists them: `home` has the position that counts.
/// Graph inputs do not cross: they go from the data unit straight to their consumers.
struct CutList {
    std::vector<CutPosition> positions;  ///< positions[i] is the boundary after node i; one per node
    std::vector<NodeIndex> legal;        ///< ascending; a cut given as an integer is an index into this list
    std::vector<NodeIndex> home;         ///< node -> position that decides its segment, >= its own index

    /// Index into `legal` of the legal position nearest to `after` (the earlier of two); -1 if there is none.
    std::int32_t nearest(NodeIndex after) const;
};

CutList find_cuts(const Graph& graph);

/// Index into `cuts.legal` of a cut given as a node's name or as an index. Fails (not_found) for an unknown
/// name with the most similar names, for an index out of range, and (invalid_input) for a position that is
/// not legal with the nearest legal ones.
Result<std::int32_t> find_cut(const Graph& graph, const CutList& cuts, std::string_view name_or_index);

/// Nodes of each segment, ascending, for cuts given as indices into `cuts.legal`. Fails (invalid_input)
/// unless they are strictly ascending.
Result<std::vector<std::vector<NodeIndex>>> segment_nodes(const Graph& graph, const CutList& cuts,
                                                          std::span<const std::int32_t> chosen);

}  // namespace divisi::graph
