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

/// What a reading needs besides the bytes.
struct ReadContext {
    std::string where;                  ///< file, for messages
    std::shared_ptr<const void> owner;  ///< holds the scanned bytes alive
    ExternalFiles* external = nullptr;  ///< null: external data is refused
    bool keep_value_types = false;      ///< take order and types of all values from value_info (skeletons)

    /// Given first refusal of each initializer; true when it filled in the initializer itself.
    std::function<Result<bool>(const ::onnx::TensorProto&, graph::Initializer&)> take_initializer;
};

/// Parses what scan_model() left.
Result<::onnx::ModelProto> parse_structure(const std::string& structure, const std::string& where);

/// Turns a model into a canonical graph: functions inlined, Constant nodes made initializers, every value
/// and node uniquely named. Nothing trains yet; `constants`, when given, receives the positions of the
/// initializers that were Constant nodes.
Result<graph::Graph> read_model(::onnx::ModelProto& model, const ScannedModel& scanned, const ReadContext& context,
                                std::vector<std::int32_t>* constants = nullptr);

}  // namespace divisi::onnx
