// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <string>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// Reads one attribute; takes tensor data out of `proto`. Sub-graphs come out as their operators' names only.
/// unsupported for sparse tensors, types and lists of tensors or graphs. `where` names file and node.
Result<graph::Attribute> read_attribute(::onnx::AttributeProto& proto, const std::string& where);

/// Fails (unsupported) on a sub-graph, of which a graph keeps too little to write it again.
Result<void> write_attribute(const std::string& name, const graph::Attribute& attribute, const std::string& where,
                             ::onnx::AttributeProto& proto);

/// The value of a Constant node, from whichever of its attributes holds it.
Result<graph::HostTensor> read_constant(::onnx::NodeProto& node, const std::string& where);

}  // namespace divisi::onnx
