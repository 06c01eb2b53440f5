// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::graph {

/// Infers dtypes and shapes of all values of a canonical graph in one pass. Follows small constant tensors through
/// shape arithmetic (Shape -> Gather -> Unsqueeze -> Concat -> Reshape). `bindings` gives sizes to symbolic dimensions
/// of the graph's inputs, by symbol ("batch") or by input and axis ("tokens.0").
///
/// Undetermined dimensions stay unknown; if inference leaves a dimension open, the declaration in the file is used. A
/// second call may use other bindings on the same graph, since a bound dimension keeps its symbol. Fails
/// (invalid_input) on a binding that names no dimension or contradicts a fixed size, and on operands that do not fit;
/// the error names the node. Reads attributes and inputs as the graph's opset defines them (9 to 23).
Result<void> infer_shapes(Graph& graph, const Bindings& bindings);

/// Returns the dimensions of the graph's inputs that still need a size: symbols, or "input.axis" if there is none. Each
/// name appears once, in the order of the inputs.
std::vector<std::string> open_dimensions(const Graph& graph);

}  // namespace divisi::graph
