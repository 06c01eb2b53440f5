// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::segment {

/// Values passed to and from a kernel, by slot. An omitted optional value is an undefined tensor.
using Tensors = std::vector<at::Tensor>;

/// Conditions under which a kernel runs.
struct RunContext {
    bool training = true;    ///< whether this is training; in evaluation, there is no dropout, and running statistics
                             ///< are used
    std::uint64_t seed = 0;  ///< key from task seed, step, micro-batch and node; the same key gives the same numbers
    at::Device device = at::kCPU;
    bool update_statistics = true;  ///< whether running statistics are updated; false while a forward pass is
                                    ///< recomputed
    bool sums_gradients = false;    ///< whether gradients of leaves are read only from Tensor::grad(), which sums them
                                    ///< over micro-batches
};

/// Runs one node: inputs by slot -> outputs by slot. Differentiable through autograd if the operator is. Must not write
/// to its inputs: batch normalization returns new running statistics as outputs 1 and 2. The executor stores them into
/// the initializers of inputs 3 and 4.
using Kernel = std::function<Tensors(const RunContext&, const Tensors&)>;

/// Reads a node's attributes once, before the first run. Throws std::invalid_argument with a readable sentence if the
/// kernel cannot handle the attributes; graph::check_operators must have reported the same problem at import.
using KernelFactory = Kernel (*)(const graph::Graph&, const graph::Node&);

/// Returns all kernels by "domain:op_type" ("" for ai.onnx gives ":Relu"). The table is built once from the ops_*.cpp
/// files. Each file adds its kernels with a function such as `void add_elementwise_kernels(KernelTable&)`, listed in
/// kernel_table.cpp.
using KernelTable = std::map<std::string, KernelFactory, std::less<>>;
const KernelTable& kernel_table();

/// Returns the kernel of a node, ready to run. LibTorch has few float16 operators for the CPU, so on the CPU a node
/// with float16 values computes in float32. Throws std::invalid_argument for an unknown operator, and in the same cases
/// as KernelFactory.
Kernel make_kernel(const graph::Graph& graph, const graph::Node& node);

}  // namespace divisi::segment
