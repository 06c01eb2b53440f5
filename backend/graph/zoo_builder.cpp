// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/zoo_builder.h"

#include <cmath>
#include <utility>

namespace divisi::graph {

RandomInit zeros() { return {RandomInit::Kind::zeros, 0.0}; }
RandomInit ones() { return {RandomInit::Kind::ones, 1.0}; }
RandomInit normal(double deviation) { return {RandomInit::Kind::normal, deviation}; }
RandomInit uniform(double half_width) { return {RandomInit::Kind::uniform, half_width}; }

ValueIndex ZooBuilder::input(const std::string& name, DType dtype, const std::vector<std::int64_t>& dims) {
    Shape shape{Dim{-1, "batch"}};
    for (const std::int64_t dim : dims) shape.push_back(Dim{dim, ""});
    const ValueIndex value = graph_.add_value(name, dtype, std::move(shape));
    graph_.inputs.push_back(value);
    return value;
}

ValueIndex ZooBuilder::weight(const std::string& name, const std::vector<std::int64_t>& dims, RandomInit random,
                              bool trainable) {
    Initializer initializer;
    initializer.random = random;
    initializer.trainable = trainable;
    Shape shape;
    for (const std::int64_t dim : dims) shape.push_back(Dim{dim, ""});
    return graph_.add_initializer(name, std::move(initializer), DType::float32, std::move(shape));
}

ValueIndex ZooBuilder::constant(const std::string& name, HostTensor tensor) {
    Shape shape;
    for (const std::int64_t dim : tensor.dims) shape.push_back(Dim{dim, ""});
    const DType dtype = tensor.dtype;
    Initializer initializer;
    initializer.data = std::move(tensor);
    return graph_.add_initializer(name, std::move(initializer), dtype, std::move(shape));
}

ValueIndex ZooBuilder::integers(const std::vector<std::int64_t>& values) {
    const auto known = integers_.find(values);
    if (known != integers_.end()) return known->second;
    std::string name = "sizes";
    for (const std::int64_t value : values) name += "_" + std::to_string(value);
    const ValueIndex index =
        constant(name, HostTensor::of(DType::int64, {static_cast<std::int64_t>(values.size())}, values));
    integers_.emplace(values, index);
    return index;
}

ValueIndex ZooBuilder::scalar(const std::string& name, float value) {
    return constant(name, HostTensor::of<float>(DType::float32, {}, {value}));
}

std::string ZooBuilder::fresh_node_name(const std::string& type) {
    const std::string name = path_ + "/" + type;
    const int count = used_names_[name]++;
    return count == 0 ? name : name + "_" + std::to_string(count);
}

std::vector<ValueIndex> ZooBuilder::ops(const std::string& type, std::vector<ValueIndex> inputs, std::size_t outputs,
                                        Attributes attributes) {
    Node node;
    node.name = fresh_node_name(type);
    node.op_type = type;
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (std::size_t i = 0; i < outputs; ++i)
        node.outputs.push_back(graph_.add_value(node.name + "_output_" + std::to_string(i)));
    const std::vector<ValueIndex> result = node.outputs;
    graph_.add_node(std::move(node));
    return result;
}

ValueIndex ZooBuilder::op(const std::string& type, std::vector<ValueIndex> inputs, Attributes attributes) {
    return ops(type, std::move(inputs), 1, std::move(attributes)).front();
}

void ZooBuilder::output(ValueIndex value, const std::string& name) {
    graph_.values[value].name = name;
    graph_.outputs.push_back(value);
}

ValueIndex ZooBuilder::linear(ValueIndex x, const std::string& name, std::int64_t in, std::int64_t out,
                              RandomInit weight_init, RandomInit bias_init) {
    const ValueIndex w = weight(name + ".weight", {out, in}, weight_init);
    const ValueIndex b = weight(name + ".bias", {out}, bias_init);
    return op("Gemm", {x, w, b}, {{"transB", std::int64_t{1}}});
}

ValueIndex ZooBuilder::linear(ValueIndex x, const std::string& name, std::int64_t in, std::int64_t out) {
    const RandomInit init = uniform(1.0 / std::sqrt(static_cast<double>(in)));
    return linear(x, name, in, out, init, init);
}

ValueIndex ZooBuilder::layer_norm(ValueIndex x, const std::string& name, std::int64_t width, float epsilon) {
    const ValueIndex scale = weight(name + ".weight", {width}, ones());
    const ValueIndex shift = weight(name + ".bias", {width}, zeros());
    return op("LayerNormalization", {x, scale, shift}, {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}});
}

}  // namespace divisi::graph
