// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/program.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>
#include <new>
#include <set>

#include "agents/segment/border.h"
#include "backend/base/hash.h"

namespace divisi::segment {

using graph::NodeIndex;
using graph::ValueIndex;

namespace {

/// Returns whether the node's outputs change between micro-batches even if its inputs are the same.
bool is_stateful(const graph::Node& node) { return node.op_type == "BatchNormalization" || node.op_type == "Dropout"; }

/// Returns whether the node's backward returns views of its incoming gradient that have gaps or overlaps.
bool gives_sparse_gradients(const graph::Node& node) {
    static constexpr std::array<std::string_view, 4> names = {"Concat", "Einsum", "ReduceMean", "ReduceSum"};
    return std::find(names.begin(), names.end(), node.op_type) != names.end();
}

bool says_out_of_memory(std::string_view text) {
    return text.find("out of memory") != std::string_view::npos ||
           text.find("not enough memory") != std::string_view::npos ||
           text.find("can't allocate memory") != std::string_view::npos;
}

void remember(const at::Tensor& tensor, std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>>& produced) {
    if (tensor.defined() && tensor.has_storage()) produced.push_back(tensor.storage().getWeakStorageImpl());
}

}  // namespace

NodeFailure describe_current_exception(const std::string& node) {
    try {
        throw;
    } catch (const NodeFailure& failure) {
        return failure;
    } catch (const c10::Error& error) {
        const std::string text = error.what_without_backtrace();
        return {node, text.substr(0, text.find('\n')), says_out_of_memory(text)};
    } catch (const std::bad_alloc&) {
        return {node, "out of memory", true};
    } catch (const std::exception& error) {
        return {node, error.what(), says_out_of_memory(error.what())};
    }
}

namespace {

/// Returns the nodes that compute the `needed` values, in order; adds the inputs of these nodes to `needed`.
std::vector<const PreparedNode*> needed_nodes(const std::vector<PreparedNode>& nodes,
                                              const std::map<ValueIndex, std::int32_t>& constants,
                                              std::set<ValueIndex>& needed) {
    std::vector<const PreparedNode*> kept;
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
        const auto& outputs = it->node->outputs;
        const bool wanted = std::any_of(outputs.begin(), outputs.end(), [&](ValueIndex value) {
            return needed.contains(value) && !constants.contains(value);
        });
        if (!wanted) continue;
        needed.insert(it->node->inputs.begin(), it->node->inputs.end());
        kept.push_back(&*it);
    }
    std::reverse(kept.begin(), kept.end());
    return kept;
}

}  // namespace

Program::Program(const graph::Graph& graph, const std::vector<PreparedNode>& nodes,
                 const std::vector<ValueIndex>& inputs, const std::vector<ValueIndex>& targets, const Weights& weights,
                 const std::map<ValueIndex, std::int32_t>& constants) {
    using Kind = Operand::Kind;
    std::set<ValueIndex> needed(targets.begin(), targets.end());
    const auto kept = needed_nodes(nodes, constants, needed);

    std::map<ValueIndex, std::int32_t> register_of;
    const auto assign_register = [&](ValueIndex value) -> std::int32_t {
        if (value == graph::no_value || !needed.contains(value)) return -1;
        return register_of.emplace(value, static_cast<std::int32_t>(register_of.size())).first->second;
    };
    const auto operand_of = [&](ValueIndex value) -> Operand {
        if (value == graph::no_value) return {};
        if (const auto found = register_of.find(value); found != register_of.end())
            return {Kind::in_register, false, graph.values[value].consumers.size() > 1, found->second};
        if (const auto found = constants.find(value); found != constants.end())
            return {Kind::fixed, false, false, found->second};
        if (graph.is_initializer(value))
            if (const auto* weight = weights.find(graph.values[value].initializer))
                return {Kind::fixed, false, false, weight->trainable ? weight->uses.front().fixed : weight->fixed};
        throw std::invalid_argument("value '" + graph.values[value].name +
                                    "' is neither computed in the segment nor among its inputs");
    };
    for (const ValueIndex input : inputs) input_registers_.push_back(assign_register(input));
    for (const auto* prepared : kept) {
        const auto& node = *prepared->node;
        Step step{prepared, gives_sparse_gradients(node), {}, {}, -1, -1};
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
            const auto fixed = weights.fixed_of(prepared->index, slot);
            step.inputs.push_back(fixed >= 0 ? Operand{Kind::fixed, false, false, fixed}
                                             : operand_of(node.inputs[slot]));
        }
        for (const ValueIndex output : node.outputs) step.outputs.push_back(assign_register(output));
        if (node.op_type == "BatchNormalization" && node.inputs.size() >= 5) {
            step.mean_fixed = weights.fixed_of(prepared->index, 3);
            step.variance_fixed = weights.fixed_of(prepared->index, 4);
        }
        steps_.push_back(std::move(step));
    }
    for (const ValueIndex target : targets) targets_.push_back(operand_of(target));
    registers_.resize(register_of.size());
    mark_last_uses();
}

void Program::mark_last_uses() {
    std::vector<bool> seen(registers_.size(), false);
    for (const auto& target : targets_)
        if (target.kind == Operand::Kind::in_register) seen[static_cast<std::size_t>(target.index)] = true;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
        for (auto operand = step->inputs.rbegin(); operand != step->inputs.rend(); ++operand) {
            if (operand->kind != Operand::Kind::in_register) continue;
            operand->last_use = !seen[static_cast<std::size_t>(operand->index)];
            seen[static_cast<std::size_t>(operand->index)] = true;
        }
}

void Program::gather_arguments(const Step& step, const std::vector<at::Tensor>& fixed) {
    arguments_.clear();
    for (const auto& operand : step.inputs) {
        switch (operand.kind) {
            case Operand::Kind::absent: arguments_.emplace_back(); break;
            case Operand::Kind::fixed: arguments_.push_back(fixed[static_cast<std::size_t>(operand.index)]); break;
            case Operand::Kind::in_register: {
                auto& value = registers_[static_cast<std::size_t>(operand.index)];
                if (operand.last_use) arguments_.push_back(std::move(value));
                else arguments_.push_back(value);
            }
        }
    }
}

namespace {

/// Notifies a stopwatch when the gradient of an operator's output is complete.
class BackwardBegins : public GradientNode {
public:
    BackwardBegins(Stopwatch& stopwatch, NodeIndex node) : stopwatch_(stopwatch), node_(node) {}
    Gradients apply(Gradients&& gradients) override {
        stopwatch_.backward_begins(node_);
        if (num_outputs() == 0) gradients.clear();  // no further node receives the gradient
        return std::move(gradients);
    }
    std::string name() const override { return "divisi::segment::BackwardBegins"; }

private:
    Stopwatch& stopwatch_;
    NodeIndex node_;
};

at::Tensor timed(const at::Tensor& output, Stopwatch& stopwatch, const PreparedNode& prepared, std::size_t slot) {
    const bool wanted = output.is_floating_point() && stopwatch.wants_gradient(prepared.node->outputs[slot]);
    if (!output.requires_grad() && !wanted) return output;
    return behind_node(output, make_node<BackwardBegins>(stopwatch, prepared.index));
}

}  // namespace

void Program::run_step(const Step& step, RunContext& context, Weights& weights,
                       std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>>* produced, Stopwatch* stopwatch) {
    if (stopwatch != nullptr) stopwatch->forward_begins(step.prepared->index);
    gather_arguments(step, weights.fixed());
    // In every plan, each use of a value must add exactly one term to the value's gradient, even if the kernel reads
    // its input twice.
    for (std::size_t i = 0; i < arguments_.size() && context.training; ++i)
        if (step.inputs[i].shared) arguments_[i] = as_own_use(arguments_[i]);
    if (step.densify && context.training)
        for (auto& argument : arguments_)
            if (argument.defined()) argument = with_dense_gradient(argument);
    auto outputs = step.prepared->kernel(context, arguments_);
    arguments_.clear();
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (step.outputs[i] < 0) continue;
        if (i >= outputs.size() || !outputs[i].defined())
            throw std::runtime_error("the kernel computed no output " + std::to_string(i));
        if (produced != nullptr) remember(outputs[i], *produced);
        auto& value = registers_[static_cast<std::size_t>(step.outputs[i])];
        // A value with gaps or overlaps is made contiguous in every plan, because it would be made contiguous if it
        // crossed a border between segments.
        value = outputs[i].is_non_overlapping_and_dense() ? outputs[i] : outputs[i].contiguous();
        if (stopwatch != nullptr) value = timed(value, *stopwatch, *step.prepared, i);
    }
    if (step.mean_fixed >= 0 && context.training && context.update_statistics && outputs.size() >= 3) {
        if (outputs[1].defined()) weights.store(step.mean_fixed, outputs[1].detach());
        if (outputs[2].defined()) weights.store(step.variance_fixed, outputs[2].detach());
    }
}

Tensors Program::run(RunContext context, const Tensors& inputs, Weights& weights,
                     std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>>* produced, Stopwatch* stopwatch) {
    const std::uint64_t key = context.seed;
    for (std::size_t i = 0; i < input_registers_.size(); ++i)
        if (input_registers_[i] >= 0) registers_[static_cast<std::size_t>(input_registers_[i])] = inputs[i];
    std::size_t position = 0;
    try {
        for (; position < steps_.size(); ++position) {
            context.seed = mix(key, steps_[position].prepared->key);
            run_step(steps_[position], context, weights, produced, stopwatch);
        }
    } catch (...) {
        arguments_.clear();
        std::fill(registers_.begin(), registers_.end(), at::Tensor());
        throw describe_current_exception(steps_[position].prepared->node->name);
    }
    if (stopwatch != nullptr) stopwatch->pause();
    Tensors results;
    results.reserve(targets_.size());
    for (const auto& target : targets_)
        results.push_back(target.kind == Operand::Kind::in_register
                              ? registers_[static_cast<std::size_t>(target.index)]
                              : weights.fixed()[static_cast<std::size_t>(target.index)]);
    std::fill(registers_.begin(), registers_.end(), at::Tensor());
    return results;
}

std::map<ValueIndex, std::int32_t> fold_constants(const std::vector<PreparedNode>& nodes, Weights& weights,
                                                  at::Device device) {
    const at::NoGradGuard no_grad;
    std::map<ValueIndex, std::int32_t> constants;
    RunContext context;
    context.device = device;
    for (const auto& prepared : nodes) {
        const auto& node = *prepared.node;
        if (is_stateful(node)) continue;
        Tensors arguments;
        bool constant = true;
        for (std::size_t slot = 0; slot < node.inputs.size() && constant; ++slot) {
            std::int32_t fixed = weights.fixed_of(prepared.index, slot);
            if (const auto found = constants.find(node.inputs[slot]); found != constants.end()) fixed = found->second;
            if (node.inputs[slot] == graph::no_value) arguments.emplace_back();
            else if (fixed >= 0 && weights.is_constant(fixed))
                arguments.push_back(weights.fixed()[static_cast<std::size_t>(fixed)]);
            else constant = false;
        }
        if (!constant) continue;
        try {
            auto outputs = prepared.kernel(context, arguments);
            for (std::size_t i = 0; i < node.outputs.size() && i < outputs.size(); ++i)
                if (node.outputs[i] != graph::no_value && outputs[i].defined())
                    constants[node.outputs[i]] = weights.add_constant(outputs[i]);
        } catch (...) {
            throw describe_current_exception(node.name);
        }
    }
    return constants;
}

}  // namespace divisi::segment
