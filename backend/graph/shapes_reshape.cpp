// SPDX-License-Identifier: Apache-2.0
// Operators that keep all elements and give them another shape.
#include <algorithm>
#include <numeric>
#include <set>

#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

/// The product of the known sizes, and the list of open dimensions.
struct Volume {
    std::int64_t known = 1;
    std::vector<Dim> open;
    bool overflow = false;

    void take(const Dim& dim) {
        if (dim.known()) overflow |= __builtin_mul_overflow(known, dim.size, &known);
        else open.push_back(dim);
    }
    /// Removes the symbols that occur on both sides, pair by pair.
    static void cancel(Volume& a, Volume& b) {
        for (auto left = a.open.begin(); left != a.open.end();) {
            const auto right = std::find_if(b.open.begin(), b.open.end(), [&](const Dim& d) { return same(d, *left); });
            if (right == b.open.end()) {
                ++left;
                continue;
            }
            b.open.erase(right);
            left = a.open.erase(left);
        }
    }
};

/// Returns the size that replaces -1, so that the result has as many elements as the input.
Result<Dim> inferred_dim(const NodeInference& node, const Shape& input, const Shape& result, std::size_t inferred) {
    Volume source, target;
    for (const Dim& dim : input) source.take(dim);
    for (std::size_t i = 0; i < result.size(); ++i)
        if (i != inferred) target.take(result[i]);
    Volume::cancel(source, target);
    if (source.overflow || target.overflow || !target.open.empty()) return Dim{};
    if (source.open.size() == 1 && source.known == target.known) return source.open.front();
    if (!source.open.empty() || (target.known == 0 && source.known != 0)) {
        if (source.open.empty())
            return node.error("cannot give " + to_string(input) + " the shape " + to_string(result));
        return Dim{};
    }
    if (target.known == 0) return Dim{};
    if (source.known % target.known != 0)
        return node.error("cannot give " + to_string(input) + " the shape " + to_string(result));
    return dim_of(source.known / target.known);
}

Result<void> check_volume(const NodeInference& node, const Shape& input, const Shape& result) {
    Volume source, target;
    for (const Dim& dim : input) source.take(dim);
    for (const Dim& dim : result) target.take(dim);
    Volume::cancel(source, target);
    const bool open = !source.open.empty() || !target.open.empty() || source.overflow || target.overflow;
    if (!open && source.known != target.known)
        return node.error("cannot give " + to_string(input) + " the shape " + to_string(result));
    return {};
}

/// Copies the known contents of a tensor: the order of the elements stays the same.
void keep_content(NodeInference& node) {
    if (const Content* x = node.content(0)) node.set_content(0, *x);
}

std::optional<std::vector<Element>> reshape_target(const NodeInference& node) {
    if (const auto attribute = node.integers("shape")) {
        std::vector<Element> target;
        for (const std::int64_t size : *attribute) target.push_back(element_of(size));
        return target;
    }
    const Content* content = node.content(1);
    if (content && !content->floating) return content->integers;
    const Shape* shape = node.shape(1);
    if (shape && shape->size() == 1 && (*shape)[0].known() && (*shape)[0].size <= 64)
        return std::vector<Element>((*shape)[0].size);
    return std::nullopt;
}

Result<void> reshape(NodeInference& node) {
    const auto target = reshape_target(node);
    if (!target) {
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    const Shape* x = node.shape(0);
    const bool zero_copies = node.integer("allowzero", 0) == 0;
    Shape result;
    std::optional<std::size_t> inferred;
    for (std::size_t i = 0; i < target->size(); ++i) {
        const Element& element = (*target)[i];
        result.push_back(dim_of(element));
        if (!element.known) continue;
        if (element.value == 0 && zero_copies) {
            if (x && i >= x->size())
                return node.error("the new shape copies axis " + std::to_string(i) + " of an input of rank " +
                                  std::to_string(x->size()));
            result[i] = x ? (*x)[i] : Dim{};
        } else if (element.value == -1 && !inferred) {
            inferred = i;
        } else if (element.value < 0) {
            return node.error("the new shape has " + std::to_string(element.value) + " at axis " + std::to_string(i));
        }
    }
    if (x && inferred) {
        DIVISI_ASSIGN(result[*inferred], inferred_dim(node, *x, result, *inferred));
    } else if (x) {
        DIVISI_TRY(check_volume(node, *x, result));
    }
    node.set(0, node.dtype(0), std::move(result));
    keep_content(node);
    return {};
}

Result<void> flatten(NodeInference& node) {
    const Shape* x = node.shape(0);
    std::optional<Shape> result;
    if (x) {
        const std::int64_t axis = node.integer("axis", 1);
        const auto rank = static_cast<std::int64_t>(x->size());
        if (axis < -rank || axis > rank)
            return node.error("axis " + std::to_string(axis) + " is outside " + to_string(*x));
        const auto split = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
        result = Shape{product(*x, 0, split), product(*x, split, x->size())};
    }
    node.set(0, node.dtype(0), std::move(result));
    keep_content(node);
    return {};
}

Result<void> squeeze(NodeInference& node) {
    const Shape* x = node.shape(0);
    const auto axes = node.list("axes", 1);
    std::optional<Shape> result;
    if (x && axes.given && axes.values) {
        DIVISI_ASSIGN(const auto removed, node.axes_in(*axes.values, x->size()));
        result.emplace();
        for (std::size_t i = 0; i < x->size(); ++i) {
            if (!std::binary_search(removed.begin(), removed.end(), i)) result->push_back((*x)[i]);
            else if ((*x)[i].known() && (*x)[i].size != 1)
                return node.error("cannot remove axis " + std::to_string(i) + " of " + to_string(*x));
        }
    } else if (x && !axes.given) {
        const bool known = std::all_of(x->begin(), x->end(), [](const Dim& dim) { return dim.known(); });
        if (known) {
            result = *x;
            std::erase_if(*result, [](const Dim& dim) { return dim.size == 1; });
        }
    }
    node.set(0, node.dtype(0), std::move(result));
    keep_content(node);
    return {};
}

Result<void> unsqueeze(NodeInference& node) {
    const Shape* x = node.shape(0);
    const auto axes = node.list("axes", 1);
    std::optional<Shape> result;
    if (x && axes.values) {
        const std::size_t rank = x->size() + axes.values->size();
        DIVISI_ASSIGN(const auto inserted, node.axes_in(*axes.values, rank));
        result.emplace();
        auto next = x->begin();
        for (std::size_t i = 0; i < rank; ++i) {
            const bool fresh = std::binary_search(inserted.begin(), inserted.end(), i);
            result->push_back(fresh ? dim_of(1) : *next++);
        }
    }
    node.set(0, node.dtype(0), std::move(result));
    keep_content(node);
    return {};
}

/// Reorders the contents: axis i of the result is axis order[i] of the input.
void transpose_content(NodeInference& node, const std::vector<std::int64_t>& order) {
    const Shape& x = *node.shape(0);
    const Content* content = node.content(0);
    const Dim count = product(x, 0, x.size());
    if (!content || !count.known() || count.size != static_cast<std::int64_t>(content->size())) return;
    std::vector<std::int64_t> places(content->size(), 0);
    std::int64_t repeat = 1;  // number of elements after which the index along the axis advances
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(order[i]);
        const std::int64_t stride = product(x, axis + 1, x.size()).size;
        for (std::size_t k = 0; k < places.size(); ++k)
            places[k] += static_cast<std::int64_t>(k) / repeat % x[axis].size * stride;
        repeat *= x[axis].size;
    }
    node.pick_content(places);
}

Result<void> transpose(NodeInference& node) {
    const Shape* x = node.shape(0);
    if (!x) {
        node.set(0, node.dtype(0), std::nullopt);
        return {};
    }
    std::vector<std::int64_t> order(x->size());
    std::iota(order.rbegin(), order.rend(), 0);
    if (const auto given = node.integers("perm")) order = *given;
    if (order.size() != x->size())
        return node.error("perm has " + std::to_string(order.size()) + " axes, but the input has the shape " +
                          to_string(*x));
    DIVISI_TRY([&]() -> Result<void> {
        DIVISI_ASSIGN([[maybe_unused]] const auto axes, node.axes_in(order, x->size()));
        return {};
    }());
    Shape result;
    for (std::int64_t& axis : order) {
        if (axis < 0) axis += static_cast<std::int64_t>(x->size());
        result.push_back((*x)[static_cast<std::size_t>(axis)]);
    }
    transpose_content(node, order);
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

/// Maps the shape [N, C, H, W] -> [N, C/b^2, H*b, W*b].
Result<void> depth_to_space(NodeInference& node) {
    const Shape* x = node.shape(0);
    const std::int64_t block = node.integer("blocksize", 1);
    std::optional<Shape> result;
    if (x && x->size() == 4 && block > 0) {
        const Dim& channels = (*x)[1];
        if (channels.known() && channels.size % (block * block) != 0)
            return node.error("channels of " + to_string(*x) + " do not divide by the square of blocksize " +
                              std::to_string(block));
        result = Shape{(*x)[0], channels.known() ? dim_of(channels.size / (block * block)) : Dim{},
                       product((*x)[2], dim_of(block)), product((*x)[3], dim_of(block))};
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

/// Maps the shape [N, C, H, W] -> [N, C*b^2, H/b, W/b].
Result<void> space_to_depth(NodeInference& node) {
    const Shape* x = node.shape(0);
    const std::int64_t block = node.integer("blocksize", 1);
    std::optional<Shape> result;
    if (x && x->size() == 4 && block > 0) {
        result = Shape{(*x)[0], product((*x)[1], dim_of(block * block)), {}, {}};
        for (const std::size_t axis : {2, 3}) {
            const Dim& dim = (*x)[axis];
            if (dim.known() && dim.size % block != 0)
                return node.error(to_string(*x) + " does not divide by blocksize " + std::to_string(block));
            if (dim.known()) (*result)[axis] = dim_of(dim.size / block);
        }
    }
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

}  // namespace

void add_reshape_rules(ShapeRules& rules) {
    rules.emplace("Reshape", reshape);
    rules.emplace("Flatten", flatten);
    rules.emplace("Squeeze", squeeze);
    rules.emplace("Unsqueeze", unsqueeze);
    rules.emplace("Transpose", transpose);
    rules.emplace("DepthToSpace", depth_to_space);
    rules.emplace("SpaceToDepth", space_to_depth);
}

}  // namespace divisi::graph
