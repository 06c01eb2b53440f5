// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// Returns why no kernel supports this form of a supported operator; empty if a kernel supports it. The reason may be
/// its attributes, the element types known so far, or its inputs and outputs. The text is a phrase that continues
/// "operator X ".
std::optional<std::string> refused_form(const Graph& graph, const Node& node);

}  // namespace divisi::graph
