// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// The operator with which fuse_attention() replaces an attention. It belongs to Divisi's own domain and never appears
/// in a model file.
///
///     softmax(scale * query * keys + bias, with `fill` where the condition masks a score) * values
///
/// Inputs: query [..., L, D], keys [..., D, S] (already transposed), values [..., S, E]. Two optional inputs follow: a
/// bias that is added to the scores and a boolean condition. Both have a shape that broadcasts to [..., L, S]. Tensors
/// have three or four dimensions.
///
/// Attributes:
/// - scale: the factor of the scores.
/// - causal = 1: bias and condition only state that row i sees columns 0 to i.
/// - fill, with a condition: the score of a masked element.
/// - keep, with a condition: 1 if true means "seen", 0 if true means "not seen".
/// - safe = 1: a row that sees no column gives 0. Otherwise such a row gives 0 or NaN, depending on LibTorch's version.
inline constexpr std::string_view attention_domain = "divisi";
inline constexpr std::string_view attention_type = "Attention";

enum class AttentionInput : std::size_t { query, keys, values, bias, condition };

bool is_attention(const Node& node);

/// Replaces every product-softmax-product of a canonical graph by one attention node and returns how many were
/// replaced. The new node keeps the name and the output of the last product. It cannot be cut, is priced as one
/// operator, and runs without holding all scores if LibTorch supports this.
///
/// An attention is left unchanged if an intermediate value has other readers, its bias is trained, its shapes are
/// unknown, or the fused operator cannot represent it exactly. Shapes must be inferred first. Initializers keep their
/// positions; other values and nodes do not.
std::size_t fuse_attention(Graph& graph);

}  // namespace divisi::graph
