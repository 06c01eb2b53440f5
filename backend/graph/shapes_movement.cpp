// SPDX-License-Identifier: Apache-2.0
// Operators that join, cut, repeat or pad tensors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

void concat_contents(NodeInference& node) {
    Content result;
    for (std::size_t slot = 0; slot < node.input_count(); ++slot) {
        const Content* part = node.content(slot);
        const Shape* shape = node.shape(slot);
        if (!shape || shape->size() != 1 || !(*shape)[0].known() || (*shape)[0].size > largest_followed_tensor) return;
        if (!part && is_floating(node.dtype(slot))) return;
        const Content unknown{false, std::vector<Element>(part ? 0 : (*shape)[0].size), {}};
        const Content& next = part ? *part : unknown;
        if (slot > 0 && result.floating != next.floating) return;
        result.floating = next.floating;
        result.integers.insert(result.integers.end(), next.integers.begin(), next.integers.end());
        result.numbers.insert(result.numbers.end(), next.numbers.begin(), next.numbers.end());
        if (static_cast<std::int64_t>(result.size()) > largest_followed_tensor) return;
    }
    node.set_content(0, std::move(result));
}

Result<void> concat(NodeInference& node) {
    std::optional<Shape> result;
    for (std::size_t slot = 0; slot < node.input_count(); ++slot) {
        const Shape* next = node.shape(slot);
        if (!next) {
            node.set(0, node.dtype(0), std::nullopt);
            return {};
        }
        if (!result) {
            result = *next;
            continue;
        }
        if (next->size() != result->size())
            return node.error("inputs of shapes " + to_string(*result) + " and " + to_string(*next) +
                              " differ in rank");
        DIVISI_ASSIGN(const std::size_t axis, node.axis_in(node.integer("axis", 1), result->size()));
        for (std::size_t i = 0; i < result->size(); ++i) {
            Dim& dim = (*result)[i];
            if (i == axis) dim = sum(dim, (*next)[i]);
            else if (differ(dim, (*next)[i]))
                return node.error("inputs of shapes " + to_string(*result) + " and " + to_string(*next) +
                                  " differ at axis " + std::to_string(i));
            else dim = merge(dim, (*next)[i]);
        }
    }
    node.set(0, node.dtype(0), std::move(result));
    concat_contents(node);
    return {};
}

/// Returns the sizes of the parts: the given sizes, or equal sizes with a smaller last part (opset 18).
Result<std::vector<Dim>> split_sizes(const NodeInference& node, const Dim& whole) {
    const std::size_t parts = node.output_count();
    const auto given = node.list("split", 1);
    if (given.given) {
        if (!given.values) return std::vector<Dim>(parts);
        if (given.values->size() != parts)
            return node.error("has " + std::to_string(parts) + " outputs but " + std::to_string(given.values->size()) +
                              " sizes");
        std::int64_t total = 0;
        for (const std::int64_t size : *given.values) {
            if (size < 0 || __builtin_add_overflow(total, size, &total))
                return node.error("the size of a part is negative or too large");
        }
        if (whole.known() && total != whole.size)
            return node.error("parts add up to " + std::to_string(total) + ", but the axis has size " +
                              std::to_string(whole.size));
        return shape_of(*given.values);
    }
    if (!whole.known()) return std::vector<Dim>(parts);
    const auto count = static_cast<std::int64_t>(parts);
    if (node.opset() < 18 && whole.size % count != 0)
        return node.error("an axis of " + std::to_string(whole.size) + " does not split into " + std::to_string(parts) +
                          " equal parts");
    const std::int64_t part = (whole.size + count - 1) / count;
    std::vector<Dim> sizes(parts, dim_of(part));
    sizes.back() = dim_of(std::max<std::int64_t>(0, whole.size - part * (count - 1)));
    return sizes;
}

Result<void> split(NodeInference& node) {
    const Shape* x = node.shape(0);
    std::vector<Dim> sizes(node.output_count());
    std::size_t axis = 0;
    if (x) {
        DIVISI_ASSIGN(axis, node.axis_in(node.integer("axis", 0), x->size()));
        DIVISI_ASSIGN(sizes, split_sizes(node, (*x)[axis]));
    }
    const Content* content = node.content(0);
    std::size_t offset = 0;
    for (std::size_t slot = 0; slot < node.output_count(); ++slot) {
        std::optional<Shape> part;
        if (x) {
            part = *x;
            (*part)[axis] = sizes[slot];
        }
        node.set(slot, node.dtype(0), std::move(part));
        if (!content || content->floating || !x || x->size() != 1 || !sizes[slot].known()) continue;
        const auto begin = content->integers.begin() + static_cast<std::ptrdiff_t>(offset);
        offset += static_cast<std::size_t>(sizes[slot].size);
        if (offset > content->size()) return {};
        node.set_content(slot, Content{false, {begin, begin + sizes[slot].size}, {}});
    }
    return {};
}

struct SliceAxis {
    std::int64_t first = 0, count = 0, step = 1;
};

/// Computes start and number of elements with the clamping rules of ONNX (and numpy).
SliceAxis slice_axis(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (start < 0) start += size;
    if (end < 0) end = end < -size ? -1 : end + size;
    if (step > 0) {
        start = std::clamp<std::int64_t>(start, 0, size);
        end = std::clamp<std::int64_t>(end, 0, size);
        return {start, end > start ? (end - start - 1) / step + 1 : 0, step};
    }
    start = std::clamp<std::int64_t>(start, 0, size - 1);
    end = std::clamp<std::int64_t>(end, -1, size - 1);
    return {start, start > end ? (start - end - 1) / -step + 1 : 0, step};
}

void slice_content(NodeInference& node, std::size_t axis, const SliceAxis& where) {
    const Content* x = node.content(0);
    const Shape& shape = *node.shape(0);
    const Dim count = product(shape, 0, shape.size());
    if (!x || !count.known() || count.size != static_cast<std::int64_t>(x->size())) return;
    const Dim outer = product(shape, 0, axis), inner = product(shape, axis + 1, shape.size());
    std::vector<std::int64_t> places;
    for (std::int64_t block = 0; block < outer.size; ++block)
        for (std::int64_t i = 0; i < where.count; ++i)
            for (std::int64_t k = 0; k < inner.size; ++k)
                places.push_back((block * shape[axis].size + where.first + i * where.step) * inner.size + k);
    node.pick_content(places);
}

Result<void> slice(NodeInference& node) {
    const Shape* x = node.shape(0);
    if (!x) {
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    const auto starts = node.list("starts", 1), ends = node.list("ends", 2), steps = node.list("steps", 4);
    auto axes = node.list("axes", 3);
    if (!axes.given && starts.values) {
        axes.values.emplace();
        for (std::size_t i = 0; i < starts.values->size(); ++i) axes.values->push_back(static_cast<std::int64_t>(i));
    }
    Shape result = *x;
    if (!axes.values) {
        for (Dim& dim : result) dim = Dim{};
        node.set(0, node.dtype(0), std::move(result));
        return {};
    }
    for (std::size_t i = 0; i < axes.values->size(); ++i) {
        DIVISI_ASSIGN(const std::size_t axis, node.axis_in((*axes.values)[i], x->size()));
        const Dim& dim = (*x)[axis];
        result[axis] = Dim{};
        if (!starts.values || !ends.values || (steps.given && !steps.values)) continue;
        if (i >= starts.values->size() || i >= ends.values->size() || (steps.given && i >= steps.values->size()))
            return node.error("starts, ends, axes and steps differ in length");
        const std::int64_t start = (*starts.values)[i], end = (*ends.values)[i];
        const std::int64_t step = steps.given ? (*steps.values)[i] : 1;
        if (step == 0) return node.error("a step is 0");
        if (!dim.known()) {  // if the slice covers the whole open dimension, the result has the same dimension
            if (start == 0 && step == 1 && end >= std::numeric_limits<std::int32_t>::max()) result[axis] = dim;
            continue;
        }
        if (dim.size == 0) {
            result[axis] = dim_of(0);
            continue;
        }
        const SliceAxis where = slice_axis(dim.size, start, end, step);
        result[axis] = dim_of(where.count);
        if (axes.values->size() == 1) slice_content(node, axis, where);
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

/// Broadcasts the input and the given shape to each other.
Result<void> expand(NodeInference& node) {
    const Shape* x = node.shape(0);
    const Content* target = node.content(1);
    std::optional<Shape> result;
    if (x && target && !target->floating) {
        Shape wanted;
        for (const Element& element : target->integers) wanted.push_back(dim_of(element));
        DIVISI_ASSIGN(result, broadcast(node, *x, wanted));
    }
    node.set(0, node.dtype(0), result);
    const Content* content = node.content(0);
    if (!content || content->size() != 1) return {};
    const Dim count = x && target ? product(*result, 0, result->size()) : Dim{};
    if (!count.known() || count.size > largest_followed_tensor) return {};
    Content repeated = *content;
    const auto size = static_cast<std::size_t>(count.size);
    if (repeated.floating) repeated.numbers.assign(size, content->numbers.front());
    else repeated.integers.assign(size, content->integers.front());
    node.set_content(0, std::move(repeated));
    return {};
}

Result<void> tile(NodeInference& node) {
    const Shape* x = node.shape(0);
    const auto repeats = node.integers_in(1);
    std::optional<Shape> result;
    if (x) {
        result = Shape(x->size());
        if (repeats && repeats->size() != x->size())
            return node.error("has " + std::to_string(repeats->size()) + " repeats for " + to_string(*x));
        for (std::size_t i = 0; repeats && i < x->size(); ++i) (*result)[i] = product((*x)[i], dim_of((*repeats)[i]));
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

Result<void> pad(NodeInference& node) {
    const Shape* x = node.shape(0);
    if (!x) {
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    const auto pads = node.list("pads", 1);
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < x->size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    bool known = pads.values.has_value();
    if (node.has_input(3)) {
        const auto given = node.integers_in(3);
        known = known && given.has_value();
        if (given) axes = *given;
    }
    if (!known) {
        node.set(0, node.dtype(0), Shape(x->size()));
        return {};
    }
    if (pads.values->size() != 2 * axes.size())
        return node.error("has " + std::to_string(pads.values->size()) + " pads for " + std::to_string(axes.size()) +
                          " axes");
    Shape result = *x;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        DIVISI_ASSIGN(const std::size_t axis, node.axis_in(axes[i], x->size()));
        std::int64_t added = 0, size = 0;
        const bool overflow = __builtin_add_overflow((*pads.values)[i], (*pads.values)[i + axes.size()], &added) ||
                              __builtin_add_overflow(result[axis].size, added, &size);
        if (added == 0 && !overflow) continue;
        if (!overflow && result[axis].known() && size < 0)
            return node.error("the padding removes more elements than " + to_string(*x) + " has");
        result[axis] = !overflow && result[axis].known() ? dim_of(size) : Dim{};
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

Dim scaled(std::int64_t size, double scale) {
    const double result = std::floor(static_cast<double>(size) * scale);
    return result >= 0 && result < 1e15 ? dim_of(static_cast<std::int64_t>(result)) : Dim{};
}

/// Sets the output's sizes: the values of the input `sizes`, or the sizes of input 0 times `scales`, rounded down.
Result<void> resize(NodeInference& node) {
    const Shape* x = node.shape(0);
    if (!x) {
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    const bool early = node.opset() < 11 || node.node().op_type == "Upsample";
    const Content* scales = node.content(early ? 1 : 2);
    const auto sizes = node.integers_in(3);
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < x->size(); ++i) axes.push_back(i);
    if (const auto given = node.integers("axes")) {
        axes.clear();
        for (const std::int64_t axis : *given) {
            DIVISI_ASSIGN(const std::size_t index, node.axis_in(axis, x->size()));
            axes.push_back(index);
        }
    }
    const bool keeps_ratio = node.text("keep_aspect_ratio_policy", "stretch") != "stretch";
    const bool by_scale = scales && scales->floating && scales->size() == axes.size();
    const bool by_size = !by_scale && sizes && sizes->size() == axes.size() && !keeps_ratio;
    Shape result = *x;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        Dim& dim = result[axes[i]];
        if (by_size) dim = dim_of((*sizes)[i]);
        else if (by_scale && scales->numbers[i] == 1.0) continue;
        else if (by_scale && dim.known()) dim = scaled(dim.size, scales->numbers[i]);
        else dim = Dim{};
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

}  // namespace

void add_movement_rules(ShapeRules& rules) {
    rules.emplace("Concat", concat);
    rules.emplace("Split", split);
    rules.emplace("Slice", slice);
    rules.emplace("Expand", expand);
    rules.emplace("Tile", tile);
    rules.emplace("Pad", pad);
    rules.emplace("Resize", resize);
    rules.emplace("Upsample", resize);
}

}  // namespace divisi::graph
