// SPDX-License-Identifier: Apache-2.0
// Attention as a single operator (backend/graph/attention.h).
#include <ATen/ATen.h>

#include "agents/segment/kernel_tools.h"
#include "agents/segment/torch_compat.h"
#include "backend/graph/attention.h"

namespace divisi::segment {

namespace {

using graph::AttentionInput;

const at::Tensor& input(const Tensors& inputs, AttentionInput slot) {
    return optional_input(inputs, static_cast<std::size_t>(slot));
}

/// Returns the tensor to add to the scores; undefined if there is none.
at::Tensor added_mask(const Tensors& x, double fill, bool keep) {
    auto mask = input(x, AttentionInput::bias);
    const auto& condition = input(x, AttentionInput::condition);
    if (!condition.defined()) return mask;
    const auto seen = at::zeros({}, x[0].options().requires_grad(false)), unseen = at::full_like(seen, fill);
    const auto from_condition = keep ? at::where(condition, seen, unseen) : at::where(condition, unseen, seen);
    return mask.defined() ? at::add(from_condition, mask) : from_condition;
}

/// Computes attention by three operators, for a LibTorch version without a combined attention operator. Needs memory
/// for all scores at once.
at::Tensor by_products(const Tensors& x, const at::Tensor& mask, double scale, bool safe) {
    auto scores = at::matmul(at::mul(x[0], scale), x[1]);
    if (mask.defined()) scores = at::add(scores, mask);
    auto weights = at::softmax(scores, -1);
    if (safe) weights = at::where(at::isnan(weights), at::zeros({}, weights.options().requires_grad(false)), weights);
    return at::matmul(weights, x[2]);
}

/// Returns the tensor with four dimensions and contiguous rows, as LibTorch's operator requires.
at::Tensor as_heads(const at::Tensor& tensor, bool single) {
    const auto heads = single ? tensor.unsqueeze(1) : tensor;
    return heads.stride(-1) == 1 ? heads : heads.contiguous();
}

at::Tensor fused(const Tensors& x, const at::Tensor& mask, bool causal, double scale) {
    const bool single = x[0].dim() == 3;
    auto spread = mask;
    if (spread.defined() && single && spread.dim() == 3) spread = spread.unsqueeze(1);
    while (spread.defined() && spread.dim() < 2) spread = spread.unsqueeze(0);
    auto result = scaled_attention(as_heads(x[0], single), as_heads(x[1].transpose(-2, -1), single),
                                   as_heads(x[2], single), spread, causal, scale);
    return single ? result.squeeze(1) : result;
}

Kernel attention(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const double scale = node.real("scale", 1.0), fill = node.real("fill", 0.0);
    const bool causal = node.flag("causal"), keep = node.flag("keep", true), safe = node.flag("safe");
    return [=](const RunContext&, const Tensors& x) {
        if (!has_scaled_attention) return one(by_products(x, added_mask(x, fill, keep), scale, safe));
        return one(fused(x, causal ? at::Tensor() : added_mask(x, fill, keep), causal, scale));
    };
}

}  // namespace

void add_attention_kernels(KernelTable& table) {
    table[std::string(graph::attention_domain) + ":" + std::string(graph::attention_type)] = attention;
}

}  // namespace divisi::segment
