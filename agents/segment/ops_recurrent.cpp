// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM, unrolled over time; names as in the ONNX definitions.
#include <ATen/ATen.h>

#include <stdexcept>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

/// An activation function with its parameters.
struct Activation {
    std::string name;
    double alpha = 0, beta = 0;

    at::Tensor operator()(const at::Tensor& x) const {
        if (name == "Tanh") return at::tanh(x);
        if (name == "Sigmoid") return at::sigmoid(x);
        if (name == "Relu") return at::relu(x);
        if (name == "Affine") return at::add(at::mul(x, alpha), beta);
        if (name == "LeakyRelu") return at::leaky_relu(x, alpha);
        if (name == "ThresholdedRelu") return at::threshold(x, alpha, 0);
        if (name == "ScaledTanh") return at::mul(at::tanh(at::mul(x, beta)), alpha);
        if (name == "HardSigmoid") return at::clamp(at::add(at::mul(x, alpha), beta), 0, 1);
        if (name == "Elu") return at::elu(x, alpha);
        if (name == "Softsign") return at::div(x, at::add(at::abs(x), 1));
        if (name == "Softplus") return at::softplus(x);
        throw std::invalid_argument("unknown activation '" + name + "' of a recurrent operator");
    }
};

double default_alpha(const std::string& name) {
    if (name == "HardSigmoid") return 0.2;
    if (name == "LeakyRelu") return 0.01;
    return 1.0;
}

struct Recurrence {
    enum class Kind { rnn, gru, lstm } kind = Kind::rnn;
    std::int64_t hidden = 0;
    std::string direction;
    bool batch_first = false, linear_before_reset = false, input_forget = false;
    std::optional<double> clip;
    std::vector<Activation> activations;  ///< for each direction one (RNN), two (GRU) or three (LSTM)

    std::size_t functions() const { return kind == Kind::lstm ? 3 : kind == Kind::gru ? 2 : 1; }
    at::Tensor limit(const at::Tensor& x) const { return clip ? at::clamp(x, -*clip, *clip) : x; }
};

std::vector<std::string> default_activations(Recurrence::Kind kind) {
    if (kind == Recurrence::Kind::lstm) return {"Sigmoid", "Tanh", "Tanh"};
    if (kind == Recurrence::Kind::gru) return {"Sigmoid", "Tanh"};
    return {"Tanh"};
}

Recurrence read_recurrence(const NodeReader& node, Recurrence::Kind kind) {
    Recurrence r;
    r.kind = kind;
    r.hidden = node.integer("hidden_size", 0);
    r.direction = node.text("direction", "forward");
    r.batch_first = node.flag("layout");
    r.linear_before_reset = node.flag("linear_before_reset");
    r.input_forget = node.flag("input_forget");
    if (node.has("clip")) r.clip = node.real("clip", 0);
    const std::size_t directions = r.direction == "bidirectional" ? 2 : 1;
    auto names = node.texts("activations").value_or(std::vector<std::string>{});
    while (names.size() < directions * r.functions())
        for (const auto& name : default_activations(kind)) names.push_back(name);
    const auto alphas = node.reals("activation_alpha").value_or(std::vector<double>{});
    const auto betas = node.reals("activation_beta").value_or(std::vector<double>{});
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double beta = names[i] == "HardSigmoid" ? 0.5 : names[i] == "ScaledTanh" ? 1.0 : 0.0;
        r.activations.push_back(
            {names[i], i < alphas.size() ? alphas[i] : default_alpha(names[i]), i < betas.size() ? betas[i] : beta});
    }
    return r;
}

/// The weights of one direction.
struct Direction {
    at::Tensor input, recurrent, input_bias, recurrent_bias, peepholes;
    const Activation* f = nullptr;
};

struct State {
    at::Tensor h, c;
};

at::Tensor add_bias(const at::Tensor& x, const at::Tensor& bias) { return bias.defined() ? at::add(x, bias) : x; }

State rnn_step(const Recurrence& r, const Direction& d, const at::Tensor& projected, const State& state) {
    const auto sum = at::add(projected, add_bias(at::matmul(state.h, d.recurrent.t()), d.recurrent_bias));
    return {d.f[0](r.limit(sum)), {}};
}

/// Computes a GRU step. Gates z, r, h: z and r as in Cho et al., arXiv 1406.1078; linear_before_reset as in cuDNN.
State gru_step(const Recurrence& r, const Direction& d, const at::Tensor& projected, const State& state) {
    const auto n = r.hidden;
    const auto& b = d.recurrent_bias;
    const auto recurrent = add_bias(at::matmul(state.h, at::narrow(d.recurrent, 0, 0, 2 * n).t()),
                                    b.defined() ? at::narrow(b, 0, 0, 2 * n) : at::Tensor());
    const auto gates = d.f[0](r.limit(at::add(at::narrow(projected, 1, 0, 2 * n), recurrent)));
    const auto z = at::narrow(gates, 1, 0, n), reset = at::narrow(gates, 1, n, n);
    const auto weight = at::narrow(d.recurrent, 0, 2 * n, n).t();
    const auto bias = b.defined() ? at::narrow(b, 0, 2 * n, n) : at::Tensor();
    const auto inner = r.linear_before_reset ? at::mul(reset, add_bias(at::matmul(state.h, weight), bias))
                                             : add_bias(at::matmul(at::mul(reset, state.h), weight), bias);
    const auto candidate = d.f[1](r.limit(at::add(at::narrow(projected, 1, 2 * n, n), inner)));
    return {at::add(candidate, at::mul(z, at::sub(state.h, candidate))), {}};
}

/// Computes an LSTM step. Gates i, o, f, c; peepholes i, o, f (Gers and Schmidhuber).
State lstm_step(const Recurrence& r, const Direction& d, const at::Tensor& projected, const State& state) {
    const auto n = r.hidden;
    const auto sum = at::add(projected, add_bias(at::matmul(state.h, d.recurrent.t()), d.recurrent_bias));
    const auto gate = [&](std::int64_t k) { return at::narrow(sum, 1, k * n, n); };
    const auto peep = [&](const at::Tensor& x, std::int64_t k, const at::Tensor& cell) {
        return d.peepholes.defined() ? at::add(x, at::mul(at::narrow(d.peepholes, 0, k * n, n), cell)) : x;
    };
    const auto i = d.f[0](r.limit(peep(gate(0), 0, state.c)));
    const auto f = r.input_forget ? at::rsub(i, 1) : d.f[0](r.limit(peep(gate(2), 2, state.c)));
    const auto c = at::add(at::mul(f, state.c), at::mul(i, d.f[1](r.limit(gate(3)))));
    const auto o = d.f[0](r.limit(peep(gate(1), 1, c)));
    return {at::mul(o, d.f[2](c)), c};
}

State step(const Recurrence& r, const Direction& d, const at::Tensor& projected, const State& state) {
    if (r.kind == Recurrence::Kind::lstm) return lstm_step(r, d, projected, state);
    if (r.kind == Recurrence::Kind::gru) return gru_step(r, d, projected, state);
    return rnn_step(r, d, projected, state);
}

struct Unrolled {
    at::Tensor all;  ///< hidden states with shape [time, batch, hidden]
    State last;
};

/// Runs all time steps. After the end of a shorter sequence, its state stays unchanged and its outputs are zero.
Unrolled unroll(const Recurrence& r, const Direction& d, const at::Tensor& x, const at::Tensor& lengths, State state,
                bool backwards) {
    const auto steps = x.size(0);
    const auto projected = add_bias(at::matmul(x, d.input.t()), d.input_bias);
    Tensors outputs(static_cast<std::size_t>(steps));
    for (std::int64_t i = 0; i < steps; ++i) {
        const auto time = backwards ? steps - 1 - i : i;
        auto next = step(r, d, at::select(projected, 0, time), state);
        auto output = next.h;
        if (lengths.defined()) {
            const auto active = at::gt(lengths, time).unsqueeze(1);
            output = at::where(active, next.h, at::zeros_like(next.h));
            next.h = at::where(active, next.h, state.h);
            if (next.c.defined()) next.c = at::where(active, next.c, state.c);
        }
        outputs[static_cast<std::size_t>(time)] = std::move(output);
        state = std::move(next);
    }
    return {at::stack(outputs), state};
}

/// Returns the weights of one direction from the node's inputs: X, W, R, B, sequence_lens, initial_h, initial_c, P.
Direction read_direction(const Recurrence& r, const Tensors& x, std::int64_t index) {
    const auto pick = [&](std::size_t slot) {
        const auto& input = optional_input(x, slot);
        return input.defined() ? at::select(input, 0, index) : at::Tensor();
    };
    Direction d;
    d.input = pick(1);
    d.recurrent = pick(2);
    d.peepholes = pick(7);
    d.f = &r.activations[static_cast<std::size_t>(index) * r.functions()];
    if (const auto bias = pick(3); bias.defined()) {
        const auto half = bias.size(0) / 2;
        d.input_bias = at::narrow(bias, 0, 0, half);
        d.recurrent_bias = at::narrow(bias, 0, half, half);
    }
    return d;
}

Tensors run_recurrence(const Recurrence& r, const Tensors& x) {
    const auto input = r.batch_first ? at::transpose(x[0], 0, 1) : x[0];
    const auto initial = [&](std::size_t slot, std::int64_t index) {
        const auto& given = optional_input(x, slot);
        if (!given.defined()) return at::zeros({input.size(1), r.hidden}, input.options());
        return at::select(given, r.batch_first ? 1 : 0, index);
    };
    Tensors all, last_h, last_c;
    const std::int64_t directions = r.direction == "bidirectional" ? 2 : 1;
    for (std::int64_t index = 0; index < directions; ++index) {
        const bool backwards = index == 1 || r.direction == "reverse";
        State state{initial(5, index), {}};
        if (r.kind == Recurrence::Kind::lstm) state.c = initial(6, index);
        auto result = unroll(r, read_direction(r, x, index), input, optional_input(x, 4), state, backwards);
        all.push_back(result.all);
        last_h.push_back(result.last.h);
        if (result.last.c.defined()) last_c.push_back(result.last.c);
    }
    // axes: time, direction, batch, hidden; or batch, time, direction, hidden
    auto y = at::stack(all, 1);
    if (r.batch_first) y = at::permute(y, {2, 0, 1, 3});
    Tensors outputs{y, at::stack(last_h, r.batch_first ? 1 : 0)};
    if (!last_c.empty()) outputs.push_back(at::stack(last_c, r.batch_first ? 1 : 0));
    return outputs;
}

template <Recurrence::Kind kind>
Kernel recurrence(const graph::Graph& g, const graph::Node& n) {
    return [r = read_recurrence(NodeReader(g, n), kind)](const RunContext&, const Tensors& x) {
        return run_recurrence(r, x);
    };
}

}  // namespace

void add_recurrent_kernels(KernelTable& table) {
    table[":GRU"] = recurrence<Recurrence::Kind::gru>;
    table[":LSTM"] = recurrence<Recurrence::Kind::lstm>;
    table[":RNN"] = recurrence<Recurrence::Kind::rnn>;
}

}  // namespace divisi::segment
