// SPDX-License-Identifier: Apache-2.0
// Reductions over axes, positions of extremes, cumulative sums, and sorting.
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

using Reduce = at::Tensor (*)(const at::Tensor&, at::IntArrayRef axes, bool keep);

at::Tensor sum(const at::Tensor& x, at::IntArrayRef axes, bool keep) { return at::sum(x, axes, keep, x.scalar_type()); }

at::Tensor mean(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    if (at::isFloatingType(x.scalar_type())) return at::mean(x, axes, keep);
    std::int64_t count = 1;
    for (const auto axis : axes) count *= x.size(axis);
    return at::div(sum(x, axes, keep), count, "trunc").to(x.scalar_type());
}

/// Returns whether one of the axes has no elements. A maximum is then the lowest value of the type, and a minimum is
/// the highest value (ONNX, ReduceMax-20).
bool reduces_nothing(const at::Tensor& x, at::IntArrayRef axes) {
    return std::any_of(axes.begin(), axes.end(), [&](std::int64_t axis) { return x.size(axis) == 0; });
}

at::Tensor far_end(const at::Tensor& x, at::IntArrayRef axes, bool keep, bool lowest) {
    const auto shape = at::sum(x.to(at::kFloat), axes, keep).sizes().vec();
    return AT_DISPATCH_ALL_TYPES_AND3(
        at::kBool, at::kHalf, at::kBFloat16, x.scalar_type(), "far_end", [&]() -> at::Tensor {
            using Limits = std::numeric_limits<scalar_t>;
            if constexpr (Limits::has_infinity)
                return at::full(shape, lowest ? -Limits::infinity() : Limits::infinity(), x.options());
            else return at::full(shape, lowest ? Limits::lowest() : Limits::max(), x.options());
        });
}

at::Tensor largest(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    return reduces_nothing(x, axes) ? far_end(x, axes, keep, true) : at::amax(x, axes, keep);
}
at::Tensor smallest(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    return reduces_nothing(x, axes) ? far_end(x, axes, keep, false) : at::amin(x, axes, keep);
}

at::Tensor product(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    auto order = axes.vec();
    std::sort(order.rbegin(), order.rend());
    const auto type = x.scalar_type();
    auto result = type == at::kBFloat16 ? x.to(at::kFloat) : x;
    for (const auto axis : order) result = at::prod(result, axis, keep, result.scalar_type());
    return result.to(type);
}

at::Tensor absolute_sum(const at::Tensor& x, at::IntArrayRef axes, bool keep) { return sum(at::abs(x), axes, keep); }

at::Tensor euclidean(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    if (!at::isFloatingType(x.scalar_type())) return at::norm(x.to(at::kDouble), 2, axes, keep).to(x.scalar_type());
    return at::norm(x, 2, axes, keep);
}

at::Tensor square_sum(const at::Tensor& x, at::IntArrayRef axes, bool keep) { return sum(at::mul(x, x), axes, keep); }

at::Tensor log_sum(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    return at::log(sum(x, axes, keep)).to(x.scalar_type());
}

at::Tensor log_sum_exp(const at::Tensor& x, at::IntArrayRef axes, bool keep) {
    if (at::isFloatingType(x.scalar_type())) return at::logsumexp(x, axes, keep);
    return at::logsumexp(x.to(at::kDouble), axes, keep).to(x.scalar_type());
}

/// Axes are an attribute in older operator sets and an input in newer operator sets. Without axes, all axes are
/// reduced; with noop_with_empty_axes, no axis is reduced.
template <Reduce function>
Kernel reduction(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool keep = node.flag("keepdims", true);
    const bool nothing = node.flag("noop_with_empty_axes");
    return [=, list = IntegerList(node, "axes", 1)](const RunContext&, const Tensors& x) {
        auto axes = list.at(x).value_or(Ints{});
        const auto rank = x[0].dim();
        if (axes.empty()) {
            if (nothing) return one(x[0]);
            axes.resize(static_cast<std::size_t>(rank));
            std::iota(axes.begin(), axes.end(), 0);
        }
        for (auto& axis : axes) axis = positive_axis(axis, rank);
        // A scalar has no axes to reduce, so treat it as a vector of one element.
        if (rank == 0) return one(function(x[0].reshape({1}), Ints{0}, false));
        return one(function(x[0], axes, keep));
    };
}

at::Tensor position_of_largest(const at::Tensor& x, std::int64_t axis, bool keep) { return at::argmax(x, axis, keep); }
at::Tensor position_of_smallest(const at::Tensor& x, std::int64_t axis, bool keep) { return at::argmin(x, axis, keep); }

/// Makes the kernel that returns the position of the largest or smallest value. If several are equal, the first or, if
/// requested, the last one counts.
template <at::Tensor (*function)(const at::Tensor&, std::int64_t, bool)>
Kernel position(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto axis = node.integer("axis", 0);
    const bool keep = node.flag("keepdims", true);
    const bool last = node.flag("select_last_index");
    return [=](const RunContext&, const Tensors& x) {
        if (!last) return one(function(x[0], axis, keep));
        return one(at::rsub(function(at::flip(x[0], {axis}), axis, keep), x[0].size(axis) - 1));
    };
}

Kernel cumulative_sum(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool exclusive = node.flag("exclusive"), reverse = node.flag("reverse");
    return [=, list = IntegerList(node, "axis", 1)](const RunContext&, const Tensors& x) {
        const auto axis = positive_axis(list.at(x).value().at(0), x[0].dim());
        auto result = at::cumsum(reverse ? at::flip(x[0], {axis}) : x[0], axis, x[0].scalar_type());
        const auto count = result.size(axis);
        if (exclusive && count > 0) {
            Ints padding(static_cast<std::size_t>(2 * (x[0].dim() - axis)), 0);
            padding[padding.size() - 2] = 1;
            result = at::constant_pad_nd(at::narrow(result, axis, 0, count - 1), padding, 0);
        }
        return one(reverse ? at::flip(result, {axis}) : result);
    };
}

/// Keeps the order of equal elements, which at::topk does not guarantee.
Kernel top_k(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto axis = node.integer("axis", -1);
    const bool descending = node.flag("largest", true);
    // k is an attribute up to operator set 9.
    const auto fixed = node.has("k") ? Ints{node.integer("k", 1)} : node.constant_integers(1).value_or(Ints{});
    return [=](const RunContext&, const Tensors& x) {
        const auto count = fixed.empty() ? to_integers(x[1]).at(0) : fixed[0];
        auto [values, indices] = at::sort(x[0], /*stable=*/true, axis, descending);
        return Tensors{at::narrow(values, axis, 0, count), at::narrow(indices, axis, 0, count)};
    };
}

}  // namespace

void add_reduction_kernels(KernelTable& table) {
    table[":ArgMax"] = position<position_of_largest>;
    table[":ArgMin"] = position<position_of_smallest>;
    table[":CumSum"] = cumulative_sum;
    table[":ReduceL1"] = reduction<absolute_sum>;
    table[":ReduceL2"] = reduction<euclidean>;
    table[":ReduceLogSum"] = reduction<log_sum>;
    table[":ReduceLogSumExp"] = reduction<log_sum_exp>;
    table[":ReduceMax"] = reduction<largest>;
    table[":ReduceMean"] = reduction<mean>;
    table[":ReduceMin"] = reduction<smallest>;
    table[":ReduceProd"] = reduction<product>;
    table[":ReduceSum"] = reduction<sum>;
    table[":ReduceSumSquare"] = reduction<square_sum>;
    table[":TopK"] = top_k;
}

}  // namespace divisi::segment
