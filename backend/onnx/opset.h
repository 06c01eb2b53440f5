// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>

#include "backend/base/result.h"

namespace divisi::onnx {

/// File format versions that are read; 3 is the first with operator sets, later ones only add fields.
inline constexpr std::int64_t oldest_ir_version = 3;
inline constexpr std::int64_t newest_ir_version = 13;

using Opsets = std::map<std::string, std::int64_t>;

/// "ai.onnx" is another spelling of "".
std::string canonical_domain(const std::string& domain);

/// The operator sets of a model by domain; refuses IR versions and ai.onnx opsets that cannot be read.
Result<Opsets> read_opsets(const ::onnx::ModelProto& model, const std::string& where);

/// Whether an ai.onnx operator means the same under both opsets.
bool same_meaning(const std::string& op_type, std::int64_t opset, std::int64_t other);

/// Checks a node against libonnx's schema where that knows the node's opset (up to 17; later opsets as long as
/// the operator did not change); what later opsets added is checked with the operators themselves
/// (graph::check_operators). A node in a foreign domain needs only its domain imported. `name` is the node's
/// unique name.
Result<void> check_form(const ::onnx::NodeProto& node, const std::string& name, const Opsets& opsets,
                        const std::string& where);

}  // namespace divisi::onnx
