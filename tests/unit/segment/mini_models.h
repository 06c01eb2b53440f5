// SPDX-License-Identifier: Apache-2.0
// Small models with the features that make a cut difficult, built in code for the executor's tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backend/base/hash.h"
#include "backend/graph/graph.h"

namespace divisi::test {

using graph::DType;
using graph::HostTensor;
using graph::ValueIndex;

/// A training graph with the data that a trainer needs.
struct Model {
    graph::Graph graph;
    ValueIndex loss = graph::no_value;
    std::vector<std::int64_t> input_dims;   ///< dimensions of one micro-batch
    std::int64_t vocabulary = 0;            ///< > 0: inputs are int64 tokens below this number
    std::vector<std::int64_t> target_dims;  ///< int64 labels
    std::int64_t classes = 0;
};

class Builder {
public:
    ValueIndex input(const std::string& name, DType dtype, const std::vector<std::int64_t>& dims) {
        const auto value = graph_.add_value(name, dtype, shape_of(dims));
        graph_.inputs.push_back(value);
        return value;
    }
    ValueIndex weight(const std::vector<std::int64_t>& dims, double scale = 0.3) {
        return initializer(dims, {graph::RandomInit::Kind::normal, scale}, true);
    }
    ValueIndex fill(const std::vector<std::int64_t>& dims, bool ones, bool trainable) {
        return initializer(dims, {ones ? graph::RandomInit::Kind::ones : graph::RandomInit::Kind::zeros, 1.0},
                           trainable);
    }
    ValueIndex integers(const std::vector<std::int64_t>& numbers) {
        return data(HostTensor::of(DType::int64, {static_cast<std::int64_t>(numbers.size())}, numbers));
    }
    ValueIndex scalar(float number) { return data(HostTensor::of(DType::float32, {}, std::vector<float>{number})); }
    ValueIndex truth(bool flag) {
        return data(
            HostTensor::of(DType::boolean, {}, std::vector<std::uint8_t>{flag ? std::uint8_t{1} : std::uint8_t{0}}));
    }
    std::vector<ValueIndex> nodes(const std::string& op, const std::vector<ValueIndex>& inputs, std::size_t outputs,
                                  std::map<std::string, graph::Attribute> attributes = {}) {
        graph::Node node;
        node.name = "/" + op + "_" + std::to_string(graph_.nodes.size());
        node.op_type = op;
        node.inputs = inputs;
        node.attributes = std::move(attributes);
        for (std::size_t i = 0; i < outputs; ++i)
            node.outputs.push_back(graph_.add_value(node.name + ":" + std::to_string(i), DType::float32));
        const auto results = node.outputs;
        graph_.add_node(std::move(node));
        return results;
    }
    ValueIndex node(const std::string& op, const std::vector<ValueIndex>& inputs,
                    std::map<std::string, graph::Attribute> attributes = {}) {
        return nodes(op, inputs, 1, std::move(attributes)).front();
    }
    ValueIndex shape(ValueIndex x) {
        const auto result = node("Shape", {x});
        graph_.values[result].dtype = DType::int64;
        return result;
    }
    ValueIndex linear(ValueIndex x, std::int64_t in, std::int64_t out) {
        return node("Add", {node("MatMul", {x, weight({in, out})}), weight({out}, 0.1)});
    }
    Model finish(ValueIndex loss, Model model) {
        graph_.outputs = {loss};
        if (!graph_.canonicalize()) std::abort();
        model.graph = std::move(graph_);
        model.loss = loss;
        return model;
    }

private:
    graph::Graph graph_;

    static graph::Shape shape_of(const std::vector<std::int64_t>& dims) {
        graph::Shape shape;
        for (const auto size : dims) shape.push_back({size, ""});
        return shape;
    }
    std::string fresh() const { return "w" + std::to_string(graph_.initializers.size()); }
    ValueIndex initializer(const std::vector<std::int64_t>& dims, graph::RandomInit random, bool trainable) {
        graph::Initializer described;
        described.random = random;
        described.trainable = trainable;
        return graph_.add_initializer(fresh(), std::move(described), DType::float32, shape_of(dims));
    }
    ValueIndex data(HostTensor tensor) {
        graph::Initializer described;
        const auto dtype = tensor.dtype;
        const auto dims = tensor.dims;
        described.data = std::move(tensor);
        return graph_.add_initializer(fresh(), std::move(described), dtype, shape_of(dims));
    }
};

inline ValueIndex cross_entropy(Builder& b, ValueIndex logits, const std::vector<std::int64_t>& target_dims) {
    return b.node("SoftmaxCrossEntropyLoss", {logits, b.input("target", DType::int64, target_dims)});
}

/// Builds a value with several consumers, skip connections over everything, and transposed (not contiguous) values.
inline Model skips_and_transposes() {
    Builder b;
    const auto x = b.input("x", DType::float32, {6, 16});
    const auto h = b.node("Relu", {b.linear(x, 16, 24)});
    const auto a = b.node("Tanh", {b.linear(h, 24, 24)});
    const auto c = b.node("Mul", {a, h});
    const auto d = b.node("Add", {b.linear(c, 24, 24), h});
    const auto t = b.node("Transpose", {d}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    const auto s = b.node("Sigmoid", {b.node("MatMul", {b.weight({24, 24}), t})});
    const auto u = b.node("Transpose", {s}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    const auto e = b.node("Add", {b.node("Mul", {u, h}), d});
    return b.finish(cross_entropy(b, b.linear(e, 24, 10), {6}), {{}, -1, {6, 16}, 0, {6}, 10});
}

/// Builds a value that six operators use, some of them twice, in branches that join in another order.
inline Model branches() {
    Builder b;
    const auto h = b.linear(b.input("x", DType::float32, {6, 16}), 16, 24);
    const auto soft = b.node("Softsign", {h});
    const auto square = b.node("Mul", {h, h});
    const auto tanh = b.node("Tanh", {b.linear(h, 24, 24)});
    const auto t = b.node("Transpose", {h}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    const auto turned = b.node("Sigmoid", {b.node("MatMul", {b.weight({24, 24}), t})});
    const auto back = b.node("Transpose", {turned}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    const auto a = b.node("Add", {b.node("Mul", {soft, back}), b.node("Erf", {h})});
    const auto c = b.node("Sum", {square, tanh, h, soft});
    const auto e = b.node("Add", {b.node("Mul", {a, c}), b.node("Mul", {square, a})});
    return b.finish(cross_entropy(b, b.linear(e, 24, 10), {6}), {{}, -1, {6, 16}, 0, {6}, 10});
}

/// Builds one embedding table, read by a Gather at the start and, transposed, as the output projection.
inline Model tied_embedding() {
    Builder b;
    const auto tokens = b.input("x", DType::int64, {4, 5});
    const auto table = b.weight({12, 16});
    const auto x = b.node("Gather", {table, tokens}, {{"axis", std::int64_t{0}}});
    const auto h = b.node("Tanh", {b.linear(x, 16, 16)});
    const auto k = b.node("Add", {b.linear(h, 16, 16), x});
    const auto t = b.node("Transpose", {table}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    const auto logits = b.node("Reshape", {b.node("MatMul", {k, t}), b.integers({-1, 12})});
    return b.finish(cross_entropy(b, logits, {20}), {{}, -1, {4, 5}, 12, {20}, 12});
}

inline ValueIndex conv_norm(Builder& b, ValueIndex x, std::int64_t in, std::int64_t out) {
    const auto y =
        b.node("Conv", {x, b.weight({out, in, 3, 3}, 0.2)},
               {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}, {"kernel_shape", std::vector<std::int64_t>{3, 3}}});
    return b
        .nodes("BatchNormalization",
               {y, b.fill({out}, true, true), b.fill({out}, false, true), b.fill({out}, false, false),
                b.fill({out}, true, false)},
               3, {{"training_mode", std::int64_t{1}}, {"momentum", 0.9F}})
        .front();
}

/// Builds a small residual network: convolutions, batch normalization with running statistics, a skip connection.
inline Model residual_convolutions() {
    Builder b;
    const auto x = b.input("x", DType::float32, {3, 2, 8, 8});
    const auto h = b.node("Relu", {conv_norm(b, x, 2, 6)});
    const auto r = b.node("Relu", {conv_norm(b, h, 6, 6)});
    const auto s = b.node("Relu", {b.node("Add", {conv_norm(b, r, 6, 6), h})});
    const auto pooled = b.node("Flatten", {b.node("GlobalAveragePool", {s})});
    return b.finish(cross_entropy(b, b.linear(pooled, 6, 5), {3}), {{}, -1, {3, 2, 8, 8}, 0, {3}, 5});
}

/// Builds Split, Concat and ReduceSum, whose values or gradients have gaps or overlaps, and Dropout.
inline Model slices_and_dropout() {
    Builder b;
    const auto x = b.input("x", DType::float32, {6, 16});
    const auto parts = b.nodes("Split", {b.linear(x, 16, 32), b.integers({16, 16})}, 2, {{"axis", std::int64_t{1}}});
    const auto gated = b.node("Mul", {b.node("Sigmoid", {parts[0]}), b.node("Tanh", {parts[1]})});
    const auto dropped = b.node("Dropout", {gated, b.scalar(0.4F), b.truth(true)});
    const auto wide =
        b.node("Concat", {b.node("Tanh", {dropped}), b.node("Erf", {gated}), x}, {{"axis", std::int64_t{1}}});
    const auto h = b.node("Tanh", {b.linear(wide, 48, 16)});
    const auto total = b.node("ReduceSum", {b.node("Erf", {b.node("Mul", {h, gated})}), b.integers({1})},
                              {{"keepdims", std::int64_t{1}}});
    const auto logits = b.linear(b.node("Add", {h, total}), 16, 7);
    return b.finish(cross_entropy(b, logits, {6}), {{}, -1, {6, 16}, 0, {6}, 7});
}

/// Builds a model that needs only the shape of the first value at the end, as in exported group normalizations.
inline Model shape_at_the_end() {
    Builder b;
    const auto x = b.input("x", DType::float32, {6, 16});
    const auto h = b.linear(x, 16, 24);
    const auto halves = b.node("Tanh", {b.node("Reshape", {h, b.integers({6, 2, 12})})});
    const auto whole = b.node("Sigmoid", {b.node("Reshape", {halves, b.shape(h)})});
    return b.finish(cross_entropy(b, b.linear(whole, 24, 5), {6}), {{}, -1, {6, 16}, 0, {6}, 5});
}

/// Returns the inputs of one micro-batch by value, the same for every split.
inline std::map<ValueIndex, HostTensor> sample(const Model& model, std::int64_t step, std::int64_t microbatch) {
    const auto key = mix(mix(77, static_cast<std::uint64_t>(step)), static_cast<std::uint64_t>(microbatch));
    const auto count = [](const std::vector<std::int64_t>& dims) {
        std::int64_t product = 1;
        for (const auto size : dims) product *= size;
        return product;
    };
    const auto labels = [&](const std::vector<std::int64_t>& dims, std::int64_t below, std::uint64_t salt) {
        std::vector<std::int64_t> numbers;
        for (std::int64_t i = 0; i < count(dims); ++i)
            numbers.push_back(static_cast<std::int64_t>(mix(key ^ salt, static_cast<std::uint64_t>(i)) %
                                                        static_cast<std::uint64_t>(below)));
        return HostTensor::of(DType::int64, dims, numbers);
    };
    std::map<ValueIndex, HostTensor> values;
    for (const ValueIndex input : model.graph.inputs) {
        if (model.graph.values[input].name == "target") {
            values[input] = labels(model.target_dims, model.classes, 1);
        } else if (model.vocabulary > 0) {
            values[input] = labels(model.input_dims, model.vocabulary, 2);
        } else {
            std::vector<float> numbers;
            for (std::int64_t i = 0; i < count(model.input_dims); ++i)
                numbers.push_back(static_cast<float>(mix(key, static_cast<std::uint64_t>(i)) >> 40) * 0x1.0p-23F -
                                  1.0F);
            values[input] = HostTensor::of(DType::float32, model.input_dims, numbers);
        }
    }
    return values;
}

}  // namespace divisi::test
