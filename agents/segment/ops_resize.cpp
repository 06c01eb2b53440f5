// SPDX-License-Identifier: Apache-2.0
// Padding, resizing and sampling.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

at::Tensor select_positions(const at::Tensor& x, std::int64_t axis, const Ints& positions) {
    return at::index_select(x, axis, at::tensor(positions, at::kLong).to(x.device()));
}

/// Returns the source of each position on an axis enlarged by `before` and `after` (which may be negative).
Ints padded_positions(std::int64_t size, std::int64_t before, std::int64_t after, const std::string& mode) {
    Ints positions;
    for (std::int64_t at = -before; at < size + after; ++at) {
        if (mode == "edge" || size == 1) {
            positions.push_back(std::clamp<std::int64_t>(at, 0, size - 1));
        } else if (mode == "wrap") {
            positions.push_back(((at % size) + size) % size);
        } else {
            const auto period = 2 * (size - 1);
            const auto phase = ((at % period) + period) % period;
            positions.push_back(std::min(phase, period - phase));
        }
    }
    return positions;
}

at::Tensor pad_by_copies(at::Tensor x, const Ints& before, const Ints& after, const std::string& mode) {
    for (std::size_t axis = 0; axis < before.size(); ++axis) {
        if (before[axis] == 0 && after[axis] == 0) continue;
        const auto along = static_cast<std::int64_t>(axis);
        x = select_positions(x, along, padded_positions(x.size(along), before[axis], after[axis], mode));
    }
    return x;
}

/// Makes the kernel of Pad. The pads are the amounts at the starts of all axes, then the amounts at their ends. If
/// `axes` is given (operator set 18), there are amounts only for these axes.
Kernel pad(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto mode = node.text("mode", "constant");
    const double attribute_value = node.real("value", 0);
    return [=, pads = IntegerList(node, node.has("paddings") ? "paddings" : "pads", 1),
            list = IntegerList(node, "axes", 3)](const RunContext&, const Tensors& x) {
        const auto amounts = pads.at(x).value();
        const auto axes = list.at(x);
        const auto rank = static_cast<std::size_t>(x[0].dim());
        const auto half = amounts.size() / 2;
        Ints before(rank, 0), after(rank, 0);
        for (std::size_t i = 0; i < half; ++i) {
            const auto axis = axes ? static_cast<std::size_t>(positive_axis(axes->at(i), x[0].dim())) : i;
            before.at(axis) = amounts[i];
            after.at(axis) = amounts[half + i];
        }
        if (mode != "constant") return one(pad_by_copies(x[0], before, after, mode));
        Ints order;
        for (std::size_t axis = rank; axis-- > 0;) {
            order.push_back(before[axis]);
            order.push_back(after[axis]);
        }
        const auto& value = optional_input(x, 2);
        return one(at::constant_pad_nd(x[0], order, value.defined() ? value.item() : at::Scalar(attribute_value)));
    };
}

struct ResizeRule {
    std::string mode, coordinates, nearest;
    double cubic_a = -0.75, extrapolation = 0;
    bool exclude_outside = false;
};

/// One axis of a Resize: sizes, scale, and the region of tf_crop_and_resize.
struct ResizeAxis {
    std::int64_t from = 0, to = 0;
    double scale = 1, start = 0, end = 1;
};

double source_position(const ResizeRule& rule, const ResizeAxis& axis, std::int64_t at) {
    const auto from = static_cast<double>(axis.from), x = static_cast<double>(at);
    const double to = from * axis.scale;  // unrounded, as in the operator's reference implementation
    if (rule.coordinates == "align_corners") return to == 1 ? 0 : x * (from - 1) / (to - 1);
    if (rule.coordinates == "asymmetric") return x / axis.scale;
    if (rule.coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
    if (rule.coordinates == "pytorch_half_pixel" && axis.to == 1) return 0;
    if (rule.coordinates == "tf_crop_and_resize")
        return axis.to > 1 ? axis.start * (from - 1) + x * (axis.end - axis.start) * (from - 1) / (to - 1)
                           : 0.5 * (axis.start + axis.end) * (from - 1);
    return (x + 0.5) / axis.scale - 0.5;
}

double nearest_position(const std::string& rule, double x) {
    if (rule == "floor") return std::floor(x);
    if (rule == "ceil") return std::ceil(x);
    if (rule == "round_prefer_ceil") return std::floor(x + 0.5);
    return std::ceil(x - 0.5);
}

/// Returns the weights of the neighbours of x, for t = x - floor(x). Linear: floor(x) and floor(x) + 1. Cubic (Keys,
/// cubic convolution): floor(x) - 1 to floor(x) + 2.
std::vector<double> neighbour_weights(const ResizeRule& rule, double t) {
    if (rule.mode == "linear") return {1 - t, t};
    const double a = rule.cubic_a;
    const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

/// A sparse matrix that resizes an axis by multiplication. Rows are output positions, columns input positions. Only the
/// few neighbours of each position are stored.
struct Neighbours {
    std::vector<Ints> positions;               ///< input positions of each neighbour, by output position
    std::vector<std::vector<double>> weights;  ///< weights of each neighbour, by output position
};

Neighbours find_neighbours(const ResizeRule& rule, const ResizeAxis& axis) {
    const std::size_t count = rule.mode == "linear" ? 2 : 4;
    Neighbours result{std::vector<Ints>(count), std::vector<std::vector<double>>(count)};
    for (std::int64_t at = 0; at < axis.to; ++at) {
        const double x = source_position(rule, axis, at);
        const auto first = static_cast<std::int64_t>(std::floor(x)) - (count == 4 ? 1 : 0);
        auto weights = neighbour_weights(rule, x - std::floor(x));
        double total = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto position = first + static_cast<std::int64_t>(i);
            if (rule.exclude_outside && (position < 0 || position >= axis.from)) weights[i] = 0;
            total += weights[i];
            result.positions[i].push_back(std::clamp<std::int64_t>(position, 0, axis.from - 1));
        }
        for (std::size_t i = 0; i < count; ++i)
            result.weights[i].push_back(rule.exclude_outside ? weights[i] / total : weights[i]);
    }
    return result;
}

at::Tensor resize_axis(const at::Tensor& x, std::int64_t along, const ResizeRule& rule, const ResizeAxis& axis) {
    if (rule.mode == "nearest") {
        Ints positions;
        for (std::int64_t at = 0; at < axis.to; ++at) {
            const double source = nearest_position(rule.nearest, source_position(rule, axis, at));
            positions.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(source), 0, axis.from - 1));
        }
        return select_positions(x, along, positions);
    }
    const auto neighbours = find_neighbours(rule, axis);
    Ints shape(static_cast<std::size_t>(x.dim()), 1);
    shape[static_cast<std::size_t>(along)] = axis.to;
    at::Tensor result;
    for (std::size_t i = 0; i < neighbours.positions.size(); ++i) {
        const auto weights = at::tensor(neighbours.weights[i], at::kDouble).to(x.options()).reshape(shape);
        const auto part = at::mul(select_positions(x, along, neighbours.positions[i]), weights);
        result = result.defined() ? at::add(result, part) : part;
    }
    return result;
}

/// Replaces positions that tf_crop_and_resize takes from outside of the input by the extrapolation value.
at::Tensor extrapolate(const at::Tensor& x, std::int64_t along, const ResizeRule& rule, const ResizeAxis& axis) {
    std::vector<std::int64_t> outside;
    for (std::int64_t at = 0; at < axis.to; ++at) {
        const double source = source_position(rule, axis, at);
        outside.push_back(source < 0 || source > static_cast<double>(axis.from - 1));
    }
    Ints shape(static_cast<std::size_t>(x.dim()), 1);
    shape[static_cast<std::size_t>(along)] = axis.to;
    const auto mask = at::tensor(outside, at::kLong).to(x.device()).to(at::kBool).reshape(shape);
    return at::masked_fill(x, mask, rule.extrapolation);
}

at::Tensor resize_to(at::Tensor x, const ResizeRule& rule, const std::vector<ResizeAxis>& axes) {
    const auto type = x.scalar_type();
    if (rule.mode != "nearest" && !at::isFloatingType(type)) x = x.to(at::kFloat);
    const bool crops = rule.coordinates == "tf_crop_and_resize";
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto along = static_cast<std::int64_t>(i);
        if (axes[i].scale == 1 && axes[i].from == axes[i].to && !crops) continue;
        x = resize_axis(x, along, rule, axes[i]);
    }
    for (std::size_t i = 0; i < axes.size() && crops; ++i)
        x = extrapolate(x, static_cast<std::int64_t>(i), rule, axes[i]);
    return x.to(type);
}

std::vector<ResizeAxis> axes_by_scales(const at::Tensor& x, const std::vector<double>& scales) {
    std::vector<ResizeAxis> axes(static_cast<std::size_t>(x.dim()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        axes[i].from = x.size(static_cast<std::int64_t>(i));
        axes[i].scale = scales.at(i);
        // A scale is a float32, so the product of scale and size may be just below a whole number because of rounding.
        axes[i].to = static_cast<std::int64_t>(std::floor(static_cast<double>(axes[i].from) * scales[i] + 1e-6));
    }
    return axes;
}

std::vector<ResizeAxis> axes_by_sizes(const at::Tensor& x, const Ints& sizes) {
    std::vector<ResizeAxis> axes(static_cast<std::size_t>(x.dim()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        axes[i].from = x.size(static_cast<std::int64_t>(i));
        axes[i].to = sizes.at(i);
        axes[i].scale = static_cast<double>(axes[i].to) / static_cast<double>(axes[i].from);
    }
    return axes;
}

/// Makes the kernel of Resize. In operator set 10 it has only scales, and rounds asymmetric coordinates down.
Kernel resize(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool old = node.opset() < 11;
    ResizeRule rule;
    rule.mode = node.text("mode", "nearest");
    rule.coordinates = node.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    rule.nearest = node.text("nearest_mode", old ? "floor" : "round_prefer_floor");
    rule.cubic_a = node.real("cubic_coeff_a", -0.75);
    rule.extrapolation = node.real("extrapolation_value", 0);
    rule.exclude_outside = node.flag("exclude_outside");
    return [=](const RunContext&, const Tensors& x) {
        const auto& scales = optional_input(x, old ? 1 : 2);
        const auto& sizes = optional_input(x, 3);
        const bool by_sizes = sizes.defined() && sizes.numel() > 0;
        auto axes = by_sizes ? axes_by_sizes(x[0], to_integers(sizes)) : axes_by_scales(x[0], to_reals(scales));
        if (rule.coordinates == "tf_crop_and_resize") {
            const auto region = to_reals(x[1]);
            for (std::size_t i = 0; i < axes.size(); ++i) {
                axes[i].start = region.at(i);
                axes[i].end = region.at(axes.size() + i);
            }
        }
        return one(resize_to(x[0], rule, axes));
    };
}

/// Makes the kernel of Upsample, the predecessor of Resize. Scales are an attribute up to operator set 8, and an input
/// from operator set 9 on.
Kernel upsample(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    ResizeRule rule;
    rule.mode = node.text("mode", "nearest");
    if (rule.mode == "bilinear") rule.mode = "linear";
    rule.coordinates = "asymmetric";
    rule.nearest = "floor";
    return [rule, scales = node.reals("scales")](const RunContext&, const Tensors& x) {
        return one(resize_to(x[0], rule, axes_by_scales(x[0], scales ? *scales : to_reals(x[1]))));
    };
}

Kernel grid_sample(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto mode_text = node.text("mode", "linear");
    const auto padding_text = node.text("padding_mode", "zeros");
    const std::int64_t mode = mode_text == "nearest" ? 1 : mode_text.ends_with("cubic") ? 2 : 0;
    const std::int64_t padding = padding_text == "border" ? 1 : padding_text == "reflection" ? 2 : 0;
    const bool align = node.flag("align_corners");
    return [=](const RunContext&, const Tensors& x) { return one(at::grid_sampler(x[0], x[1], mode, padding, align)); };
}

/// Returns the average of bilinear samples along one axis, as a matrix: `count` outputs by `size` inputs (He et al.,
/// arXiv 1703.06870). A sample more than one pixel outside the input is zero;
/// other samples are clamped.
at::Tensor roi_matrix(double start, double length, std::int64_t count, std::int64_t samples, std::int64_t size) {
    auto matrix = at::zeros({count, size}, at::kDouble);
    auto weights = matrix.accessor<double, 2>();
    const double bin = length / static_cast<double>(count);
    if (samples <= 0) samples = static_cast<std::int64_t>(std::ceil(bin));
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t s = 0; s < samples; ++s) {
            const double at =
                start + bin * (static_cast<double>(i) + (static_cast<double>(s) + 0.5) / static_cast<double>(samples));
            if (at < -1.0 || at > static_cast<double>(size)) continue;
            const double inside = std::clamp(at, 0.0, static_cast<double>(size - 1));
            const auto low = static_cast<std::int64_t>(inside);
            const auto high = std::min(low + 1, size - 1);
            const double part = inside - static_cast<double>(low);
            weights[i][low] += (1 - part) / static_cast<double>(samples);
            weights[i][high] += part / static_cast<double>(samples);
        }
    }
    return matrix;
}

/// Makes the kernel of RoiAlign, which averages regions. It is differentiable with respect to the features, but not
/// with respect to the regions.
Kernel region_align(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto height = node.integer("output_height", 1), width = node.integer("output_width", 1);
    const auto samples = node.integer("sampling_ratio", 0);
    const double scale = node.real("spatial_scale", 1.0);
    const bool half = node.opset() >= 16 && node.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
    return [=](const RunContext&, const Tensors& x) {
        const auto regions = to_reals(x[1]);
        const auto batches = to_integers(x[2]);
        const double offset = half ? 0.5 : 0.0;
        Tensors pooled;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            const double left = regions.at(4 * i) * scale - offset, top = regions.at(4 * i + 1) * scale - offset;
            double across = regions.at(4 * i + 2) * scale - offset - left;
            double down = regions.at(4 * i + 3) * scale - offset - top;
            if (!half) across = std::max(across, 1.0), down = std::max(down, 1.0);
            const auto rows = roi_matrix(top, down, height, samples, x[0].size(2)).to(x[0].options());
            const auto columns = roi_matrix(left, across, width, samples, x[0].size(3)).to(x[0].options());
            pooled.push_back(at::matmul(at::matmul(rows, at::select(x[0], 0, batches[i])), columns.t()));
        }
        if (pooled.empty()) return one(at::empty({0, x[0].size(1), height, width}, x[0].options()));
        return one(at::stack(pooled));
    };
}

}  // namespace

void add_resize_kernels(KernelTable& table) {
    table[":GridSample"] = grid_sample;
    table[":Pad"] = pad;
    table[":Resize"] = resize;
    table[":RoiAlign"] = region_align;
    table[":Upsample"] = upsample;
}

}  // namespace divisi::segment
