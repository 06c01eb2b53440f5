// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/model_writer.h"

#include "backend/onnx/attributes.h"
#include "backend/onnx/error_texts.h"
#include "backend/onnx/model_reader.h"

namespace divisi::onnx {
namespace {

using graph::DType;
using graph::Graph;
using graph::no_value;
using graph::ValueIndex;

/// Returns the oldest IR version whose specification lists the opset (onnx/docs/Versioning.md), but at least 8. From IR
/// version 4 on, initializers need not be listed as inputs.
std::int64_t ir_version_for(std::int64_t opset) {
    if (opset >= 23) return 11;
    if (opset >= 21) return 10;
    if (opset >= 19) return 9;
    return 8;
}

/// Writes a bound dimension by its symbol, since the model still runs with any size. If `both` is set, writes size and
/// symbol.
void write_type(const graph::Value& value, bool both, ::onnx::ValueInfoProto& proto) {
    proto.set_name(value.name);
    if (value.dtype == DType::undefined) return;
    auto& tensor = *proto.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(static_cast<std::int32_t>(value.dtype));
    if (!value.shape) return;
    auto& shape = *tensor.mutable_shape();
    for (const graph::Dim& dim : *value.shape) {
        auto& written = *shape.add_dim();
        if (both && dim.known() && !dim.symbol.empty()) {
            written.set_dim_value(dim.size);
            written.set_denotation(std::string(symbol_denotation) + dim.symbol);
        } else if (!dim.symbol.empty()) {
            written.set_dim_param(dim.symbol);
        } else if (dim.known()) {
            written.set_dim_value(dim.size);
        }
    }
}

Result<void> write_boundary(const Graph& graph, ValueIndex index, const char* kind, bool both,
                            ::onnx::ValueInfoProto& proto) {
    const auto& value = graph.values[index];
    if (value.dtype == DType::undefined)
        return make_error(error_text("value-has-no-type"), std::string(kind) + " '" + value.name + "'");
    write_type(value, both, proto);
    return {};
}

Result<void> write_node(const Graph& graph, const graph::Node& node, ::onnx::NodeProto& proto) {
    proto.set_name(node.name);
    proto.set_op_type(node.op_type);
    proto.set_domain(node.domain);
    for (const ValueIndex input : node.inputs)
        proto.add_input(input == no_value ? std::string() : graph.values[input].name);
    for (const ValueIndex output : node.outputs)
        proto.add_output(output == no_value ? std::string() : graph.values[output].name);
    for (const auto& [name, attribute] : node.attributes)
        DIVISI_TRY(write_attribute(name, attribute, "node '" + node.name + "'", *proto.add_attribute()));
    return {};
}

}  // namespace

Result<::onnx::ModelProto> build_model(const Graph& graph, const WriteOptions& options) {
    ::onnx::ModelProto model;
    model.set_ir_version(ir_version_for(graph.opset));
    model.set_producer_name("divisi");
    auto& standard = *model.add_opset_import();
    standard.set_domain("");
    standard.set_version(graph.opset);
    for (const auto& [domain, version] : graph.other_opsets) {
        auto& import = *model.add_opset_import();
        import.set_domain(domain);
        import.set_version(version);
    }
    auto& proto = *model.mutable_graph();
    proto.set_name(graph.name.empty() ? "model" : graph.name);
    for (const auto& node : graph.nodes) DIVISI_TRY(write_node(graph, node, *proto.add_node()));
    for (const ValueIndex input : graph.inputs)
        DIVISI_TRY(write_boundary(graph, input, "input", options.all_values, *proto.add_input()));
    for (const ValueIndex output : graph.outputs)
        DIVISI_TRY(write_boundary(graph, output, "output", options.all_values, *proto.add_output()));
    if (options.all_values)
        for (const auto& value : graph.values) write_type(value, true, *proto.add_value_info());
    for (std::size_t i = 0; i < graph.initializers.size(); ++i) {
        const auto& value = graph.values[graph.initializers[i].value];
        auto& tensor = *proto.add_initializer();
        tensor.set_name(value.name);
        tensor.set_data_type(static_cast<std::int32_t>(value.dtype));
        for (const graph::Dim& dim : value.shape.value_or(graph::Shape{})) tensor.add_dims(dim.size);
        DIVISI_TRY(options.write_initializer(i, tensor));
    }
    return model;
}

}  // namespace divisi::onnx
