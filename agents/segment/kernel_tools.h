// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/segment/kernel.h"

namespace divisi::segment {

using Ints = std::vector<std::int64_t>;

/// Reads attributes and constant inputs of a node, for kernel factories. Throws std::invalid_argument if an attribute
/// has a type other than the requested one.
class NodeReader {
public:
    NodeReader(const graph::Graph& graph, const graph::Node& node) : graph_(graph), node_(node) {}

    std::int64_t opset() const { return graph_.opset; }
    bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
    bool has_input(std::size_t slot) const;
    bool has_output(std::size_t slot) const;

    std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
    bool flag(std::string_view attribute, bool fallback = false) const { return integer(attribute, fallback) != 0; }
    double real(std::string_view attribute, double fallback) const;
    std::string text(std::string_view attribute, std::string fallback) const;
    std::optional<Ints> integers(std::string_view attribute) const;
    std::optional<std::vector<double>> reals(std::string_view attribute) const;
    std::optional<std::vector<std::string>> texts(std::string_view attribute) const;
    const graph::HostTensor* tensor(std::string_view attribute) const;

    /// Returns the elements of an integer input that is an initializer with data; none if the input is computed.
    std::optional<Ints> constant_integers(std::size_t slot) const;
    /// Returns the value of a floating-point scalar input that is an initializer with data; none otherwise.
    std::optional<double> constant_real(std::size_t slot) const;
    /// Returns the attribute (older operator sets), or the constant input that replaced it.
    std::optional<Ints> integers_or_input(std::string_view attribute, std::size_t slot) const;
    graph::DType input_dtype(std::size_t slot) const;
    graph::DType output_dtype(std::size_t slot) const;

private:
    const graph::Attribute* find(std::string_view attribute) const;
    const graph::HostTensor* constant(std::size_t slot) const;

    const graph::Graph& graph_;
    const graph::Node& node_;
};

/// Returns input `slot`, or an undefined tensor if the node omits it.
const at::Tensor& optional_input(const Tensors& inputs, std::size_t slot);

/// Returns the tensor as the only result, moved instead of copied through an initializer list.
inline Tensors one(at::Tensor tensor) {
    Tensors result;
    result.push_back(std::move(tensor));
    return result;
}

/// Returns the elements of an integer tensor. If the tensor is not on the CPU, waits for its device.
Ints to_integers(const at::Tensor& tensor);
/// Returns the elements of a numeric tensor as float64. If the tensor is not on the CPU, waits for its device.
std::vector<double> to_reals(const at::Tensor& tensor);

using Unary = at::Tensor (*)(const at::Tensor&);
using Binary = at::Tensor (*)(const at::Tensor&, const at::Tensor&);

/// Makes the kernel of an operator that is one function of one tensor.
template <Unary function>
Kernel unary(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) { return one(function(x[0])); };
}

/// Makes the kernel of an operator that is one function of two tensors.
template <Binary function>
Kernel binary(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) { return one(function(x[0], x[1])); };
}

/// The integers that a node uses. They come from an attribute or a constant, which is read once, or from an input,
/// which is read at every run.
class IntegerList {
public:
    IntegerList(const NodeReader& node, std::string_view attribute, std::size_t slot)
        : constant_(node.integers_or_input(attribute, slot)), slot_(slot) {}

    /// Returns the integers; none if the node has neither this attribute nor this input.
    std::optional<Ints> at(const Tensors& inputs) const;
    const std::optional<Ints>& constant() const { return constant_; }

private:
    std::optional<Ints> constant_;
    std::size_t slot_;
};

/// Returns `axis` in 0..rank-1; throws std::invalid_argument if it is outside of -rank..rank-1.
std::int64_t positive_axis(std::int64_t axis, std::int64_t rank);

void add_attention_kernels(KernelTable& table);
void add_convolution_kernels(KernelTable& table);
void add_elementwise_kernels(KernelTable& table);
void add_gather_kernels(KernelTable& table);
void add_linear_kernels(KernelTable& table);
void add_logic_kernels(KernelTable& table);
void add_loss_kernels(KernelTable& table);
void add_normalization_kernels(KernelTable& table);
void add_pooling_kernels(KernelTable& table);
void add_quantize_kernels(KernelTable& table);
void add_recurrent_kernels(KernelTable& table);
void add_reduction_kernels(KernelTable& table);
void add_resize_kernels(KernelTable& table);
void add_set_kernels(KernelTable& table);
void add_shape_kernels(KernelTable& table);
void add_signal_kernels(KernelTable& table);
void add_source_kernels(KernelTable& table);

}  // namespace divisi::segment
