// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only file that includes LibTorch's internals (torch/csrc) and handles the differences between its versions: 1.13,
// and 2.11 to 2.15. All other files include ATen, which is the same in all these versions. tests/lint checks this.

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/version.h>

#if TORCH_VERSION_MAJOR >= 2
#include <ATen/ops/scaled_dot_product_attention.h>
#endif

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace divisi::segment {

/// A node of autograd's graph; derived classes receive the gradients that pass through the node.
using GradientNode = torch::autograd::Node;
using Gradients = torch::autograd::variable_list;

namespace detail {

/// The pointer type with which this version of LibTorch owns nodes: std::shared_ptr in older versions,
/// c10::intrusive_ptr in newer versions.
template <typename Held>
struct NodeHolder;

template <typename Base>
struct NodeHolder<std::shared_ptr<Base>> {
    template <typename T>
    using Pointer = std::shared_ptr<T>;
    template <typename T, typename... Arguments>
    static Pointer<T> make(Arguments&&... arguments) {
        return std::make_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

template <typename Base>
struct NodeHolder<c10::intrusive_ptr<Base>> {
    template <typename T>
    using Pointer = c10::intrusive_ptr<T>;
    template <typename T, typename... Arguments>
    static Pointer<T> make(Arguments&&... arguments) {
        return c10::make_intrusive<T>(std::forward<Arguments>(arguments)...);
    }
};

using Holder = NodeHolder<decltype(torch::autograd::Edge::function)>;

}  // namespace detail

template <typename T>
using NodePointer = detail::Holder::Pointer<T>;

template <typename T, typename... Arguments>
NodePointer<T> make_node(Arguments&&... arguments) {
    return detail::Holder::make<T>(std::forward<Arguments>(arguments)...);
}

/// Connects `node` to the origins of the values, so that the node passes one gradient to each value. A value that is
/// undefined or requires no gradient receives none.
template <typename... Values>
void continue_to(GradientNode& node, const Values&... values) {
    node.set_next_edges(torch::autograd::collect_next_edges(values...));
}

/// Makes `node` the origin of `value`, which must have no history.
inline void set_origin(at::Tensor& value, const NodePointer<GradientNode>& node) {
    torch::autograd::set_history(value, node);
}

/// Runs one backward pass from all `roots` at once, each with its gradient.
inline void run_backward(const std::vector<at::Tensor>& roots, const std::vector<at::Tensor>& gradients) {
    torch::autograd::backward(roots, gradients);
}

namespace detail {

template <typename Base, auto take, auto release, typename Allocate = decltype(&Base::allocate)>
class TakenMemory;

template <typename Base, auto take, auto release>
class TakenMemory<Base, take, release, c10::DataPtr (Base::*)(std::size_t) const> final : public Base {
public:
    c10::DataPtr allocate(std::size_t bytes) const override { return take(bytes); }
    c10::DeleterFnPtr raw_deleter() const override { return release; }
};

template <typename Base, auto take, auto release>
class TakenMemory<Base, take, release, c10::DataPtr (Base::*)(std::size_t)> final : public Base {
public:
    c10::DataPtr allocate(std::size_t bytes) override { return take(bytes); }
    c10::DeleterFnPtr raw_deleter() const override { return release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
};

}  // namespace detail

/// An allocator of tensors that takes memory from `take(bytes)` and frees it by `release(memory)`. LibTorch 1.13
/// declares allocate() const; LibTorch 2 does not, and also requires copy_data().
template <auto take, auto release>
using TakenMemory = detail::TakenMemory<c10::Allocator, take, release>;

/// Whether this version of LibTorch can compute attention without storing all scores.
inline constexpr bool has_scaled_attention = TORCH_VERSION_MAJOR >= 2;

/// Computes softmax(scale * query * keys^T + mask) * values, each of [batch, heads, rows, width]. `mask` may be
/// undefined. `causal`: row i sees only rows 0 to i. Requires has_scaled_attention.
inline at::Tensor scaled_attention([[maybe_unused]] const at::Tensor& query, [[maybe_unused]] const at::Tensor& keys,
                                   [[maybe_unused]] const at::Tensor& values, [[maybe_unused]] const at::Tensor& mask,
                                   [[maybe_unused]] bool causal, [[maybe_unused]] double scale) {
#if TORCH_VERSION_MAJOR >= 2
    const auto given = mask.defined() ? std::optional<at::Tensor>(mask) : std::nullopt;
    return at::scaled_dot_product_attention(query, keys, values, given, 0.0, causal, scale);
#else
    throw std::logic_error("this LibTorch has no operator for attention");
#endif
}

}  // namespace divisi::segment
