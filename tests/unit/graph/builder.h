// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph::test {

/// Builds small graphs by name; a value is created when it is first named.
struct Builder {
    Graph graph;

    static Shape shape_of(const std::vector<std::int64_t>& dims) {
        Shape shape;
        for (const std::int64_t dim : dims) shape.push_back(Dim{dim, ""});
        return shape;
    }
    ValueIndex value(const std::string& name) {
        if (name.empty()) return no_value;
        const ValueIndex found = graph.find_value(name);
        return found != no_value ? found : graph.add_value(name);
    }
    Builder& symbolic_input(const std::string& name, Shape shape, DType dtype = DType::float32) {
        const ValueIndex index = value(name);
        graph.values[index].shape = std::move(shape);
        graph.values[index].dtype = dtype;
        graph.inputs.push_back(index);
        return *this;
    }
    Builder& input(const std::string& name, const std::vector<std::int64_t>& dims, DType dtype = DType::float32) {
        return symbolic_input(name, shape_of(dims), dtype);
    }
    Builder& weight(const std::string& name, const std::vector<std::int64_t>& dims, bool trainable = true) {
        Initializer initializer;
        initializer.random = RandomInit{};
        initializer.trainable = trainable;
        graph.add_initializer(name, std::move(initializer), DType::float32, shape_of(dims));
        return *this;
    }
    Builder& constant(const std::string& name, const std::vector<std::int64_t>& values) {
        return constant(name, HostTensor::of(DType::int64, {static_cast<std::int64_t>(values.size())}, values));
    }
    Builder& constant(const std::string& name, HostTensor tensor) {
        Initializer initializer;
        const DType dtype = tensor.dtype;
        const Shape shape = shape_of(tensor.dims);
        initializer.data = std::move(tensor);
        graph.add_initializer(name, std::move(initializer), dtype, shape);
        return *this;
    }
    Builder& node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs, std::map<std::string, Attribute> attributes = {}) {
        Node node;
        node.name = name;
        node.op_type = op;
        node.attributes = std::move(attributes);
        for (const auto& input : inputs) node.inputs.push_back(value(input));
        for (const auto& output : outputs) node.outputs.push_back(value(output));
        graph.add_node(std::move(node));
        return *this;
    }
    Builder& output(const std::string& name) {
        graph.outputs.push_back(value(name));
        return *this;
    }
};

}  // namespace divisi::graph::test
