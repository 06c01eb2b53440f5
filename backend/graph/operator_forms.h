// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// Why no kernel takes this form of a supported operator: its attributes, the element types known so far, or
/// which inputs and outputs it uses. Empty when one does. A phrase that continues "operator X ".
std::optional<std::string> refused_form(const Graph& graph, const Node& node);

}  // namespace divisi::graph
