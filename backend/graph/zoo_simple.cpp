// SPDX-License-Identifier: Apache-2.0
// Fully connected models: mlp, and multitask with one branch per head.
#include "backend/graph/zoo_builder.h"

namespace divisi::graph {

namespace {

/// Adds `layers` pairs of Gemm and Relu. Sets `in` to the width.
ValueIndex hidden_layers(ZooBuilder& b, ValueIndex x, const std::string& module, std::int64_t& in, std::int64_t width,
                         std::int64_t layers) {
    for (std::int64_t i = 0; i < layers; ++i) {
        const ZooBuilder::Scope scope(b, std::to_string(i));
        x = b.linear(x, module + "." + std::to_string(i), in, width);
        x = b.op("Relu", {x});
        in = width;
    }
    return x;
}

}  // namespace

Result<void> build_mlp(ZooBuilder& b, const ZooSizes& sizes) {
    std::int64_t in = sizes.at("inputs");
    ValueIndex x = b.input("input", DType::float32, {in});
    {
        const ZooBuilder::Scope scope(b, "layers");
        x = hidden_layers(b, x, "layers", in, sizes.at("width"), sizes.at("layers"));
    }
    const ZooBuilder::Scope scope(b, "head");
    b.output(b.linear(x, "head", in, sizes.at("classes")), "logits");
    return {};
}

Result<void> build_multitask(ZooBuilder& b, const ZooSizes& sizes) {
    std::int64_t in = sizes.at("inputs");
    const std::int64_t width = sizes.at("width");
    ValueIndex shared = b.input("input", DType::float32, {in});
    {
        const ZooBuilder::Scope scope(b, "backbone");
        shared = hidden_layers(b, shared, "backbone", in, width, sizes.at("layers"));
    }
    for (std::int64_t head = 0; head < sizes.at("heads"); ++head) {
        const std::string index = std::to_string(head);
        const ZooBuilder::Scope heads(b, "heads");
        const ZooBuilder::Scope scope(b, index);
        ValueIndex x = b.linear(shared, "heads." + index + ".0", in, width);
        x = b.op("Relu", {x});
        b.output(b.linear(x, "heads." + index + ".1", width, sizes.at("classes")), "logits_" + index);
    }
    return {};
}

}  // namespace divisi::graph
