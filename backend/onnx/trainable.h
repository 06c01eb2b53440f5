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

/// Decides which initializers of a canonical graph train, since ONNX does not say. One trains when it is
/// floating, was no Constant node, is not frozen, and some use of it can carry a gradient:
/// - never: running mean and variance, scales and sizes of Resize, bounds of Clip, pad values, ratios, ...;
/// - surely: weights and biases of convolutions and products, and tables that Gather looks up;
/// - mostly: weights and biases of normalizations, but for the ones and zeros with an exporter's name that stand
///   in for those a model does not have (affine=False);
/// - elsewhere (Add, Mul, Concat, ...) a weight and a folded constant look alike. A constant is then what has
///   an exporter's name ("val_12", "onnx::Add_7", "/layers/0/Constant_output_0"), what is a scalar without a
///   module path in its name, and what holds a mask (an element of -10,000 or less).
/// Uses are followed through Identity, Transpose, Reshape, Cast and the like. Names in `trained` train
/// wherever they are floating; `frozen` wins over it. Both take names, or prefixes ending in '*'.
/// Fails (invalid_input) on an entry that matches no initializer.
Result<void> mark_trainable(graph::Graph& graph, std::span<const std::int32_t> constants, const Origins& origins,
                            const std::vector<std::string>& frozen, const std::vector<std::string>& trained);

}  // namespace divisi::onnx
