// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <string>
#include <vector>

#include "backend/graph/graph.h"
#include "tests/unit/base/draw.h"

namespace divisi::plan::test {

using testing::Draw;

/// Returns a network of `operators` products, activations and sums over values of unequal widths. Skips have any
/// length, and a weight is sometimes reused.
inline graph::Graph random_graph(Draw& draw, int operators) {
    static constexpr int widths[] = {16, 32, 64, 128};
    struct Known {
        graph::ValueIndex value;
        int width;
    };
    struct Weight {
        graph::ValueIndex value;
        int in, out;
    };
    graph::Graph graph;
    const std::int64_t batch = 4 << draw.below(4);
    const auto shape = [](std::int64_t rows, std::int64_t columns) { return graph::Shape{{rows, ""}, {columns, ""}}; };
    const int first_width = widths[draw.below(4)];
    std::vector<Known> known{{graph.add_value("x", graph::DType::float32, shape(batch, first_width)), first_width}};
    graph.inputs.push_back(known.front().value);
    std::vector<Weight> weights;
    const auto weight = [&](int in, int out) {
        for (const Weight& one : weights)
            if (one.in == in && one.out == out && draw.chance(5)) return one.value;
        graph::Initializer initializer;
        initializer.random = graph::RandomInit{};
        initializer.trainable = !draw.chance(5);
        const auto value = graph.add_initializer("w" + std::to_string(weights.size()), std::move(initializer),
                                                 graph::DType::float32, shape(in, out));
        weights.push_back({value, in, out});
        return value;
    };
    const auto add = [&](const std::string& type, std::vector<graph::ValueIndex> inputs, int width) {
        const std::string name = type + "_" + std::to_string(graph.nodes.size());
        const auto output = graph.add_value(name + "_out", graph::DType::float32, shape(batch, width));
        graph::Node node;
        node.name = name;
        node.op_type = type;
        node.inputs = std::move(inputs);
        node.outputs = {output};
        graph.add_node(std::move(node));
        known.push_back({output, width});
    };
    while (static_cast<int>(graph.nodes.size()) < operators) {
        const Known last = known.back();
        const int kind = draw.below(10);
        if (kind < 4 || graph.nodes.empty()) {
            const int width = widths[draw.below(4)];
            add("MatMul", {last.value, weight(last.width, width)}, width);
        } else if (kind < 8) {
            add("Relu", {last.value}, last.width);
        } else {
            const Known other = known[static_cast<std::size_t>(draw.below(static_cast<int>(known.size())))];
            if (other.width == last.width) add("Add", {last.value, other.value}, last.width);
        }
    }
    graph.outputs = {known.back().value};
    [[maybe_unused]] const auto sorted = graph.canonicalize();
    assert(sorted.ok());
    return graph;
}

}  // namespace divisi::plan::test
