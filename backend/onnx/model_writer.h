// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <functional>
#include <string>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

struct WriteOptions {
    /// Fills in one initializer. Its name, type and dims are already set.
    std::function<Result<void>(std::size_t initializer, ::onnx::TensorProto&)> write_initializer;
    /// Lists every value in order with type, size and symbol, as load_skeleton() needs it.
    bool all_values = false;
};

/// Builds the message of a canonical graph. Fails with unsupported on a node that holds a sub-graph, and with
/// invalid_input on an input or output of unknown type.
Result<::onnx::ModelProto> build_model(const graph::Graph& graph, const WriteOptions& options);

}  // namespace divisi::onnx
