// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/weights.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <set>

#include "agents/segment/tensors.h"
#include "backend/base/hash.h"

namespace divisi::segment {

using graph::NodeIndex;
using graph::ValueIndex;

namespace {

/// Returns whether the input is the running mean or variance of a batch normalization: a buffer that is never trained.
bool is_statistics_slot(const graph::Node& node, std::size_t slot) {
    return node.op_type == "BatchNormalization" && (slot == 3 || slot == 4);
}

struct SlotUse {
    NodeIndex node;
    std::size_t slot;
    std::int32_t number;
};

/// Returns every use of a value in the whole graph, numbered in canonical order.
std::vector<SlotUse> uses_of(const graph::Graph& graph, ValueIndex value) {
    auto consumers = graph.values[value].consumers;
    std::sort(consumers.begin(), consumers.end());
    consumers.erase(std::unique(consumers.begin(), consumers.end()), consumers.end());
    std::vector<SlotUse> uses;
    for (const NodeIndex node : consumers)
        for (std::size_t slot = 0; slot < graph.nodes[node].inputs.size(); ++slot)
            if (graph.nodes[node].inputs[slot] == value)
                uses.push_back({node, slot, static_cast<std::int32_t>(uses.size())});
    return uses;
}

/// Returns an initializer's initial value. `comes_later`: its value will be restored before any use.
Result<graph::HostTensor> initial_value(const SegmentConfig& config, const graph::Initializer& initializer,
                                        const WeightReader& read_weight, bool comes_later) {
    const auto& value = config.graph->values[initializer.value];
    if (initializer.data) return *initializer.data;
    if (!initializer.random) {
        if (read_weight) return read_weight(initializer);
        return Error{ErrorCode::not_found, "the weight has neither data nor a rule for random values", value.name,
                     "give the model's weights file"};
    }
    std::vector<std::int64_t> dims;
    for (const auto& dim : value.shape.value_or(graph::Shape{})) dims.push_back(dim.size);
    if (!value.shape || std::any_of(dims.begin(), dims.end(), [](auto size) { return size < 0; }))
        return Error{ErrorCode::invalid_input, "a randomly initialised weight has no known shape", value.name, ""};
    graph::RandomInit rule = *initializer.random;
    if (comes_later) rule.kind = graph::RandomInit::Kind::zeros;
    return draw_weight(rule, value.dtype, std::move(dims), mix(config.seed, fnv1a(value.name)));
}

}  // namespace

Result<Weights> Weights::load(const SegmentConfig& config, at::Device device, const WeightReader& read_weight) {
    const auto& graph = *config.graph;
    const std::set<NodeIndex> nodes(config.nodes.begin(), config.nodes.end());
    std::set<std::int32_t> needed;
    std::set<std::int32_t> buffers;
    for (const NodeIndex index : nodes) {
        const auto& node = graph.nodes[index];
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
            if (node.inputs[slot] == graph::no_value || !graph.is_initializer(node.inputs[slot])) continue;
            needed.insert(graph.values[node.inputs[slot]].initializer);
            if (is_statistics_slot(node, slot)) buffers.insert(graph.values[node.inputs[slot]].initializer);
        }
    }
    for (const ValueIndex output : config.outputs)
        if (graph.is_initializer(output)) needed.insert(graph.values[output].initializer);

    Weights weights;
    for (const std::int32_t index : needed) {
        const auto& initializer = graph.initializers[index];
        const bool buffer = buffers.contains(index);
        auto uses = uses_of(graph, initializer.value);
        std::erase_if(uses, [&](const SlotUse& use) { return !nodes.contains(use.node); });
        Weight weight{index, initializer.trainable && !buffer && !uses.empty(), {}, {}, -1, {}};
        const bool comes_later = config.restored && (weight.trainable || buffer);
        DIVISI_ASSIGN(const auto host, initial_value(config, initializer, read_weight, comes_later));
        weight.value = import_tensor(host, device);
        // Copy the value, because the optimizer writes to it, and the bytes of the graph must not change.
        if (weight.trainable && device.is_cpu()) weight.value = own_copy(weight.value);
        if (!weight.trainable) weight.fixed = weights.add_fixed(weight.value, !buffer);
        for (const auto& use : uses) {
            if (weight.trainable)
                weight.uses.push_back(
                    {use.number, weights.add_fixed(weight.value.detach().requires_grad_(true), false)});
            weights.by_slot_[{use.node, use.slot}] = weight.trainable ? weight.uses.back().fixed : weight.fixed;
        }
        if (!weight.trainable) weights.buffer_of_[weight.fixed] = weights.weights_.size();
        weights.weights_.push_back(std::move(weight));
    }
    return weights;
}

std::int32_t Weights::add_fixed(at::Tensor value, bool constant) {
    fixed_.push_back(std::move(value));
    constant_.push_back(constant);
    return static_cast<std::int32_t>(fixed_.size()) - 1;
}

std::int32_t Weights::add_constant(at::Tensor value) { return add_fixed(std::move(value), true); }

std::int32_t Weights::fixed_of(NodeIndex node, std::size_t slot) const {
    const auto found = by_slot_.find({node, slot});
    return found == by_slot_.end() ? -1 : found->second;
}

void Weights::store(std::int32_t fixed, at::Tensor value) {
    fixed_[static_cast<std::size_t>(fixed)] = value;
    if (const auto weight = buffer_of_.find(fixed); weight != buffer_of_.end())
        weights_[weight->second].value = std::move(value);
}

const Weight* Weights::find(std::int32_t initializer) const {
    const auto found = std::lower_bound(weights_.begin(), weights_.end(), initializer,
                                        [](const Weight& weight, std::int32_t i) { return weight.initializer < i; });
    return found != weights_.end() && found->initializer == initializer ? &*found : nullptr;
}

const at::Tensor& Weights::use_gradient(const WeightUse& use) const {
    return fixed_[static_cast<std::size_t>(use.fixed)].grad();
}

Result<void> Weights::fold_uses(const std::vector<UseGradient>& foreign, at::Device device) {
    const at::NoGradGuard no_grad;
    for (const auto& entry : foreign)
        if (const auto* weight = find(entry.initializer); weight == nullptr || !weight->trainable)
            return Error{ErrorCode::invalid_input, "a gradient arrived for a weight that this segment does not train",
                         "initializer " + std::to_string(entry.initializer), ""};
    for (auto& weight : weights_) {
        std::map<std::int32_t, at::Tensor, std::greater<>> last_first;
        for (const auto& use : weight.uses)
            if (const auto& gradient = use_gradient(use); gradient.defined()) last_first[use.number] = gradient;
        const std::size_t own = last_first.size();
        for (const auto& entry : foreign)
            if (entry.initializer == weight.initializer)
                last_first.emplace(entry.use, import_tensor(entry.gradient, device));
        if (last_first.empty()) continue;
        auto use = last_first.begin();
        weight.gradient = use->second;
        // Copy a gradient that autograd or another segment still owns, since this code must not change it.
        if (last_first.size() > 1 || own == 0) weight.gradient = own_copy(weight.gradient);
        for (++use; use != last_first.end(); ++use) weight.gradient.add_(use->second);
    }
    return {};
}

void Weights::clear_gradients() {
    for (auto& weight : weights_) {
        weight.gradient.reset();
        for (const auto& use : weight.uses) fixed_[static_cast<std::size_t>(use.fixed)].mutable_grad().reset();
    }
}

bool Weights::shares_parameter_memory(const at::Tensor& tensor) const {
    return std::any_of(weights_.begin(), weights_.end(),
                       [&](const Weight& weight) { return weight.trainable && weight.value.is_alias_of(tensor); });
}

}  // namespace divisi::segment
