// SPDX-License-Identifier: Apache-2.0
// Normalizations and softmax.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

/// Returns whether an output of the node is read by another node, or is an output of the model.
bool is_read(const graph::Graph& g, const graph::Node& n, std::size_t slot) {
    if (slot >= n.outputs.size() || n.outputs[slot] == graph::no_value) return false;
    const graph::ValueIndex value = n.outputs[slot];
    return !g.values[static_cast<std::size_t>(value)].consumers.empty() ||
           std::find(g.outputs.begin(), g.outputs.end(), value) != g.outputs.end();
}

/// Computes running = running * momentum + batch * (1 - momentum). The variance of a batch of n numbers per channel is
/// `population ? 1 : n / (n - 1)` times the population variance.
Tensors batch_statistics(const RunContext& context, const Tensors& x, double epsilon, double momentum,
                         bool population) {
    auto [y, mean, inverse_deviation] = at::native_batch_norm(x[0], x[1], x[2], {}, {}, true, 0.0, epsilon);
    Tensors result;
    result.push_back(std::move(y));
    const at::NoGradGuard no_gradients;
    if (!context.update_statistics) {
        result.push_back(x[3].detach());
        result.push_back(x[4].detach());
        return result;
    }
    auto variance = at::sub(at::pow(inverse_deviation.detach(), -2), epsilon);
    const auto count = static_cast<double>(x[0].numel() / x[0].size(1));
    if (!population && count > 1) variance.mul_(count / (count - 1));
    const auto blend = [momentum](const at::Tensor& running, const at::Tensor& batch) {
        return at::add(at::mul(running, momentum), batch.to(running.scalar_type()), 1.0 - momentum);
    };
    result.push_back(blend(x[3].detach(), mean.detach()));
    result.push_back(blend(x[4].detach(), variance));
    return result;
}

/// Uses the batch's statistics if the model requests this and the run is training; otherwise uses the running
/// statistics. The model requests this by training_mode or, before operator set 14, by more than one output.
///
/// ONNX computes the new running variance from the population variance, and a model that reads it gets that value. If
/// the running variance is kept only for evaluation, it is computed from the unbiased variance, as in PyTorch,
/// TensorFlow and cuDNN.
Kernel batch_normalization(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const double epsilon = node.real("epsilon", 1e-5f), momentum = node.real("momentum", 0.9f);
    const bool learns = node.opset() >= 14 ? node.flag("training_mode") : node.has_output(1);
    const bool population = is_read(g, n, 2);
    return [=](const RunContext& context, const Tensors& x) {
        if (learns && context.training) return batch_statistics(context, x, epsilon, momentum, population);
        return one(at::batch_norm(x[0], x[1], x[2], x[3], x[4], false, 0.0, epsilon, false));
    };
}

/// Normalizes every sample separately by batch normalization, always with batch statistics.
Kernel instance_normalization(const graph::Graph& g, const graph::Node& n) {
    const double epsilon = NodeReader(g, n).real("epsilon", 1e-5f);
    return [epsilon](const RunContext&, const Tensors& x) {
        return one(at::instance_norm(x[0], x[1], x[2], {}, {}, true, 0.0, epsilon, false));
    };
}

Ints trailing_axes(const at::Tensor& x, std::size_t count) {
    Ints axes(count);
    std::iota(axes.begin(), axes.end(), x.dim() - static_cast<std::int64_t>(count));
    return axes;
}

Kernel layer_normalization(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto axis = node.integer("axis", -1);
    const double epsilon = node.real("epsilon", 1e-5f);
    const bool statistics = node.has_output(1) || node.has_output(2);
    return [=](const RunContext&, const Tensors& x) {
        const auto shape = x[0].sizes().slice(static_cast<std::size_t>(positive_axis(axis, x[0].dim())));
        const auto fit = [&](const at::Tensor& t) { return t.defined() && t.sizes() != shape ? t.expand(shape) : t; };
        auto y = std::get<0>(at::native_layer_norm(x[0], shape, fit(x[1]), fit(optional_input(x, 2)), epsilon));
        if (!statistics) return one(std::move(y));
        // Computes the statistics with separate operators, because LibTorch's operator does not propagate gradients
        // through the statistics that it returns.
        const auto mean = at::mean(x[0], trailing_axes(x[0], shape.size()), true);
        const auto centred = at::sub(x[0], mean);
        const auto variance = at::mean(at::mul(centred, centred), trailing_axes(x[0], shape.size()), true);
        return Tensors{y, mean, at::rsqrt(at::add(variance, epsilon))};
    };
}

/// Computes x / sqrt(mean(x^2) + epsilon) * scale (Zhang and Sennrich, arXiv 1910.07467).
Kernel rms_normalization(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto axis = node.integer("axis", -1);
    const double epsilon = node.real("epsilon", 1e-5f);
    return [=](const RunContext&, const Tensors& x) {
        const auto axes = trailing_axes(x[0], static_cast<std::size_t>(x[0].dim() - positive_axis(axis, x[0].dim())));
        const auto mean_square = at::mean(at::mul(x[0], x[0]), axes, true);
        return one(at::mul(at::mul(x[0], at::rsqrt(at::add(mean_square, epsilon))), x[1]));
    };
}

/// Scale and bias are per channel from operator set 21 on, and per group in older operator sets.
Kernel group_normalization(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const double epsilon = node.real("epsilon", 1e-5f);
    const auto groups = node.integer("num_groups", 1);
    const bool per_group = node.opset() < 21;
    return [=](const RunContext&, const Tensors& x) {
        const auto per_channel = [&](const at::Tensor& t) {
            return per_group ? at::repeat_interleave(t, x[0].size(1) / groups) : t;
        };
        return one(at::group_norm(x[0], groups, per_channel(x[1]), per_channel(x[2]), epsilon, false));
    };
}

at::Tensor soft_max_along(const at::Tensor& x, std::int64_t axis) { return at::softmax(x, axis); }
at::Tensor log_soft_max_along(const at::Tensor& x, std::int64_t axis) { return at::log_softmax(x, axis); }

/// Up to operator set 12, flattens the axes from `axis` on and normalizes over all of these axes.
template <at::Tensor (*function)(const at::Tensor&, std::int64_t)>
Kernel soft_max(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    if (node.opset() >= 13) {
        const auto axis = node.integer("axis", -1);
        return [axis](const RunContext&, const Tensors& x) { return one(function(x[0], axis)); };
    }
    return [axis = node.integer("axis", 1)](const RunContext&, const Tensors& x) {
        const auto first = positive_axis(axis, x[0].dim());
        if (first == x[0].dim() - 1) return one(function(x[0], first));
        return one(function(x[0].flatten(first), first).reshape(x[0].sizes()));
    };
}

at::Tensor hard_max_along(const at::Tensor& x, std::int64_t axis) {
    return at::zeros_like(x).scatter(axis, at::argmax(x, axis, true), 1);
}

Kernel hard_max(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool flatten = node.opset() < 13;
    return [flatten, axis = node.integer("axis", flatten ? 1 : -1)](const RunContext&, const Tensors& x) {
        const auto first = positive_axis(axis, x[0].dim());
        if (!flatten) return one(hard_max_along(x[0], first));
        return one(hard_max_along(x[0].flatten(first), first).reshape(x[0].sizes()));
    };
}

/// Computes y = x / (bias + alpha / size * sum of squares over the `size` channels around)^beta.
Kernel local_response_normalization(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const double alpha = node.real("alpha", 1e-4f), beta = node.real("beta", 0.75), bias = node.real("bias", 1.0);
    const auto size = node.integer("size", 1);
    return [=](const RunContext&, const Tensors& x) {
        const auto channels = x[0].size(1);
        Ints padding(static_cast<std::size_t>(2 * (x[0].dim() - 1)), 0);
        padding[padding.size() - 2] = (size - 1) / 2;
        padding[padding.size() - 1] = size - 1 - (size - 1) / 2;
        const auto padded = at::constant_pad_nd(at::mul(x[0], x[0]), padding, 0);
        auto sum = at::narrow(padded, 1, 0, channels);
        for (std::int64_t offset = 1; offset < size; ++offset)
            sum = at::add(sum, at::narrow(padded, 1, offset, channels));
        const auto divisor = at::pow(at::add(at::mul(sum, alpha / static_cast<double>(size)), bias), beta);
        return one(at::div(x[0], divisor));
    };
}

/// A slice of norm zero stays zero.
Kernel lp_normalization(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto axis = node.integer("axis", -1), p = node.integer("p", 2);
    return [=](const RunContext&, const Tensors& x) {
        const auto length = at::norm(x[0], p, {axis}, true);
        return one(at::div(x[0], at::where(at::eq(length, 0), at::ones_like(length), length)));
    };
}

/// Computes (x - mean) / (standard deviation + 1e-9), as the operator's function body defines.
Kernel mean_variance_normalization(const graph::Graph& g, const graph::Node& n) {
    const auto axes = NodeReader(g, n).integers("axes").value_or(Ints{0, 2, 3});
    return [axes](const RunContext&, const Tensors& x) {
        const auto centred = at::sub(x[0], at::mean(x[0], axes, true));
        const auto deviation = at::sqrt(at::mean(at::mul(centred, centred), axes, true));
        return one(at::div(centred, at::add(deviation, 1e-9)));
    };
}

}  // namespace

void add_normalization_kernels(KernelTable& table) {
    table[":BatchNormalization"] = batch_normalization;
    table[":GroupNormalization"] = group_normalization;
    table[":Hardmax"] = hard_max;
    table[":InstanceNormalization"] = instance_normalization;
    table[":LRN"] = local_response_normalization;
    table[":LayerNormalization"] = layer_normalization;
    table[":LogSoftmax"] = soft_max<log_soft_max_along>;
    table[":LpNormalization"] = lp_normalization;
    table[":MeanVarianceNormalization"] = mean_variance_normalization;
    table[":RMSNormalization"] = rms_normalization;
    table[":Softmax"] = soft_max<soft_max_along>;
}

}  // namespace divisi::segment
