// SPDX-License-Identifier: Apache-2.0
// Operators whose outputs have the shape of their first input, and normalizations.
#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

Result<void> like_first(NodeInference& node) {
    node.set_like_first();
    return {};
}

/// Sets a boolean output with the shape of the input.
Result<void> test(NodeInference& node) {
    node.set(0, DType::boolean, node.shape(0) ? std::optional<Shape>(*node.shape(0)) : std::nullopt);
    return {};
}

Result<void> softmax(NodeInference& node) {
    node.set_like_first();
    const Shape* x = node.shape(0);
    const std::int64_t fallback = node.opset() < 13 ? 1 : -1;
    if (x && !x->empty()) {
        const auto axis = node.axis_in(node.integer("axis", fallback), x->size());
        if (!axis.ok() && node.has_attribute("axis")) return axis.error();
    }
    return {};
}

Result<void> dropout(NodeInference& node) {
    node.set_like_first();
    // Before opset 10, the mask has the dtype of the data.
    const Shape* x = node.shape(0);
    node.set(1, node.opset() < 10 ? node.dtype(0) : DType::boolean, x ? std::optional<Shape>(*x) : std::nullopt);
    return {};
}

/// Checks that the vectors in slots `first` to `last` have as many elements as the channel axis of `x`.
Result<void> check_channels(const NodeInference& node, std::size_t first, std::size_t last) {
    const Shape* x = node.shape(0);
    if (!x || x->size() < 2) return {};
    for (std::size_t slot = first; slot <= last; ++slot) {
        const Shape* vector = node.shape(slot);
        if (vector && vector->size() == 1 && differ((*x)[1], (*vector)[0]))
            return node.error("input of shape " + to_string(*x) + " has another number of channels than input " +
                              std::to_string(slot) + " of shape " + to_string(*vector));
    }
    return {};
}

Result<void> batch_normalization(NodeInference& node) {
    DIVISI_TRY(check_channels(node, 1, 4));
    node.set_like_first();
    for (std::size_t slot = 1; slot < node.output_count(); ++slot) {
        // Outputs 1 and 2 are the updated statistics of inputs 3 and 4. In older opsets, outputs 3 and 4 repeat them.
        const std::size_t source = slot % 2 == 1 ? 3 : 4;
        const Shape* statistics = node.shape(source);
        node.set(slot, node.dtype(source), statistics ? std::optional<Shape>(*statistics) : std::nullopt);
    }
    return {};
}

Result<void> instance_normalization(NodeInference& node) {
    DIVISI_TRY(check_channels(node, 1, 2));
    node.set_like_first();
    return {};
}

/// Sets outputs 1 and 2 (mean, inverse deviation): their dimensions before `axis` are those of the input, and all other
/// dimensions are 1.
Result<void> layer_normalization(NodeInference& node) {
    node.set_like_first();
    const Shape* x = node.shape(0);
    if (!x) return {};
    DIVISI_ASSIGN(const std::size_t axis, node.axis_in(node.integer("axis", -1), x->size()));
    const Shape* scale = node.shape(1);
    if (scale && scale->size() <= x->size()) {
        const std::size_t offset = x->size() - scale->size();
        for (std::size_t i = 0; i < scale->size(); ++i)
            if ((*scale)[i].size != 1 && differ((*x)[offset + i], (*scale)[i]))
                return node.error("scale of shape " + to_string(*scale) + " does not fit input of shape " +
                                  to_string(*x));
    }
    Shape statistics = *x;
    for (std::size_t i = axis; i < statistics.size(); ++i) statistics[i] = dim_of(1);
    const auto stash = static_cast<DType>(node.integer("stash_type", static_cast<std::int64_t>(DType::float32)));
    node.set(1, stash, statistics);
    node.set(2, stash, statistics);
    return {};
}

}  // namespace

void add_elementwise_rules(ShapeRules& rules) {
    for (const char* type : {"Acos",
                             "Acosh",
                             "Asin",
                             "Asinh",
                             "Atan",
                             "Atanh",
                             "BitwiseNot",
                             "Celu",
                             "Clip",
                             "Cos",
                             "Cosh",
                             "Elu",
                             "Erf",
                             "Exp",
                             "Gelu",
                             "GroupNormalization",
                             "HardSigmoid",
                             "HardSwish",
                             "Hardmax",
                             "LRN",
                             "LeakyRelu",
                             "Log",
                             "LpNormalization",
                             "MeanVarianceNormalization",
                             "Mish",
                             "PRelu",
                             "RMSNormalization",
                             "Relu",
                             "ReverseSequence",
                             "Round",
                             "Selu",
                             "Shrink",
                             "Sigmoid",
                             "Sign",
                             "Sin",
                             "Sinh",
                             "Softplus",
                             "Softsign",
                             "Swish",
                             "Tan",
                             "Tanh",
                             "ThresholdedRelu",
                             "CumSum",
                             "Trilu",
                             "ScatterElements",
                             "ScatterND",
                             "Scatter"})
        rules.emplace(type, like_first);
    for (const char* type : {"IsInf", "IsNaN"}) rules.emplace(type, test);
    for (const char* type : {"Softmax", "LogSoftmax"}) rules.emplace(type, softmax);
    rules.emplace("Dropout", dropout);
    rules.emplace("BatchNormalization", batch_normalization);
    rules.emplace("InstanceNormalization", instance_normalization);
    rules.emplace("LayerNormalization", layer_normalization);
}

}  // namespace divisi::graph
