// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/onnx/tensor_proto.h"
#include "backend/onnx/wire_scan.h"

namespace divisi::onnx {

/// Marks, in a skeleton, the denotation of a dimension that has both a size and a symbol.
inline constexpr std::string_view symbol_denotation = "symbol:";

/// Parameters for reading a model, apart from its bytes.
struct ReadContext {
    std::string where;                  ///< file, for messages
    std::shared_ptr<const void> owner;  ///< keeps the scanned bytes alive
    ExternalFiles* external = nullptr;  ///< null: external data is refused
    bool keep_value_types = false;      ///< reads order and types of all values from value_info (skeletons)

    /// Called first for each initializer; returns true if this function has filled in the initializer.
    std::function<Result<bool>(const ::onnx::TensorProto&, graph::Initializer&)> take_initializer;
};

/// Parses the structure that scan_model() returned.
Result<::onnx::ModelProto> parse_structure(const std::string& structure, const std::string& where);

/// Turns a model into a canonical graph: inlines functions, turns Constant nodes into initializers, and gives every
/// value and node a unique name. At this stage, no initializer trains. If `constants` is given, it receives the
/// positions of the initializers that were Constant nodes.
Result<graph::Graph> read_model(::onnx::ModelProto& model, const ScannedModel& scanned, const ReadContext& context,
                                std::vector<std::int32_t>* constants = nullptr);

}  // namespace divisi::onnx
