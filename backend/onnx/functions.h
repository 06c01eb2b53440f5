// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/onnx/opset.h"

namespace divisi::onnx {

/// Limit for the nodes and function calls that inlining processes: twenty times today's largest graphs. Only nested
/// function calls that were written to exhaust memory exceed this limit.
inline constexpr std::size_t node_limit = 250'000;
inline constexpr int function_depth_limit = 64;

/// Returns the nodes of the main graph with every call of a model-local function replaced by the function's body,
/// recursively. Inner nodes and values are named "call/inner". Moves the nodes out of `model`. Operator sets that only
/// functions import are added to `opsets`.
Result<std::vector<::onnx::NodeProto>> inline_functions(::onnx::ModelProto& model, Opsets& opsets,
                                                        const std::string& where);

}  // namespace divisi::onnx
