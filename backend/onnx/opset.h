// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>

#include "backend/base/result.h"

namespace divisi::onnx {

/// Range of file format versions that can be read. Version 3 is the first version with operator sets; later versions
/// only add fields.
inline constexpr std::int64_t oldest_ir_version = 3;
inline constexpr std::int64_t newest_ir_version = 13;

using Opsets = std::map<std::string, std::int64_t>;

/// Returns the canonical name of a domain: "ai.onnx" is another spelling of "".
std::string canonical_domain(const std::string& domain);

/// Returns the operator sets of a model by domain. Refuses IR versions and ai.onnx opsets that cannot be read.
Result<Opsets> read_opsets(const ::onnx::ModelProto& model, const std::string& where);

/// Returns whether an ai.onnx operator has the same meaning under both opsets.
bool same_meaning(const std::string& op_type, std::int64_t opset, std::int64_t other);

/// Checks a node against libonnx's schema if libonnx has a schema for the node's opset: up to 17, and later
/// if the operator did not change. graph::check_operators() checks operators that later opsets added or
/// changed. For a node in a foreign domain, only the import of the domain is checked. `name` is the node's
/// unique name.
Result<void> check_form(const ::onnx::NodeProto& node, const std::string& name, const Opsets& opsets,
                        const std::string& where);

}  // namespace divisi::onnx
