// SPDX-License-Identifier: Apache-2.0
// Operators that pick elements.
#include <algorithm>

#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

/// Picks elements of a vector with known contents by scalar or vector indices.
void gather_content(NodeInference& node) {
    const Content* data = node.content(0);
    const auto indices = node.integers_in(1);
    const Shape* shape = node.shape(0);
    if (!data || !indices || !shape || shape->size() != 1) return;
    Content result;
    result.floating = data->floating;
    const auto size = static_cast<std::int64_t>(data->size());
    for (const std::int64_t index : *indices) {
        const std::int64_t at = index < 0 ? index + size : index;
        if (at < 0 || at >= size) return;
        if (data->floating) result.numbers.push_back(data->numbers[at]);
        else result.integers.push_back(data->integers[at]);
    }
    node.set_content(0, std::move(result));
}

Result<void> gather(NodeInference& node) {
    const Shape *x = node.shape(0), *indices = node.shape(1);
    std::optional<Shape> result;
    if (x) {
        DIVISI_ASSIGN(const std::size_t axis, node.axis_in(node.integer("axis", 0), x->size()));
        if (indices) {
            result = Shape(x->begin(), x->begin() + static_cast<std::ptrdiff_t>(axis));
            result->insert(result->end(), indices->begin(), indices->end());
            result->insert(result->end(), x->begin() + static_cast<std::ptrdiff_t>(axis) + 1, x->end());
        }
        const auto values = node.integers_in(1);
        const Dim& dim = (*x)[axis];
        for (std::size_t i = 0; values && dim.known() && i < values->size(); ++i)
            if ((*values)[i] < -dim.size || (*values)[i] >= dim.size)
                return node.error("index " + std::to_string((*values)[i]) + " is outside axis " + std::to_string(axis) +
                                  " of " + to_string(*x));
    }
    node.set(0, node.dtype(0), std::move(result));
    gather_content(node);
    return {};
}

Result<void> gather_elements(NodeInference& node) {
    const Shape* indices = node.shape(1);
    node.set(0, node.dtype(0), indices ? std::optional<Shape>(*indices) : std::nullopt);
    return {};
}

/// Looks up indices [..., k] in data after b batch axes. Output shape: batch + indices[b:-1] + data[b + k:].
Result<void> gather_nd(NodeInference& node) {
    const Shape *x = node.shape(0), *indices = node.shape(1);
    std::optional<Shape> result;
    if (x && indices && !indices->empty() && indices->back().known()) {
        const std::int64_t picked = node.integer("batch_dims", 0) + indices->back().size;
        if (picked > static_cast<std::int64_t>(x->size()))
            return node.error("indices of shape " + to_string(*indices) + " address more axes than " + to_string(*x) +
                              " has");
        result = Shape(indices->begin(), indices->end() - 1);
        result->insert(result->end(), x->begin() + picked, x->end());
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

Result<void> one_hot(NodeInference& node) {
    const Shape* indices = node.shape(0);
    std::optional<Shape> result;
    if (indices) {
        DIVISI_ASSIGN(const std::size_t axis, node.axis_in(node.integer("axis", -1), indices->size() + 1));
        const Content* depth = node.content(1);
        Dim classes;
        if (depth && depth->size() == 1)
            classes =
                depth->floating ? dim_of(static_cast<std::int64_t>(depth->numbers[0])) : dim_of(depth->integers[0]);
        result = *indices;
        result->insert(result->begin() + static_cast<std::ptrdiff_t>(axis), classes);
    }
    node.set(0, node.dtype(2), std::move(result));
    return {};
}

Result<void> top_k(NodeInference& node) {
    const Shape* x = node.shape(0);
    std::optional<Shape> result;
    if (x) {
        DIVISI_ASSIGN(const std::size_t axis, node.axis_in(node.integer("axis", -1), x->size()));
        const auto count = node.list("k", 1);
        result = *x;
        Dim& dim = (*result)[axis];
        const bool known = count.values && count.values->size() == 1 && (*count.values)[0] >= 0;
        if (known && dim.known() && (*count.values)[0] > dim.size)
            return node.error("k is " + std::to_string((*count.values)[0]) + ", but the axis has size " +
                              std::to_string(dim.size));
        dim = known ? dim_of((*count.values)[0]) : Dim{};
    }
    node.set(0, node.dtype(0), result);
    node.set(1, DType::int64, result);
    return {};
}

/// Leaves the size open: the number of kept elements depends on the data.
Result<void> compress(NodeInference& node) {
    const Shape* x = node.shape(0);
    std::optional<Shape> result;
    if (x && node.has_attribute("axis")) {
        DIVISI_ASSIGN(const std::size_t axis, node.axis_in(node.integer("axis", 0), x->size()));
        result = *x;
        (*result)[axis] = Dim{};
    } else if (!node.has_attribute("axis")) {
        result = Shape{Dim{}};
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

/// Sets the output shape [rank, number of nonzero elements].
Result<void> non_zero(NodeInference& node) {
    const Shape* x = node.shape(0);
    const Dim rank = x ? dim_of(static_cast<std::int64_t>(x->size())) : Dim{};
    node.set(0, DType::int64, Shape{rank, Dim{}});
    return {};
}

}  // namespace

void add_indexing_rules(ShapeRules& rules) {
    rules.emplace("Gather", gather);
    rules.emplace("GatherElements", gather_elements);
    rules.emplace("GatherND", gather_nd);
    rules.emplace("OneHot", one_hot);
    rules.emplace("TopK", top_k);
    rules.emplace("Compress", compress);
    rules.emplace("NonZero", non_zero);
}

}  // namespace divisi::graph
