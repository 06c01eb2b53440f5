// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "app/model/documents/loaded_model.h"

namespace divisi::testing {

/// Returns the graph x -> Gemm -> Gemm -> ... with trainable weights of `width` x `width`, named "/stack/<i>/Gemm".
inline graph::Graph chain(int length, std::int64_t width = 8) {
    graph::Graph graph;
    graph.name = "chain";
    const graph::Shape row{{4, ""}, {width, ""}};
    graph::ValueIndex at = graph.add_value("x", graph::DType::float32, row);
    graph.inputs = {at};
    for (int i = 0; i < length; ++i) {
        const std::string scope = "/stack/" + std::to_string(i);
        graph::Initializer weight;
        weight.random = graph::RandomInit{graph::RandomInit::Kind::normal, 0.02};
        weight.trainable = true;
        const graph::ValueIndex w =
            graph.add_initializer(scope + "/weight", weight, graph::DType::float32, {{width, ""}, {width, ""}});
        const graph::ValueIndex y = graph.add_value(scope + "/y", graph::DType::float32, row);
        graph.add_node({scope + "/Gemm", "Gemm", "", {at, w}, {y}, {}});
        at = y;
    }
    graph.outputs = {at};
    if (!graph.canonicalize().ok()) std::abort();
    return graph;
}

inline model::ModelPtr chain_model(int length) {
    return std::make_shared<const model::LoadedModel>(chain(length), model::ModelSource{});
}

/// Returns `scopes` consecutive scopes, each a chain of `each` operators named "/stack/<scope>/Gemm<i>".
inline graph::Graph scoped_chain(int scopes, int each) {
    graph::Graph graph = chain(scopes * each);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const std::size_t count = static_cast<std::size_t>(each);
        graph.nodes[i].name = "/stack/" + std::to_string(i / count) + "/Gemm" + std::to_string(i % count);
    }
    return graph;
}

/// Returns repeated residual blocks of three operators, so that edges skip rows. There are 3 * `blocks` operators
/// without scopes.
inline graph::Graph residual(int blocks) {
    graph::Graph graph;
    graph.name = "residual";
    const graph::Shape row{{4, ""}, {8, ""}};
    graph::ValueIndex at = graph.add_value("x", graph::DType::float32, row);
    graph.inputs = {at};
    for (int i = 0; i < blocks; ++i) {
        const std::string prefix = "block" + std::to_string(i) + "_";
        graph::Initializer weight;
        weight.random = graph::RandomInit{graph::RandomInit::Kind::normal, 0.02};
        weight.trainable = true;
        const graph::ValueIndex w =
            graph.add_initializer(prefix + "w", weight, graph::DType::float32, {{8, ""}, {8, ""}});
        const graph::ValueIndex a = graph.add_value(prefix + "a", graph::DType::float32, row);
        const graph::ValueIndex b = graph.add_value(prefix + "b", graph::DType::float32, row);
        const graph::ValueIndex c = graph.add_value(prefix + "c", graph::DType::float32, row);
        graph.add_node({prefix + "MatMul", "MatMul", "", {at, w}, {a}, {}});
        graph.add_node({prefix + "Relu", "Relu", "", {a}, {b}, {}});
        graph.add_node({prefix + "Add", "Add", "", {at, b}, {c}, {}});
        at = c;
    }
    graph.outputs = {at};
    if (!graph.canonicalize().ok()) std::abort();
    return graph;
}

}  // namespace divisi::testing
