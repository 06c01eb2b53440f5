// SPDX-License-Identifier: Apache-2.0
// Arithmetic with broadcasting, and functions of one tensor.
#include <ATen/ATen.h>

#include <limits>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

/// Makes the kernel of an operator that combines any number of inputs from left to right, such as Sum, Max and Min.
template <Binary function>
Kernel variadic(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) {
        auto result = x[0];
        for (std::size_t i = 1; i < x.size(); ++i) result = function(result, x[i]);
        return one(std::move(result));
    };
}

at::Tensor add(const at::Tensor& a, const at::Tensor& b) { return at::add(a, b); }
at::Tensor subtract(const at::Tensor& a, const at::Tensor& b) { return at::sub(a, b); }
at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) { return at::mul(a, b); }

/// Integers divide as in C, toward zero.
at::Tensor divide(const at::Tensor& a, const at::Tensor& b) {
    return at::isFloatingType(a.scalar_type()) ? at::div(a, b) : at::div(a, b, "trunc");
}

/// Returns the power in the type of the base. Whole numbers are computed in float64 if the exponent has a different
/// type.
at::Tensor power(const at::Tensor& base, const at::Tensor& exponent) {
    const auto type = base.scalar_type();
    if (type == exponent.scalar_type()) return at::pow(base, exponent);
    if (at::isFloatingType(type)) return at::pow(base, exponent.to(type));
    return at::pow(base.to(at::kDouble), exponent.to(at::kDouble)).to(type);
}

/// Passes a known exponent as a number, for which LibTorch has faster code.
Kernel raise(const graph::Graph& g, const graph::Node& n) {
    const auto exponent = NodeReader(g, n).constant_real(1);
    return [exponent](const RunContext&, const Tensors& x) {
        if (exponent && at::isFloatingType(x[0].scalar_type())) return one(at::pow(x[0], *exponent));
        return one(power(x[0], x[1]));
    };
}

/// Sums first and divides once: pairwise means would weight the inputs differently.
at::Tensor mean_of_all(const Tensors& x) {
    auto sum = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) sum = at::add(sum, x[i]);
    return x.size() == 1 ? sum : at::div(sum, static_cast<double>(x.size()));
}

Kernel mean(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) { return one(mean_of_all(x)); };
}

Kernel modulo(const graph::Graph& g, const graph::Node& n) {
    const bool c_style = NodeReader(g, n).flag("fmod");
    return [c_style](const RunContext&, const Tensors& x) {
        return one(c_style ? at::fmod(x[0], x[1]) : at::remainder(x[0], x[1]));
    };
}

at::Tensor identity(const at::Tensor& x) { return x; }
at::Tensor relu(const at::Tensor& x) { return at::relu(x); }
at::Tensor soft_plus(const at::Tensor& x) { return at::softplus(x); }
at::Tensor soft_sign(const at::Tensor& x) { return at::div(x, at::add(at::abs(x), 1)); }
at::Tensor hard_swish(const at::Tensor& x) { return at::hardswish(x); }
at::Tensor error_function(const at::Tensor& x) { return at::erf(x).to(x.scalar_type()); }
/// LibTorch's own function does not support bfloat16 on the CPU.
at::Tensor mish(const at::Tensor& x) { return at::mul(x, at::tanh(at::softplus(x))); }
at::Tensor round_half_to_even(const at::Tensor& x) { return at::round(x); }
at::Tensor sign(const at::Tensor& x) { return at::sign(x); }

Kernel gelu(const graph::Graph& g, const graph::Node& n) {
    const bool approximate = NodeReader(g, n).text("approximate", "none") == "tanh";
    return [approximate](const RunContext&, const Tensors& x) {
        return one(at::gelu(x[0], approximate ? "tanh" : "none"));
    };
}

Kernel elu(const graph::Graph& g, const graph::Node& n) {
    const double alpha = NodeReader(g, n).real("alpha", 1.0);
    return [alpha](const RunContext&, const Tensors& x) { return one(at::elu(x[0], alpha)); };
}

Kernel celu(const graph::Graph& g, const graph::Node& n) {
    const double alpha = NodeReader(g, n).real("alpha", 1.0);
    return [alpha](const RunContext&, const Tensors& x) { return one(at::celu(x[0], alpha)); };
}

Kernel selu(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const double alpha = node.real("alpha", 1.67326319217681884765625);
    const double gamma = node.real("gamma", 1.05070102214813232421875);
    return [=](const RunContext&, const Tensors& x) { return one(at::elu(x[0], alpha, gamma)); };
}

Kernel leaky_relu(const graph::Graph& g, const graph::Node& n) {
    const double alpha = NodeReader(g, n).real("alpha", 0.01);
    return [alpha](const RunContext&, const Tensors& x) { return one(at::leaky_relu(x[0], alpha)); };
}

/// Broadcasts the slope to the input: along the channel axis before operator set 7, later with aligned last axes.
Kernel parametric_relu(const graph::Graph& g, const graph::Node& n) {
    const bool channel_wise = NodeReader(g, n).opset() < 7;
    return [channel_wise](const RunContext&, const Tensors& x) {
        auto slope = x[1];
        if (channel_wise && slope.dim() == 1 && slope.numel() > 1 && x[0].dim() > 1) {
            Ints shape(static_cast<std::size_t>(x[0].dim()), 1);
            shape[1] = slope.numel();
            slope = slope.reshape(shape);
        }
        return one(at::where(at::ge(x[0], 0), x[0], at::mul(x[0], slope)));
    };
}

Kernel thresholded_relu(const graph::Graph& g, const graph::Node& n) {
    const double alpha = NodeReader(g, n).real("alpha", 1.0);
    return [alpha](const RunContext&, const Tensors& x) { return one(at::threshold(x[0], alpha, 0)); };
}

Kernel hard_sigmoid(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const double alpha = node.real("alpha", 0.2f);
    const double beta = node.real("beta", 0.5);
    return
        [=](const RunContext&, const Tensors& x) { return one(at::clamp(at::add(at::mul(x[0], alpha), beta), 0, 1)); };
}

Kernel shrink(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const double bias = node.real("bias", 0.0);
    const double lambd = node.real("lambd", 0.5);
    return [=](const RunContext&, const Tensors& x) {
        const auto zero = at::zeros_like(x[0]);
        const auto high = at::where(at::gt(x[0], lambd), at::sub(x[0], bias), zero);
        return one(at::where(at::lt(x[0], -lambd), at::add(x[0], bias), high).to(x[0].scalar_type()));
    };
}

Kernel swish(const graph::Graph& g, const graph::Node& n) {
    const double alpha = NodeReader(g, n).real("alpha", 1.0);
    return [alpha](const RunContext&, const Tensors& x) {
        return one(alpha == 1.0 ? at::silu(x[0]) : at::mul(x[0], at::sigmoid(at::mul(x[0], alpha))));
    };
}

/// Limits are attributes up to operator set 10, scalar inputs afterwards. If the lower limit exceeds the upper limit,
/// the upper limit applies.
Kernel clip(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    if (node.opset() < 11) {
        const double none = std::numeric_limits<double>::infinity();
        const double low = node.real("min", -none), high = node.real("max", none);
        return [=](const RunContext&, const Tensors& x) {
            auto result = low == -none ? x[0] : at::clamp_min(x[0], low);
            return one(high == none ? result : at::clamp_max(result, high));
        };
    }
    const auto low_number = node.constant_real(1), high_number = node.constant_real(2);
    if (low_number && high_number)
        return [low = *low_number, high = *high_number](const RunContext&, const Tensors& x) {
            return one(at::clamp(x[0], low, high));
        };
    return [](const RunContext&, const Tensors& x) {
        const auto& low = optional_input(x, 1);
        const auto& high = optional_input(x, 2);
        auto result = low.defined() ? at::max(x[0], low) : x[0];
        return one(high.defined() ? at::min(result, high) : result);
    };
}

void add_arithmetic(KernelTable& table) {
    table[":Add"] = binary<add>;
    table[":Sub"] = binary<subtract>;
    table[":Mul"] = binary<multiply>;
    table[":Div"] = binary<divide>;
    table[":Pow"] = raise;
    table[":Mod"] = modulo;
    table[":Sum"] = variadic<add>;
    table[":Mean"] = mean;
    table[":Max"] = variadic<at::maximum>;
    table[":Min"] = variadic<at::minimum>;
}

void add_functions(KernelTable& table) {
    table[":Abs"] = unary<at::abs>;
    table[":Acos"] = unary<at::acos>;
    table[":Acosh"] = unary<at::acosh>;
    table[":Asin"] = unary<at::asin>;
    table[":Asinh"] = unary<at::asinh>;
    table[":Atan"] = unary<at::atan>;
    table[":Atanh"] = unary<at::atanh>;
    table[":Ceil"] = unary<at::ceil>;
    table[":Cos"] = unary<at::cos>;
    table[":Cosh"] = unary<at::cosh>;
    table[":Erf"] = unary<error_function>;
    table[":Exp"] = unary<at::exp>;
    table[":Floor"] = unary<at::floor>;
    table[":Identity"] = unary<identity>;
    table[":Log"] = unary<at::log>;
    table[":Neg"] = unary<at::neg>;
    table[":Reciprocal"] = unary<at::reciprocal>;
    table[":Round"] = unary<round_half_to_even>;
    table[":Sigmoid"] = unary<at::sigmoid>;
    table[":Sign"] = unary<sign>;
    table[":Sin"] = unary<at::sin>;
    table[":Sinh"] = unary<at::sinh>;
    table[":Sqrt"] = unary<at::sqrt>;
    table[":Tan"] = unary<at::tan>;
    table[":Tanh"] = unary<at::tanh>;
}

void add_activations(KernelTable& table) {
    table[":Celu"] = celu;
    table[":Clip"] = clip;
    table[":Elu"] = elu;
    table[":Gelu"] = gelu;
    table[":HardSigmoid"] = hard_sigmoid;
    table[":HardSwish"] = unary<hard_swish>;
    table[":LeakyRelu"] = leaky_relu;
    table[":Mish"] = unary<mish>;
    table[":PRelu"] = parametric_relu;
    table[":Relu"] = unary<relu>;
    table[":Selu"] = selu;
    table[":Shrink"] = shrink;
    table[":Softplus"] = unary<soft_plus>;
    table[":Softsign"] = unary<soft_sign>;
    table[":Swish"] = swish;
    table[":ThresholdedRelu"] = thresholded_relu;
}

}  // namespace

void add_elementwise_kernels(KernelTable& table) {
    add_arithmetic(table);
    add_functions(table);
    add_activations(table);
}

}  // namespace divisi::segment
