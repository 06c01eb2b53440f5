// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// For each initializer, the position of the initializer whose name identifies it in `frozen` lists. This is its own
/// position or, for a copy without its own name, the position of the original.
using Origins = std::vector<std::int32_t>;

/// Undoes the sharing of equal initializers by exporters, which store equal tensors once. Sharing suits inference but
/// not training. In a new model, all biases are zeros and all scales are ones. They would be shared, and training would
/// keep them equal. Gives each use its own initializer again (sharing the bytes) where only an exporter can have
/// caused the sharing:
/// - running mean and variance of BatchNormalization, which are written to;
/// - scales and biases: rank 1, more than one element, all elements equal.
///
/// Other ties, e.g. of embeddings, are kept. PyTorch leaves an Identity node in place of a shared tensor; the copy
/// takes the name of the node's output ("layers.3.norm.bias") and the Identity node is removed. Other copies are named
/// "<initializer>@<node>". `constants` are the positions of former Constant nodes, which do not train. The graph is
/// canonical before and after.
Result<Origins> separate_shared_initializers(graph::Graph& graph, std::span<const std::int32_t> constants);

}  // namespace divisi::onnx
