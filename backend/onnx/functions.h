// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/onnx/opset.h"

namespace divisi::onnx {

/// Nodes of a model after its functions were inlined. Twenty times the largest graphs of today; what grows
/// beyond is a function that calls functions that call functions, written to exhaust memory.
inline constexpr std::size_t node_limit = 250'000;
inline constexpr int function_depth_limit = 64;

/// The nodes of the main graph with every call of a model-local function replaced by the function's body,
/// recursively. Inner nodes and values are named "call/inner". Takes the nodes out of `model`; operator sets
/// that only functions import are added to `opsets`.
Result<std::vector<::onnx::NodeProto>> inline_functions(::onnx::ModelProto& model, Opsets& opsets,
                                                        const std::string& where);

}  // namespace divisi::onnx
