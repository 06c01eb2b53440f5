// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::graph {

/// Infers dtypes and shapes of all values of a canonical graph, in one pass, following small constant
/// tensors through shape arithmetic (Shape -> Gather -> Unsqueeze -> Concat -> Reshape). `bindings` gives sizes
/// to symbolic dimensions of the graph's inputs, by symbol ("batch") or by input and axis ("tokens.0").
///
/// What cannot be known stays unknown; a dimension that the file declares fills what inference leaves open.
/// Runs again with other bindings on the same graph: a bound dimension keeps its symbol. Fails (invalid_input)
/// on a binding that names nothing or contradicts a fixed size, and on operands that cannot fit, naming the
/// node. Attributes and inputs are read as the graph's opset defines them (9 to 23).
Result<void> infer_shapes(Graph& graph, const Bindings& bindings);

/// Dimensions of the graph's inputs that still need a size: symbols, or "input.axis" where there is none.
/// Each once, in the order of the inputs.
std::vector<std::string> open_dimensions(const Graph& graph);

}  // namespace divisi::graph
