// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <string>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// Reads one attribute and moves tensor data out of `proto`. Keeps only the operator names of sub-graphs. Fails
/// (unsupported) for sparse tensors, type attributes, and lists of tensors or graphs. `where` names file and node.
Result<graph::Attribute> read_attribute(::onnx::AttributeProto& proto, const std::string& where);

/// Writes one attribute. Fails (unsupported) on a sub-graph, since a graph does not keep the content of sub-graphs.
Result<void> write_attribute(const std::string& name, const graph::Attribute& attribute, const std::string& where,
                             ::onnx::AttributeProto& proto);

/// Returns the value of a Constant node, which may be in any of several attributes.
Result<graph::HostTensor> read_constant(::onnx::NodeProto& node, const std::string& where);

}  // namespace divisi::onnx
