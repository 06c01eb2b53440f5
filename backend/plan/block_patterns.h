// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::plan {

/// Names and patterns for each block, as match_operators() reads them back: as few as names, "scope/*" and one "*"
/// can say it with. `block_of` has the block of every node of the model, -1 for one that may go to any (constants
/// follow their consumers). Linear in operators times blocks.
std::vector<std::vector<std::string>> name_operators(const graph::Graph& model,
                                                     const std::vector<std::int32_t>& block_of, std::int32_t blocks);

}  // namespace divisi::plan
