// SPDX-License-Identifier: Apache-2.0
#include <onnx/onnx_pb.h>

#include <cstdio>
#include <cstdlib>
#include <span>

#include "backend/onnx/import.h"
#include "backend/onnx/skeleton.h"
#include "tests/fuzz/fuzz.h"

namespace {

void set_input(::onnx::GraphProto& graph, const char* name, std::initializer_list<std::int64_t> dims) {
    auto& input = *graph.add_input();
    input.set_name(name);
    auto& tensor = *input.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(::onnx::TensorProto::FLOAT);
    for (const auto dim : dims) {
        auto& added = *tensor.mutable_shape()->add_dim();
        if (dim < 0) added.set_dim_param("batch");
        else added.set_dim_value(dim);
    }
}

void add_node(google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, const char* op, const char* domain,
              std::initializer_list<const char*> inputs, const char* output) {
    auto& node = *nodes.Add();
    node.set_op_type(op);
    node.set_domain(domain);
    for (const char* input : inputs) node.add_input(input);
    node.add_output(output);
}

void add_weight(::onnx::GraphProto& graph, const char* name, std::initializer_list<std::int64_t> dims, int bytes) {
    auto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(::onnx::TensorProto::FLOAT);
    for (const auto dim : dims) tensor.add_dims(dim);
    tensor.set_raw_data(std::string(static_cast<std::size_t>(bytes), '\1'));
}

::onnx::ModelProto base_model() {
    ::onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    return model;
}

/// Returns a model with shape arithmetic, a convolution, an external tensor, and a tensor large enough to stay out of
/// Protobuf.
::onnx::ModelProto shapes_model() {
    auto model = base_model();
    auto& graph = *model.mutable_graph();
    set_input(graph, "x", {-1, 4, 8, 8});
    add_weight(graph, "w", {4, 4, 3, 3}, 576);
    add_weight(graph, "big", {144, 32}, 18432);
    auto& ends = *graph.add_initializer();
    ends.set_name("ends");
    ends.set_data_type(::onnx::TensorProto::INT64);
    ends.add_dims(2);
    ends.add_int64_data(0);
    ends.add_int64_data(-1);
    auto& nodes = *graph.mutable_node();
    add_node(nodes, "Conv", "", {"x", "w"}, "c");
    add_node(nodes, "Shape", "", {"c"}, "s");
    add_node(nodes, "Gather", "", {"s", "ends"}, "g");
    add_node(nodes, "Reshape", "", {"c", "ends"}, "r");
    add_node(nodes, "MatMul", "", {"r", "big"}, "m");
    add_node(nodes, "Softmax", "", {"m"}, "y");
    graph.add_output()->set_name("y");
    return model;
}

::onnx::ModelProto function_model() {
    auto model = base_model();
    auto& import = *model.add_opset_import();
    import.set_domain("f");
    import.set_version(1);
    for (const char* name : {"inner", "outer"}) {
        auto& function = *model.add_functions();
        function.set_domain("f");
        function.set_name(name);
        function.add_input("a");
        function.add_output("b");
        function.add_opset_import()->set_version(17);
        const bool is_inner = name[0] == 'i';
        add_node(*function.mutable_node(), is_inner ? "Relu" : "inner", is_inner ? "" : "f", {"a"}, "t");
        add_node(*function.mutable_node(), is_inner ? "Tanh" : "inner", is_inner ? "" : "f", {"t"}, "b");
    }
    auto& graph = *model.mutable_graph();
    set_input(graph, "x", {2, 3});
    add_node(*graph.mutable_node(), "outer", "f", {"x"}, "y");
    graph.add_output()->set_name("y");
    return model;
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
    std::vector<std::string> seeds;
    for (const auto& model : {shapes_model(), function_model()}) {
        seeds.push_back(model.SerializeAsString());
        const auto bytes = std::as_bytes(std::span<const char>(seeds.back()));
        auto graph = divisi::onnx::import_bytes(bytes, "seed");
        if (!graph) {  // a refused seed would test nothing
            std::fprintf(stderr, "%s\n", graph.error().message().c_str());
            std::abort();
        }
        for (auto& initializer : graph->initializers) {
            initializer.data.reset();
            initializer.random = divisi::graph::RandomInit{};
        }
        seeds.push_back(divisi::onnx::encode_skeleton(*graph).value());
    }
    return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    divisi::onnx::ImportOptions options;
    if (size % 2 == 0) options.bindings = {{"batch", 3}};
    if (const auto graph = divisi::onnx::import_bytes(bytes, "fuzz", options); !graph && graph.error().what.empty())
        std::abort();
    options.check_operators = false;
    (void)divisi::onnx::import_bytes(bytes, "fuzz", options);
    (void)divisi::onnx::load_skeleton(bytes, "fuzz");
    return 0;
}
