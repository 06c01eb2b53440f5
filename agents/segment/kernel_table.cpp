// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>

#include <algorithm>
#include <stdexcept>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

bool is_half(const graph::Graph& graph, graph::ValueIndex value) {
    return value != graph::no_value && graph.values[value].dtype == graph::DType::float16;
}

/// Widens float16 inputs on the CPU, and narrows the outputs that are float16 in the graph.
Kernel widen_half(Kernel kernel, const graph::Graph& graph, const graph::Node& node) {
    std::vector<bool> narrow;
    for (const auto output : node.outputs) narrow.push_back(is_half(graph, output));
    return [kernel = std::move(kernel), narrow](const RunContext& context, const Tensors& inputs) {
        if (!context.device.is_cpu()) return kernel(context, inputs);
        Tensors wide = inputs;
        for (auto& tensor : wide)
            if (tensor.defined() && tensor.scalar_type() == at::kHalf) tensor = tensor.to(at::kFloat);
        auto outputs = kernel(context, wide);
        for (std::size_t i = 0; i < outputs.size() && i < narrow.size(); ++i)
            if (narrow[i] && outputs[i].defined()) outputs[i] = outputs[i].to(at::kHalf);
        return outputs;
    };
}

}  // namespace

Kernel make_kernel(const graph::Graph& graph, const graph::Node& node) {
    const auto found = kernel_table().find(node.domain + ":" + node.op_type);
    if (found == kernel_table().end()) throw std::invalid_argument("the operator " + node.op_type + " cannot run");
    auto kernel = found->second(graph, node);
    const auto half = [&](graph::ValueIndex value) { return is_half(graph, value); };
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(), half) ||
                     std::any_of(node.outputs.begin(), node.outputs.end(), half);
    return any ? widen_half(std::move(kernel), graph, node) : kernel;
}

const KernelTable& kernel_table() {
    static const KernelTable table = [] {
        KernelTable built;
        add_attention_kernels(built);
        add_convolution_kernels(built);
        add_elementwise_kernels(built);
        add_gather_kernels(built);
        add_linear_kernels(built);
        add_logic_kernels(built);
        add_loss_kernels(built);
        add_normalization_kernels(built);
        add_pooling_kernels(built);
        add_quantize_kernels(built);
        add_recurrent_kernels(built);
        add_reduction_kernels(built);
        add_resize_kernels(built);
        add_set_kernels(built);
        add_shape_kernels(built);
        add_signal_kernels(built);
        add_source_kernels(built);
        return built;
    }();
    return table;
}

}  // namespace divisi::segment
