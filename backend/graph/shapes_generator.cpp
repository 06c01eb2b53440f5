// SPDX-License-Identifier: Apache-2.0
// Operators that make tensors from attributes, shapes and small integers.
#include <algorithm>
#include <cmath>

#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

Result<void> constant(NodeInference& node) {
    if (const HostTensor* tensor = node.tensor("value")) {
        node.set(0, tensor->dtype, shape_of(tensor->dims));
        if (auto content = content_of(*tensor)) node.set_content(0, std::move(*content));
    } else if (node.has_attribute("value_int")) {
        node.set(0, DType::int64, Shape{});
        node.set_content(0, Content{false, {element_of(node.integer("value_int", 0))}, {}});
    } else if (const auto values = node.integers("value_ints")) {
        node.set(0, DType::int64, Shape{dim_of(static_cast<std::int64_t>(values->size()))});
        Content content;
        for (const std::int64_t value : *values) content.integers.push_back(element_of(value));
        node.set_content(0, std::move(content));
    } else if (node.has_attribute("value_float")) {
        node.set(0, DType::float32, Shape{});
        node.set_content(0, Content{true, {}, {node.number("value_float", 0)}});
    } else if (const auto found = node.node().attributes.find("value_floats"); found != node.node().attributes.end()) {
        if (const auto* numbers = get_if<std::vector<float>>(&found->second)) {
            node.set(0, DType::float32, Shape{dim_of(static_cast<std::int64_t>(numbers->size()))});
            node.set_content(0, Content{true, {}, std::vector<double>(numbers->begin(), numbers->end())});
        }
    }
    return {};
}

Result<void> constant_of_shape(NodeInference& node) {
    const HostTensor* value = node.tensor("value");
    const Content* sizes = node.content(0);
    std::optional<Shape> result;
    if (sizes && !sizes->floating) {
        result.emplace();
        for (const Element& element : sizes->integers) {
            if (element.known && element.value < 0)
                return node.error("the size " + std::to_string(element.value) + " is negative");
            result->push_back(dim_of(element));
        }
    } else if (const Shape* rank = node.shape(0);
               rank && rank->size() == 1 && (*rank)[0].known() && (*rank)[0].size <= 64) {
        result = Shape(static_cast<std::size_t>((*rank)[0].size));
    }
    const Dim count = result ? product(*result, 0, result->size()) : Dim{};
    node.set(0, value ? value->dtype : DType::float32, std::move(result));
    if (!count.known() || count.size > largest_followed_tensor) return {};
    auto single = value ? content_of(*value) : std::optional<Content>(Content{true, {}, {0.0}});
    if (!single || single->size() != 1) return {};
    const auto size = static_cast<std::size_t>(count.size);
    Content content;
    content.floating = single->floating;
    if (content.floating) content.numbers.assign(size, single->numbers.front());
    else content.integers.assign(size, single->integers.front());
    node.set_content(0, std::move(content));
    return {};
}

Result<void> shape(NodeInference& node) {
    const Shape* x = node.shape(0);
    if (!x) {
        node.set(0, DType::int64, Shape{Dim{}});
        return {};
    }
    const auto rank = static_cast<std::int64_t>(x->size());
    const auto clamp = [&](std::int64_t axis) {
        return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
    };
    const std::int64_t start = clamp(node.integer("start", 0)), end = clamp(node.integer("end", rank));
    Content content;
    for (std::int64_t i = start; i < end; ++i) content.integers.push_back(element_of((*x)[i]));
    node.set(0, DType::int64, Shape{dim_of(static_cast<std::int64_t>(content.size()))});
    node.set_content(0, std::move(content));
    return {};
}

Result<void> size(NodeInference& node) {
    node.set(0, DType::int64, Shape{});
    if (const Shape* x = node.shape(0))
        node.set_content(0, Content{false, {element_of(product(*x, 0, x->size()))}, {}});
    return {};
}

/// Sets the output to ceil((limit - start) / delta) elements, or 0 if that is negative.
Result<void> range(NodeInference& node) {
    const Content *start = node.content(0), *limit = node.content(1), *delta = node.content(2);
    const bool followed = start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1;
    Dim count;
    if (followed && start->floating && limit->floating && delta->floating && delta->numbers[0] != 0) {
        const double steps = std::ceil((limit->numbers[0] - start->numbers[0]) / delta->numbers[0]);
        if (steps < 1e15) count = dim_of(static_cast<std::int64_t>(std::max(0.0, steps)));
        node.set(0, node.dtype(0), Shape{count});
        return {};
    }
    const auto first = node.integers_in(0), last = node.integers_in(1), step = node.integers_in(2);
    if (followed && first && last && step) {
        if ((*step)[0] == 0) return node.error("the step is 0");
        const double steps = std::ceil((static_cast<double>((*last)[0]) - static_cast<double>((*first)[0])) /
                                       static_cast<double>((*step)[0]));
        if (steps < 1e15) count = dim_of(static_cast<std::int64_t>(std::max(0.0, steps)));
    } else if (followed && !limit->floating && first && step && (*first)[0] == 0 && (*step)[0] == 1) {
        count = dim_of(limit->integers[0]);  // the dimension may be a symbol
    }
    node.set(0, node.dtype(0), Shape{count});
    if (!count.known() || count.size > largest_followed_tensor) return {};
    Content content;
    for (std::int64_t i = 0; i < count.size; ++i) content.integers.push_back(element_of((*first)[0] + i * (*step)[0]));
    node.set_content(0, std::move(content));
    return {};
}

Result<void> eye_like(NodeInference& node) {
    const auto dtype = static_cast<DType>(node.integer("dtype", static_cast<std::int64_t>(node.dtype(0))));
    node.set(0, dtype, node.shape(0) ? std::optional<Shape>(*node.shape(0)) : std::nullopt);
    return {};
}

}  // namespace

void add_generator_rules(ShapeRules& rules) {
    rules.emplace("Constant", constant);
    rules.emplace("ConstantOfShape", constant_of_shape);
    rules.emplace("Shape", shape);
    rules.emplace("Size", size);
    rules.emplace("Range", range);
    rules.emplace("EyeLike", eye_like);
}

}  // namespace divisi::graph
