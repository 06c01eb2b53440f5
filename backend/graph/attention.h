// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// The operator that fuse_attention() puts in place of an attention: of Divisi's own domain, in no file.
///
///     softmax(scale * query * keys + bias, with `fill` where the condition says so) * values
///
/// inputs: query [..., L, D], keys [..., D, S] (transposed already), values [..., S, E]; then optionally bias, added to
/// the scores, and condition (boolean), both of a shape that fits [..., L, S]. Three or four dimensions.
/// attributes: scale; causal = 1: bias and condition say that row i sees columns 0 to i, and nothing else; with a
/// condition also fill (the score of what is not seen) and keep = 1 where true means "seen", 0 where it means "not";
/// safe = 1: a row that sees nothing gives 0. Else it gives what the library makes of it, 0 or no number.
inline constexpr std::string_view attention_domain = "divisi";
inline constexpr std::string_view attention_type = "Attention";

enum class AttentionInput : std::size_t { query, keys, values, bias, condition };

bool is_attention(const Node& node);

/// Replaces every product-softmax-product of a canonical graph by one node, which keeps the name and the output of the
/// last product, and returns how many there were. Such a node cannot be cut, is priced as one operator, and runs
/// without ever holding all scores where the library can. Left as it is: an attention of which somebody reads an
/// intermediate value, whose bias is trained, whose shapes are not known, or that this form does not describe exactly.
/// Shapes must be inferred. Initializers keep their positions, other values and nodes do not.
std::size_t fuse_attention(Graph& graph);

}  // namespace divisi::graph
