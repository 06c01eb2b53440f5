// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// Describes what a node's outputs depend on. The role determines where a cut makes sense and which nodes may move to
/// their consumer.
enum class Role : std::uint8_t {
    constant,  ///< depends only on initializers, e.g. Constant, a transposed weight, a Gather of constant positions
    shape,     ///< depends on initializers and on shapes of other values, e.g. Shape -> Gather -> Concat
    view,      ///< depends on data, which the node only renames, reorders or converts (Reshape, Transpose, Cast, ...)
    compute,   ///< depends on data, from which the node computes new values
};

/// Returns the role of each node of a canonical graph in linear time.
std::vector<Role> node_roles(const Graph& graph);

/// Returns, for each value, whether a trainable weight needs its gradient: true for floating trainable initializers and
/// floating values computed from them. Linear time.
std::vector<bool> needs_gradient(const Graph& graph);

}  // namespace divisi::graph
