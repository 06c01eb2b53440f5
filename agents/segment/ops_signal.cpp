// SPDX-License-Identifier: Apache-2.0
// Spectra of signals. Transforms are products with a matrix of cosines and sines, so that they have gradients and give
// the same result on every device.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "agents/segment/kernel_tools.h"
#include "agents/segment/tensors.h"

namespace divisi::segment {

namespace {

struct Spectrum {
    at::Tensor cosine, sine;  ///< matrices with shape [time, frequency]
};

/// Returns cos and sin of 2 pi t f / length for f < frequencies, with the given options.
Spectrum spectrum_matrix(std::int64_t length, std::int64_t frequencies, const at::TensorOptions& options) {
    const auto whole = at::TensorOptions(options.device()).dtype(at::kLong);
    // The product modulo the length keeps the angle small and therefore exact.
    const auto turns = at::remainder(at::outer(at::arange(length, whole), at::arange(frequencies, whole)), length);
    const auto angle = at::mul(turns.to(at::kDouble), 2.0 * std::numbers::pi / static_cast<double>(length));
    return {at::cos(angle).to(options.dtype()), at::sin(angle).to(options.dtype())};
}

/// Transforms along the last axis, which is time; undefined `imaginary` means zero. Adds an axis: real, imaginary part.
at::Tensor transform(const at::Tensor& real, const at::Tensor& imaginary, std::int64_t frequencies, bool inverse) {
    const auto length = real.size(-1);
    const auto [cosine, sine] = spectrum_matrix(length, frequencies, real.options());
    const auto signed_sine = inverse ? at::neg(sine) : sine;
    // (a + bi)(cos - i sin)
    auto out_real = at::matmul(real, cosine);
    auto out_imaginary = at::neg(at::matmul(real, signed_sine));
    if (imaginary.defined()) {
        out_real = at::add(out_real, at::matmul(imaginary, signed_sine));
        out_imaginary = at::add(out_imaginary, at::matmul(imaginary, cosine));
    }
    auto result = at::stack({out_real, out_imaginary}, -1);
    return inverse ? at::div(result, static_cast<double>(length)) : result;
}

/// Truncates or zero-pads the last axis to `length`.
at::Tensor fit(const at::Tensor& x, std::int64_t length) {
    return x.size(-1) == length ? x : at::constant_pad_nd(x, {0, length - x.size(-1)}, 0);
}

Kernel fourier_transform(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool inverse = node.flag("inverse"), onesided = node.flag("onesided");
    const bool axis_is_input = node.opset() >= 20;
    const auto axis_attribute = node.integer("axis", 1);
    return [=](const RunContext&, const Tensors& x) {
        const auto& axis_input = optional_input(x, 2);
        const auto given = !axis_is_input ? axis_attribute : axis_input.defined() ? to_integers(axis_input).at(0) : -2;
        const auto axis = positive_axis(given, x[0].dim());
        const auto moved = at::movedim(x[0], axis, -2);  // axes: ..., time, parts
        const auto& wanted = optional_input(x, 1);
        const auto length = wanted.defined() ? to_integers(wanted).at(0) : moved.size(-2);
        const auto real = fit(at::select(moved, -1, 0), length);
        const auto imaginary = moved.size(-1) == 2 ? fit(at::select(moved, -1, 1), length) : at::Tensor();
        const auto result = transform(real, imaginary, onesided ? length / 2 + 1 : length, inverse);
        return one(at::movedim(result, -2, axis));
    };
}

Kernel short_time_transform(const graph::Graph& g, const graph::Node& n) {
    const bool onesided = NodeReader(g, n).flag("onesided", true);
    return [onesided](const RunContext&, const Tensors& x) {
        const auto hop = to_integers(x[1]).at(0);
        const auto& window = optional_input(x, 2);
        const auto& given = optional_input(x, 3);
        const auto length = given.defined() ? to_integers(given).at(0) : window.size(0);
        const bool complex = x[0].dim() == 3 && x[0].size(2) == 2;
        const auto frames_of = [&](const at::Tensor& signal) {
            const auto frames = signal.unfold(1, length, hop);
            return window.defined() ? at::mul(frames, window) : frames;
        };
        const auto real = frames_of(x[0].dim() == 3 ? at::select(x[0], 2, 0) : x[0]);
        const auto imaginary = complex ? frames_of(at::select(x[0], 2, 1)) : at::Tensor();
        return one(transform(real, imaginary, onesided ? length / 2 + 1 : length, false));
    };
}

/// Makes the kernel of a window function: the sum over k of a[k] cos(2 pi k t / n). n is the length, or the length
/// minus one for a symmetric window.
template <int terms>
Kernel cosine_window(const graph::Graph& g, const graph::Node& n, const double (&a)[terms]) {
    const NodeReader node(g, n);
    const bool periodic = node.flag("periodic", true);
    const auto type = to_scalar_type(static_cast<graph::DType>(node.integer("output_datatype", 1)));
    std::vector<double> factors(a, a + terms);
    return [=](const RunContext& context, const Tensors& x) {
        const auto size = to_integers(x[0]).at(0);
        const auto time = at::arange(size, at::TensorOptions(context.device).dtype(at::kDouble));
        const double period = static_cast<double>(periodic ? size : size - 1);
        auto result = at::full_like(time, factors[0]);
        for (std::size_t k = 1; k < factors.size(); ++k) {
            const double turn = 2.0 * std::numbers::pi * static_cast<double>(k) / period;
            result = at::add(result, at::cos(at::mul(time, turn)), factors[k]);
        }
        return one(result.to(type));
    };
}

Kernel hann_window(const graph::Graph& g, const graph::Node& n) { return cosine_window<2>(g, n, {0.5, -0.5}); }

Kernel hamming_window(const graph::Graph& g, const graph::Node& n) {
    return cosine_window<2>(g, n, {25.0 / 46.0, -21.0 / 46.0});
}

Kernel blackman_window(const graph::Graph& g, const graph::Node& n) {
    return cosine_window<3>(g, n, {0.42, -0.5, 0.08});
}

/// Returns a matrix of triangular filters over the bins of a spectrum. The corners of the filters are evenly spaced on
/// the mel scale.
at::Tensor mel_matrix(std::int64_t bands, std::int64_t length, double rate, double low, double high) {
    const auto to_mel = [](double hertz) { return 2595.0 * std::log10(1.0 + hertz / 700.0); };
    const auto bins = length / 2 + 1;
    std::vector<std::int64_t> edges;
    const double step = (to_mel(high) - to_mel(low)) / static_cast<double>(bands + 2);
    for (std::int64_t i = 0; i < bands + 2; ++i) {
        const double hertz = 700.0 * (std::pow(10.0, (static_cast<double>(i) * step + to_mel(low)) / 2595.0) - 1.0);
        edges.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(length + 1) * hertz / rate)));
    }
    auto matrix = at::zeros({bins, bands}, at::kDouble);
    auto weights = matrix.accessor<double, 2>();
    for (std::int64_t band = 0; band < bands; ++band) {
        const auto i = static_cast<std::size_t>(band);
        const auto lower = edges[i], centre = edges[i + 1], upper = edges[i + 2];
        const auto inside = [bins](std::int64_t bin) { return bin >= 0 && bin < bins; };
        const auto set = [&](std::int64_t bin, std::int64_t part, std::int64_t whole) {
            weights[bin][band] = static_cast<double>(part) / static_cast<double>(whole);
        };
        if (lower == centre && inside(centre)) set(centre, 1, 1);
        for (auto bin = lower; bin <= centre && lower != centre; ++bin)
            if (inside(bin)) set(bin, bin - lower, centre - lower);
        for (auto bin = centre; bin < upper; ++bin)
            if (inside(bin)) set(bin, upper - bin, upper - centre);
    }
    return matrix;
}

Kernel mel_weight_matrix(const graph::Graph& g, const graph::Node& n) {
    const auto type = to_scalar_type(static_cast<graph::DType>(NodeReader(g, n).integer("output_datatype", 1)));
    return [type](const RunContext& context, const Tensors& x) {
        const auto bands = to_integers(x[0]).at(0), length = to_integers(x[1]).at(0);
        const double rate = to_reals(x[2]).at(0), low = to_reals(x[3]).at(0), high = to_reals(x[4]).at(0);
        return one(mel_matrix(bands, length, rate, low, high).to(type).to(context.device));
    };
}

}  // namespace

void add_signal_kernels(KernelTable& table) {
    table[":BlackmanWindow"] = blackman_window;
    table[":DFT"] = fourier_transform;
    table[":HammingWindow"] = hamming_window;
    table[":HannWindow"] = hann_window;
    table[":MelWeightMatrix"] = mel_weight_matrix;
    table[":STFT"] = short_time_transform;
}

}  // namespace divisi::segment
