// SPDX-License-Identifier: Apache-2.0
// zoo:gpt and zoo:resnet18 written with LibTorch alone. They are the baseline for the executor's numbers
// (tests/unit/segment) and for its speed (this folder).
#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agents/segment/torch_compat.h"

namespace divisi::test {

using Parameters = std::map<std::string, at::Tensor>;

/// ONNX stores the epsilon as float32.
inline constexpr double norm_epsilon = 1e-5F;

struct GptShape {
    std::int64_t layers = 6, width = 192, heads = 6, context = 128, vocabulary = 256;
    bool tied = true;
};

inline at::Tensor gpt_attention(const Parameters& p, const std::string& m, const at::Tensor& x, const GptShape& s,
                                const at::Tensor& mask) {
    const auto batch = x.size(0), head = s.width / s.heads;
    const auto qkv = at::linear(x, p.at(m + "attn.qkv.weight"), p.at(m + "attn.qkv.bias")).split(s.width, 2);
    const auto heads = [&](const at::Tensor& t) { return t.view({batch, s.context, s.heads, head}).transpose(1, 2); };
    const double scale = 1.0 / std::sqrt(static_cast<double>(head));
    auto scores = at::matmul(heads(qkv[0]) * scale, heads(qkv[1]).transpose(2, 3)) + mask;
    auto y = at::matmul(at::softmax(scores, -1), heads(qkv[2]));
    y = y.transpose(1, 2).reshape({batch, s.context, s.width});
    return at::linear(y, p.at(m + "attn.proj.weight"), p.at(m + "attn.proj.bias"));
}

inline at::Tensor gpt_norm(const Parameters& p, const std::string& m, const at::Tensor& x) {
    return at::layer_norm(x, {x.size(-1)}, p.at(m + ".weight"), p.at(m + ".bias"), norm_epsilon);
}

/// Returns the mean cross-entropy of tokens [batch, context] against targets of the same shape.
inline at::Tensor gpt_loss(const Parameters& p, const GptShape& s, const at::Tensor& tokens, const at::Tensor& targets,
                           const at::Tensor& mask) {
    auto x = at::embedding(p.at("wte.weight"), tokens) + p.at("wpe.weight");
    for (std::int64_t i = 0; i < s.layers; ++i) {
        const auto m = "layers." + std::to_string(i) + ".";
        x = x + gpt_attention(p, m, gpt_norm(p, m + "ln_1", x), s, mask);
        const auto h =
            at::gelu(at::linear(gpt_norm(p, m + "ln_2", x), p.at(m + "mlp.fc.weight"), p.at(m + "mlp.fc.bias")));
        x = x + at::linear(h, p.at(m + "mlp.proj.weight"), p.at(m + "mlp.proj.bias"));
    }
    x = at::linear(gpt_norm(p, "ln_f", x), p.at(s.tied ? "wte.weight" : "head.weight"));
    return at::cross_entropy_loss(x.view({-1, s.vocabulary}), targets.view({-1}));
}

inline at::Tensor gpt_mask(std::int64_t context) {
    return at::full({context, context}, -std::numeric_limits<float>::infinity()).triu(1);
}

inline at::Tensor resnet_conv_norm(Parameters& p, const std::string& module, const std::string& conv,
                                   const std::string& norm, const at::Tensor& x, std::int64_t stride,
                                   std::int64_t padding) {
    const auto y = at::conv2d(x, p.at(module + conv + ".weight"), {}, stride, padding);
    const auto n = module + norm;
    return at::batch_norm(y, p.at(n + ".weight"), p.at(n + ".bias"), p.at(n + ".running_mean"),
                          p.at(n + ".running_var"), true, 0.1, norm_epsilon, false);
}

/// Returns the mean cross-entropy of images [batch, channels, image, image] against labels [batch].
inline at::Tensor resnet18_loss(Parameters& p, const at::Tensor& images, const at::Tensor& labels) {
    auto x = at::relu(resnet_conv_norm(p, "", "conv1", "bn1", images, 2, 3));
    x = at::max_pool2d(x, 3, 2, 1);
    for (int stage = 1; stage <= 4; ++stage)
        for (int block = 0; block < 2; ++block) {
            const auto m = "layer" + std::to_string(stage) + "." + std::to_string(block) + ".";
            const std::int64_t stride = stage > 1 && block == 0 ? 2 : 1;
            auto y = at::relu(resnet_conv_norm(p, m, "conv1", "bn1", x, stride, 1));
            y = resnet_conv_norm(p, m, "conv2", "bn2", y, 1, 1);
            if (stride != 1) x = resnet_conv_norm(p, m + "downsample.", "0", "1", x, stride, 0);
            x = at::relu(y + x);
        }
    x = at::linear(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1), p.at("fc.weight"), p.at("fc.bias"));
    return at::cross_entropy_loss(x, labels);
}

/// AdamW over parameters that require gradients, written like PyTorch's implementation.
class HandWrittenAdamW {
public:
    void step(Parameters& parameters, double lr, double weight_decay) {
        const at::NoGradGuard no_grad;
        ++time_;
        for (auto& [name, w] : parameters) {
            if (!w.requires_grad() || !w.grad().defined()) continue;
            auto& [m, v] = state_[name];
            if (!m.defined()) m = at::zeros_like(w), v = at::zeros_like(w);
            const auto& g = w.grad();
            w.mul_(1.0 - lr * weight_decay);
            m.mul_(0.9).add_(g, 0.1);
            v.mul_(0.999).addcmul_(g, g, 0.001);
            const auto denominator = (v.sqrt() / std::sqrt(1.0 - std::pow(0.999, time_))).add_(1e-8);
            w.addcdiv_(m, denominator, -lr / (1.0 - std::pow(0.9, time_)));
            w.mutable_grad().reset();
        }
    }

private:
    std::map<std::string, std::pair<at::Tensor, at::Tensor>> state_;
    int time_ = 0;
};

/// SGD with momentum over parameters that require gradients, written like PyTorch's implementation.
class HandWrittenSgd {
public:
    void step(Parameters& parameters, double lr, double momentum) {
        const at::NoGradGuard no_grad;
        for (auto& [name, w] : parameters) {
            if (!w.requires_grad() || !w.grad().defined()) continue;
            auto& buffer = state_[name];
            buffer = buffer.defined() ? buffer.mul_(momentum).add_(w.grad()) : w.grad().clone();
            w.add_(buffer, -lr);
            w.mutable_grad().reset();
        }
    }

private:
    Parameters state_;
};

}  // namespace divisi::test
