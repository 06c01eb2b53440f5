// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::graph {

/// The operators that Divisi runs, one table for import, executor and messages. The executor registers a
/// kernel for each and a test holds both lists equal; here no kernel is known, so that import can name an
/// operator that cannot run without linking LibTorch.
bool is_supported_operator(std::string_view domain, std::string_view op_type);
std::vector<std::string> supported_operators();

/// Checks every node: operator known, and for attributes, types and forms that no kernel takes, why.
/// The message names the node and the operator, and what to do.
Result<void> check_operators(const Graph& graph);

}  // namespace divisi::graph
