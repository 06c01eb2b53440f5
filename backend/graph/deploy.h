// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/graph/graph.h"

namespace divisi::graph {

/// Returns the graph in its form for use after training, to be written to a file that other runtimes run:
/// - BatchNormalization and Dropout leave training mode, so that outputs follow the running statistics and
///   nothing is dropped. A Dropout whose mask is read stays unchanged.
/// - A Gelu becomes the operators of its definition (ONNX opset 20), all of which exist in opset 17. Node "x/Gelu"
///   becomes "x/Gelu/Erf" and so on.
/// - A fused attention becomes its products, its softmax and the nodes between them.
///
/// Initializers keep their positions; values and inputs are unchanged. The caller sets the opset and restores the
/// canonical order: call canonicalize(), then infer_shapes().
Graph deployable(Graph graph);

}  // namespace divisi::graph
