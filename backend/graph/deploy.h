// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/graph/graph.h"

namespace divisi::graph {

/// The graph as it is used once training is over, for writing it to a file that other runtimes run:
/// - BatchNormalization and Dropout leave training mode, so that outputs follow the running statistics and
///   nothing is dropped (a mask that some node reads keeps its Dropout as it is);
/// - a Gelu becomes the operators of its definition (ONNX opset 20), which opset 17 has, node "x/Gelu" becoming
///   "x/Gelu/Erf" and so on;
/// - a fused attention becomes its products, its softmax and what is between them.
/// Initializers keep their positions; values and inputs stay as they are. Opset and canonical order are the
/// caller's: call canonicalize(), then infer_shapes().
Graph deployable(Graph graph);

}  // namespace divisi::graph
