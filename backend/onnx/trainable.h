// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/onnx/shared_initializers.h"

namespace divisi::onnx {

/// Decides which initializers of a canonical graph train, since ONNX does not say. An initializer trains if it is
/// floating, was not a Constant node, is not frozen, and has a use that can carry a gradient. The uses are:
/// - never: running mean and variance, scales and sizes of Resize, bounds of Clip, pad values, ratios, ...;
/// - surely: weights and biases of convolutions and products, and tables that Gather looks up;
/// - mostly: weights and biases of normalizations, except ones and zeros with an exporter's name. Exporters add such
///   tensors if the model has no weight or bias there (affine=False);
/// - unclear (Add, Mul, Concat, ...): a weight and a folded constant look alike. A tensor then counts as a constant
///   in three cases: it has an exporter's name ("val_12", "onnx::Add_7", "/layers/0/Constant_output_0"), it is a
///   scalar without a module path in its name, or it holds a mask (an element of -10,000 or less).
///
/// Uses are followed through Identity, Transpose, Reshape, Cast and similar operators. Initializers listed in `trained`
/// train if they are floating, unless `frozen` lists them too. Both lists take names, or prefixes ending in '*'. Fails
/// (invalid_input) on an entry that matches no initializer.
Result<void> mark_trainable(graph::Graph& graph, std::span<const std::int32_t> constants, const Origins& origins,
                            const std::vector<std::string>& frozen, const std::vector<std::string>& trained);

}  // namespace divisi::onnx
