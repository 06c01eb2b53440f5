// SPDX-License-Identifier: Apache-2.0
// Pre-norm transformers: gpt (Radford et al. 2019) and vit (Dosovitskiy et al. 2020).
//
// Outside the attention operators, tokens are rows of a matrix [batch * length, width], so every linear layer is one
// Gemm with its bias. No constant depends on the batch size.
#include <cmath>
#include <limits>

#include "backend/graph/error_texts.h"
#include "backend/graph/zoo_builder.h"

namespace divisi::graph {

namespace {

struct Transformer {
    std::int64_t layers, width, heads, length;
    float epsilon;
    double deviation;            ///< standard deviation of the initial weights
    double residual_deviation;   ///< standard deviation of the initial weights of the two layers that add to the
                                 ///< residual stream
    ValueIndex mask = no_value;  ///< mask of shape [length, length], added to the scores
};

Result<void> check_heads(const Transformer& t) {
    if (t.width % t.heads == 0) return {};
    return make_error(error_text("width-not-divided-by-heads"), "[model]",
                      {std::to_string(t.width), std::to_string(t.heads)});
}

/// Maps rows [batch * length, width] to rows of the same shape. One Gemm computes queries, keys and values.
ValueIndex attention(ZooBuilder& b, ValueIndex x, const std::string& module, const Transformer& t) {
    const ZooBuilder::Scope scope(b, "attn");
    const std::int64_t head = t.width / t.heads;
    const ValueIndex joined = b.linear(x, module + "attn.qkv", t.width, 3 * t.width, normal(t.deviation), zeros());
    const auto parts =
        b.ops("Split", {joined, b.integers({t.width, t.width, t.width})}, 3, {{"axis", std::int64_t{1}}});
    const auto heads = [&](ValueIndex part, std::vector<std::int64_t> order) {
        return b.op("Transpose", {b.reshape(part, {-1, t.length, t.heads, head})}, {{"perm", std::move(order)}});
    };
    ValueIndex query = heads(parts[0], {0, 2, 1, 3});
    const ValueIndex key = heads(parts[1], {0, 2, 3, 1});  // already transposed for the product
    const ValueIndex value = heads(parts[2], {0, 2, 1, 3});
    const ValueIndex scale =
        b.scalar(module + "attn.scale", static_cast<float>(1.0 / std::sqrt(static_cast<double>(head))));
    query = b.op("Mul", {query, scale});
    ValueIndex scores = b.op("MatMul", {query, key});
    if (t.mask != no_value) scores = b.op("Add", {scores, t.mask});
    const ValueIndex weights = b.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    ValueIndex y =
        b.op("Transpose", {b.op("MatMul", {weights, value})}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
    y = b.reshape(y, {-1, t.width});
    return b.linear(y, module + "attn.proj", t.width, t.width, normal(t.residual_deviation), zeros());
}

ValueIndex feed_forward(ZooBuilder& b, ValueIndex x, const std::string& module, const Transformer& t) {
    const ZooBuilder::Scope scope(b, "mlp");
    x = b.linear(x, module + "mlp.fc", t.width, 4 * t.width, normal(t.deviation), zeros());
    x = b.op("Gelu", {x});
    return b.linear(x, module + "mlp.proj", 4 * t.width, t.width, normal(t.residual_deviation), zeros());
}

ValueIndex blocks(ZooBuilder& b, ValueIndex x, const Transformer& t) {
    const ZooBuilder::Scope layers(b, "layers");
    for (std::int64_t i = 0; i < t.layers; ++i) {
        const std::string index = std::to_string(i);
        const ZooBuilder::Scope scope(b, index);
        const std::string module = "layers." + index + ".";
        const auto norm = [&](ValueIndex value, const std::string& name) {
            const ZooBuilder::Scope norm_scope(b, name);
            return b.layer_norm(value, module + name, t.width, t.epsilon);
        };
        x = b.op("Add", {x, attention(b, norm(x, "ln_1"), module, t)});
        x = b.op("Add", {x, feed_forward(b, norm(x, "ln_2"), module, t)});
    }
    return x;
}

/// Returns the mask: 0 for visible tokens, minus infinity for later tokens.
HostTensor causal_mask(std::int64_t length) {
    std::vector<float> mask(static_cast<std::size_t>(length * length), 0.0F);
    for (std::int64_t row = 0; row < length; ++row)
        for (std::int64_t column = row + 1; column < length; ++column)
            mask[static_cast<std::size_t>(row * length + column)] = -std::numeric_limits<float>::infinity();
    return HostTensor::of(DType::float32, {length, length}, mask);
}

}  // namespace

Result<void> build_gpt(ZooBuilder& b, const ZooSizes& sizes) {
    const std::int64_t layers = sizes.at("layers"), vocabulary = sizes.at("vocabulary");
    Transformer t{layers,
                  sizes.at("width"),
                  sizes.at("heads"),
                  sizes.at("context"),
                  1e-5F,
                  0.02,
                  0.02 / std::sqrt(2.0 * static_cast<double>(layers))};
    DIVISI_TRY(check_heads(t));
    b.graph().opset = 20;  // the first opset with Gelu
    const ValueIndex tokens = b.input("tokens", DType::int64, {t.length});
    const ValueIndex embedding = b.weight("wte.weight", {vocabulary, t.width}, normal(0.02));
    const ValueIndex positions = b.weight("wpe.weight", {t.length, t.width}, normal(0.02));
    t.mask = b.constant("causal_mask", causal_mask(t.length));
    ValueIndex x = no_value;
    {
        const ZooBuilder::Scope scope(b, "embed");
        x = b.op("Add", {b.op("Gather", {embedding, tokens}), positions});
        x = b.reshape(x, {-1, t.width});
    }
    x = blocks(b, x, t);
    {
        const ZooBuilder::Scope scope(b, "ln_f");
        x = b.layer_norm(x, "ln_f", t.width, t.epsilon);
    }
    const ZooBuilder::Scope scope(b, "head");
    const bool tied = sizes.at("tied") != 0;
    const ValueIndex head = tied ? embedding : b.weight("head.weight", {vocabulary, t.width}, normal(0.02));
    x = b.op("Gemm", {x, head}, {{"transB", std::int64_t{1}}});
    b.output(b.reshape(x, {-1, t.length, vocabulary}), "logits");
    return {};
}

Result<void> build_vit(ZooBuilder& b, const ZooSizes& sizes) {
    const std::int64_t image = sizes.at("image"), patch = sizes.at("patch"), channels = sizes.at("channels");
    if (image % patch != 0)
        return make_error(error_text("image-not-divided-by-patch"), "[model]",
                          {std::to_string(image), std::to_string(patch)});
    const std::int64_t side = image / patch;
    const Transformer t{sizes.at("layers"), sizes.at("width"), sizes.at("heads"), side * side + 1, 1e-6F, 0.02, 0.02};
    DIVISI_TRY(check_heads(t));
    b.graph().opset = 20;  // the first opset with Gelu
    ValueIndex x = b.input("input", DType::float32, {channels, image, image});
    {
        const ZooBuilder::Scope scope(b, "embed");
        const double fan_in = static_cast<double>(channels * patch * patch);
        const ValueIndex w =
            b.weight("patch.weight", {t.width, channels, patch, patch}, normal(std::sqrt(1.0 / fan_in)));
        const ValueIndex bias = b.weight("patch.bias", {t.width}, zeros());
        const std::vector<std::int64_t> square{patch, patch};
        // Repeats the class token for each row of the batch.
        const ValueIndex rows = b.op("Shape", {x}, {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}});
        const ValueIndex size = b.op("Concat", {rows, b.integers({1, t.width})}, {{"axis", std::int64_t{0}}});
        const ValueIndex token = b.op("Expand", {b.weight("class_token", {1, 1, t.width}, zeros()), size});
        x = b.op("Conv", {x, w, bias}, {{"kernel_shape", square}, {"strides", square}});
        x = b.reshape(x, {0, t.width, side * side});
        x = b.op("Transpose", {x}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
        x = b.op("Concat", {token, x}, {{"axis", std::int64_t{1}}});
        x = b.op("Add", {x, b.weight("positions", {1, t.length, t.width}, normal(0.02))});
        x = b.reshape(x, {-1, t.width});
    }
    x = blocks(b, x, t);
    {
        const ZooBuilder::Scope scope(b, "ln_f");
        x = b.layer_norm(x, "ln_f", t.width, t.epsilon);
    }
    const ZooBuilder::Scope scope(b, "head");
    x = b.reshape(x, {-1, t.length, t.width});
    x = b.op("Gather", {x, b.constant("class_position", HostTensor::of<std::int64_t>(DType::int64, {}, {0}))},
             {{"axis", std::int64_t{1}}});
    b.output(b.linear(x, "head", t.width, sizes.at("classes"), normal(0.02), zeros()), "logits");
    return {};
}

}  // namespace divisi::graph
