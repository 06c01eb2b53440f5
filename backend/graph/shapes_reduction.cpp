// SPDX-License-Identifier: Apache-2.0
// Reductions and losses.
#include <algorithm>

#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

Shape without_axes(const Shape& shape, const std::vector<std::size_t>& axes, bool keep) {
    Shape result;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool removed = std::binary_search(axes.begin(), axes.end(), i);
        if (!removed) result.push_back(shape[i]);
        else if (keep) result.push_back(dim_of(1));
    }
    return result;
}

/// Computes the product or sum of a vector with known contents, e.g. for Size written as ReduceProd(Shape(x)).
void reduce_content(NodeInference& node) {
    const auto values = node.integers_in(0);
    const std::string& type = node.node().op_type;
    if (!values || (type != "ReduceProd" && type != "ReduceSum")) return;
    std::int64_t result = type == "ReduceProd" ? 1 : 0;
    for (const std::int64_t value : *values) {
        const bool overflow = type == "ReduceProd" ? __builtin_mul_overflow(result, value, &result)
                                                   : __builtin_add_overflow(result, value, &result);
        if (overflow) return;
    }
    node.set_content(0, Content{false, {element_of(result)}, {}});
}

Result<void> reduce(NodeInference& node) {
    const Shape* x = node.shape(0);
    auto axes = node.list("axes", 1);
    const bool keep = node.integer("keepdims", 1) != 0;
    std::optional<Shape> result;
    const bool none = !axes.given || (axes.values && axes.values->empty());
    bool all = false;
    if (x && none) {
        all = node.integer("noop_with_empty_axes", 0) == 0;
        result = all ? (keep ? Shape(x->size(), dim_of(1)) : Shape{}) : *x;
    } else if (x && axes.values) {
        DIVISI_ASSIGN(const auto reduced, node.axes_in(*axes.values, x->size()));
        all = reduced.size() == x->size();
        result = without_axes(*x, reduced, keep);
    } else if (x && keep) {
        result = Shape(x->size());
    }
    node.set(0, node.dtype(0), std::move(result));
    if (x && all && x->size() == 1) reduce_content(node);
    return {};
}

Result<void> arg_reduce(NodeInference& node) {
    const Shape* x = node.shape(0);
    std::optional<Shape> result;
    if (x) {
        DIVISI_ASSIGN(const std::size_t axis, node.axis_in(node.integer("axis", 0), x->size()));
        result = without_axes(*x, {axis}, node.integer("keepdims", 1) != 0);
    }
    node.set(0, DType::int64, std::move(result));
    return {};
}

/// Maps scores [N, C, d...] and labels [N, d...] to a scalar, or without reduction to the shape of the labels.
Result<void> loss(NodeInference& node) {
    const Shape *scores = node.shape(0), *labels = node.shape(1);
    if (scores && labels) {
        if (scores->size() < 2 || labels->size() + 1 != scores->size())
            return node.error("scores " + to_string(*scores) + " and labels " + to_string(*labels) + " do not fit");
        for (std::size_t i = 0; i < labels->size(); ++i)
            if (differ((*labels)[i], (*scores)[i == 0 ? 0 : i + 1]))
                return node.error("scores " + to_string(*scores) + " and labels " + to_string(*labels) + " do not fit");
    }
    const bool single = node.text("reduction", "mean") != "none";
    std::optional<Shape> result;
    if (single) result = Shape{};
    else if (labels) result = *labels;
    node.set(0, node.dtype(0), std::move(result));
    node.set(1, node.dtype(0), scores ? std::optional<Shape>(*scores) : std::nullopt);
    return {};
}

}  // namespace

void add_reduction_rules(ShapeRules& rules) {
    for (const char* type : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                             "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"})
        rules.emplace(type, reduce);
    for (const char* type : {"ArgMax", "ArgMin"}) rules.emplace(type, arg_reduce);
    for (const char* type : {"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"}) rules.emplace(type, loss);
}

}  // namespace divisi::graph
