// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::graph {

/// Returns whether Divisi can run the operator. Import, executor and messages use the same table of operators. The
/// executor registers a kernel for each operator, and a test compares the kernels with the table. This library does not
/// depend on the kernels, so import can name an unsupported operator without linking LibTorch.
bool is_supported_operator(std::string_view domain, std::string_view op_type);
std::vector<std::string> supported_operators();

/// Checks that every node's operator is known and that a kernel supports its attributes, types and form. An error names
/// the node, the operator, the reason and what to do.
Result<void> check_operators(const Graph& graph);

}  // namespace divisi::graph
