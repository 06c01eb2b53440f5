// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::plan::test {

/// Builds small graphs by hand; every value is float32 [batch, width] unless stated otherwise.
class GraphBuilder {
public:
    static constexpr std::int64_t batch = 4;
    static constexpr std::int64_t width = 8;

    graph::ValueIndex input(const std::string& name, graph::DType dtype = graph::DType::float32) {
        const auto value = graph.add_value(name, dtype, shape({batch, width}));
        graph.inputs.push_back(value);
        return value;
    }
    graph::ValueIndex weight(const std::string& name, bool trainable = true) {
        graph::Initializer initializer;
        initializer.random = graph::RandomInit{};
        initializer.trainable = trainable;
        return graph.add_initializer(name, std::move(initializer), graph::DType::float32, shape({width, width}));
    }
    graph::ValueIndex op(const std::string& type, const std::string& name, std::vector<graph::ValueIndex> inputs,
                         graph::DType dtype = graph::DType::float32) {
        const auto output = graph.add_value(name + "_out", dtype, shape({batch, width}));
        graph::Node node;
        node.name = name;
        node.op_type = type;
        node.inputs = std::move(inputs);
        node.outputs = {output};
        graph.add_node(std::move(node));
        return output;
    }
    graph::Graph finish(std::vector<graph::ValueIndex> outputs) {
        graph.outputs = std::move(outputs);
        [[maybe_unused]] const auto sorted = graph.canonicalize();
        assert(sorted.ok());
        return std::move(graph);
    }
    static graph::Shape shape(const std::vector<std::int64_t>& sizes) {
        graph::Shape result;
        for (const std::int64_t size : sizes) result.push_back({size, ""});
        return result;
    }

    graph::Graph graph;
};

/// Returns x -> MatMul(w0) -> Relu -> MatMul(w1) -> Relu -> ... with two operators ("matmul_i", "relu_i") per layer.
inline graph::Graph chain(int layers) {
    GraphBuilder b;
    graph::ValueIndex x = b.input("x");
    for (int i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i);
        x = b.op("Relu", "relu_" + n, {b.op("MatMul", "matmul_" + n, {x, b.weight("w" + n)})});
    }
    return b.finish({x});
}

}  // namespace divisi::plan::test
