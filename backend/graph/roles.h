// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// What a node's outputs depend on; decides where a cut makes sense and what may move to its consumer.
enum class Role : std::uint8_t {
    constant,  ///< on initializers only, e.g. Constant, a transposed weight, positions looked up by a Range
    shape,     ///< on initializers and on shapes of other values, e.g. Shape -> Gather -> Concat
    view,      ///< on data, which it only renames, reorders or converts (Reshape, Transpose, Cast, ...)
    compute,   ///< on data
};

/// Roles by node, for a canonical graph. Linear time.
std::vector<Role> node_roles(const Graph& graph);

/// Values, by index, whose gradient some trainable weight needs: the floating ones among the trainable
/// initializers and what is computed from them. Linear time.
std::vector<bool> needs_gradient(const Graph& graph);

}  // namespace divisi::graph
