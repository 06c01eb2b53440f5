// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// For each initializer the position of the one whose name stands for it in `frozen` lists: its own, but for
/// a copy that has no name of its own that of the original.
using Origins = std::vector<std::int32_t>;

/// Exporters store equal tensors once. That is right for inference and wrong for training: in a fresh model
/// every bias is the same zeros and every scale the same ones, and they would stay tied. This gives each use
/// an initializer of its own again (sharing the bytes) where sharing can only be an exporter's doing:
/// - running mean and variance of BatchNormalization, which are written to;
/// - scales and biases: rank 1, more than one element, all elements equal.
/// Tied embeddings and the like stay tied. A copy is named by the Identity node's output that PyTorch leaves
/// in its place ("layers.3.norm.bias"; the Identity goes), else "<initializer>@<node>". `constants` are the
/// positions of former Constant nodes, which do not train. Canonical before and after.
Result<Origins> separate_shared_initializers(graph::Graph& graph, std::span<const std::int32_t> constants);

}  // namespace divisi::onnx
