// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <QTemporaryDir>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

/// Writes models for tests, valid or invalid, without the importer's own code.
namespace divisi::onnx::testing {

class ModelBuilder {
public:
    explicit ModelBuilder(std::int64_t opset = 17, std::int64_t ir_version = 8) {
        model.set_ir_version(ir_version);
        auto* import = model.add_opset_import();
        import->set_domain("");
        import->set_version(opset);
        graph().set_name("test");
    }

    ::onnx::GraphProto& graph() { return *model.mutable_graph(); }

    static void set_type(::onnx::ValueInfoProto& value, const std::string& name, const std::vector<std::string>& dims,
                         int type = ::onnx::TensorProto::FLOAT) {
        value.set_name(name);
        auto* tensor = value.mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(type);
        auto* shape = tensor->mutable_shape();
        for (const auto& dim : dims) {
            if (!dim.empty() && (std::isdigit(static_cast<unsigned char>(dim[0])) != 0 || dim[0] == '-'))
                shape->add_dim()->set_dim_value(std::stoll(dim));
            else shape->add_dim()->set_dim_param(dim);
        }
    }
    ModelBuilder& input(const std::string& name, const std::vector<std::string>& dims,
                        int type = ::onnx::TensorProto::FLOAT) {
        set_type(*graph().add_input(), name, dims, type);
        return *this;
    }
    ModelBuilder& output(const std::string& name, const std::vector<std::string>& dims = {}) {
        set_type(*graph().add_output(), name, dims);
        if (dims.empty()) graph().mutable_output(graph().output_size() - 1)->mutable_type()->Clear();
        return *this;
    }
    ::onnx::TensorProto& weight(const std::string& name, const std::vector<std::int64_t>& dims, float first = 0.5F) {
        auto& tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(::onnx::TensorProto::FLOAT);
        std::int64_t count = 1;
        for (const auto dim : dims) {
            tensor.add_dims(dim);
            count *= dim;
        }
        std::vector<float> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<float>(i);
        tensor.set_raw_data(values.data(), values.size() * sizeof(float));
        return tensor;
    }
    ::onnx::TensorProto& integers(const std::string& name, const std::vector<std::int64_t>& values) {
        auto& tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(::onnx::TensorProto::INT64);
        tensor.add_dims(static_cast<std::int64_t>(values.size()));
        for (const auto value : values) tensor.add_int64_data(value);
        return tensor;
    }
    ::onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                            const std::vector<std::string>& outputs, const std::string& name = "") {
        auto& added = *graph().add_node();
        fill(added, op, inputs, outputs, name);
        return added;
    }
    static void fill(::onnx::NodeProto& node, const std::string& op, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, const std::string& name = "") {
        node.set_op_type(op);
        if (!name.empty()) node.set_name(name);
        for (const auto& value : inputs) node.add_input(value);
        for (const auto& value : outputs) node.add_output(value);
    }
    static void attribute(::onnx::NodeProto& node, const std::string& name, std::int64_t value) {
        auto& added = *node.add_attribute();
        added.set_name(name);
        added.set_type(::onnx::AttributeProto::INT);
        added.set_i(value);
    }

    std::string bytes() const { return model.SerializeAsString(); }

    ::onnx::ModelProto model;
};

/// x [batch, 4] -> Gemm(w1, b1) -> Relu -> Gemm(w2, b2) -> y [batch, 3]
inline ModelBuilder mlp(std::int64_t opset = 17) {
    ModelBuilder builder(opset);
    builder.input("x", {"batch", "4"}).output("y", {"batch", "3"});
    builder.weight("w1", {4, 8});
    builder.weight("b1", {8});
    builder.weight("w2", {8, 3});
    builder.weight("b2", {3});
    builder.node("Gemm", {"x", "w1", "b1"}, {"h"}, "/fc1/Gemm");
    builder.node("Relu", {"h"}, {"a"}, "/Relu");
    builder.node("Gemm", {"a", "w2", "b2"}, {"y"}, "/fc2/Gemm");
    return builder;
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::span<const std::byte> as_span(const std::string& bytes) {
    return std::as_bytes(std::span<const char>(bytes.data(), bytes.size()));
}

}  // namespace divisi::onnx::testing
