// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::plan {

/// Returns a list of operator names and patterns for each block, with as few entries as possible. A pattern is
/// "scope/*", or "*" for all other operators. match_operators() reads such lists. `block_of` has the block of every
/// node of the model, or -1 for a node that may join any block (constants follow their consumers). Time is proportional
/// to operators times blocks.
std::vector<std::vector<std::string>> name_operators(const graph::Graph& model,
                                                     const std::vector<std::int32_t>& block_of, std::int32_t blocks);

}  // namespace divisi::plan
