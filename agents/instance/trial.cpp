// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/trial.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "backend/base/hash.h"
#include "backend/graph/roles.h"

namespace divisi::instance {
namespace {

using graph::DType;
using graph::Graph;
using graph::HostTensor;
using graph::Node;
using graph::NodeIndex;
using graph::ValueIndex;

/// As weights are at the start of a training: no denormal numbers, no overflow.
constexpr double weight_deviation = 0.05;
/// Two micro-batches, of which the second is timed.
constexpr std::int64_t microbatches = 2;

/// Numbers that an integer input may hold: below the size of what it indexes, else 0 and 1.
std::int64_t integers_below(const Graph& graph, const Node& node, std::size_t slot) {
    const auto size = [&](std::size_t axis) -> std::int64_t {
        const auto& shape = graph.values[node.inputs[0]].shape;
        return shape && axis < shape->size() && (*shape)[axis].known() ? (*shape)[axis].size : 1;
    };
    if (slot == 1 && node.op_type.starts_with("Gather")) {
        const auto found = node.attributes.find("axis");
        const auto* axis = found == node.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
        return size(axis && *axis > 0 ? static_cast<std::size_t>(*axis) : 0);
    }
    if (slot == 1 && node.op_type.ends_with("Loss")) return size(1);
    return 2;
}

HostTensor made_up(const graph::Value& value, std::int64_t below, std::uint64_t key) {
    std::vector<std::int64_t> dims;
    for (const graph::Dim& dim : *value.shape) dims.push_back(dim.size);
    const auto count = static_cast<std::size_t>(graph::element_count(value).value_or(0));
    const auto number = [&](std::size_t i) { return mix(key, i); };
    if (value.dtype == DType::int64) {
        std::vector<std::int64_t> values(count);
        for (std::size_t i = 0; i < count; ++i)
            values[i] =
                static_cast<std::int64_t>(number(i) % static_cast<std::uint64_t>(std::max<std::int64_t>(below, 1)));
        return HostTensor::of(value.dtype, std::move(dims), values);
    }
    if (value.dtype == DType::float32) {
        std::vector<float> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(number(i) % 2048) / 1024.0F - 1.0F;
        return HostTensor::of(value.dtype, std::move(dims), values);
    }
    const std::vector<std::byte> zeros(count * static_cast<std::size_t>(graph::element_size(value.dtype)));
    return HostTensor::copy_of(value.dtype, std::move(dims), zeros);
}

/// Copies of one node, with what they read, into a graph of their own.
class Copier {
public:
    Copier(const Graph& from, TrialParts parts) : from_(from), parts_(parts), roles_(graph::node_roles(from)) {
        to_->opset = from.opset;
        to_->other_opsets = from.other_opsets;
    }

    /// Returns the outputs of the copy.
    std::vector<ValueIndex> add(NodeIndex index, std::int64_t copy) {
        suffix_ = "#" + std::to_string(copy);
        known_.clear();
        measured_ = index;
        return add_node(index);
    }

    std::shared_ptr<Graph> take() { return to_; }
    /// Graph inputs with where they enter the node, or -1: by their position in Graph::inputs.
    const std::vector<std::pair<ValueIndex, std::int32_t>>& sources() const { return sources_; }

private:
    std::vector<ValueIndex> add_node(NodeIndex index) {
        Node node = from_.nodes[static_cast<std::size_t>(index)];
        node.name += suffix_;
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot)
            node.inputs[slot] = add_value(node.inputs[slot], index == measured_ ? static_cast<std::int32_t>(slot) : -1);
        for (ValueIndex& output : node.outputs) {
            if (output == graph::no_value) continue;
            const ValueIndex before = output;
            output = fresh(before);
            known_[before] = output;
        }
        const std::vector<ValueIndex> outputs = node.outputs;
        to_->add_node(std::move(node));
        return outputs;
    }

    ValueIndex add_value(ValueIndex value, std::int32_t slot) {
        if (value == graph::no_value) return value;
        if (const auto found = known_.find(value); found != known_.end()) return found->second;
        const graph::Value& original = from_.values[static_cast<std::size_t>(value)];
        if (from_.is_initializer(value)) return known_[value] = add_weight(original);
        const bool arithmetic = original.producer != graph::no_node &&
                                (roles_[static_cast<std::size_t>(original.producer)] <= graph::Role::shape);
        if (arithmetic) {
            add_node(original.producer);
            return known_.at(value);
        }
        const ValueIndex input = fresh(value);
        to_->inputs.push_back(input);
        sources_.emplace_back(value, slot);
        return known_[value] = input;
    }

    ValueIndex add_weight(const graph::Value& original) {
        graph::Initializer weight = from_.initializers[static_cast<std::size_t>(original.initializer)];
        if (!weight.data) {
            weight.random = graph::RandomInit{graph::RandomInit::Kind::normal, weight_deviation};
            weight.offset.reset();
        }
        weight.trainable = weight.trainable && parts_.weights;
        return to_->add_initializer(original.name + suffix_, std::move(weight), original.dtype, *original.shape);
    }

    ValueIndex fresh(ValueIndex value) {
        const graph::Value& original = from_.values[static_cast<std::size_t>(value)];
        return to_->add_value(original.name + suffix_, original.dtype, original.shape);
    }

    const Graph& from_;
    TrialParts parts_;
    std::vector<graph::Role> roles_;
    std::shared_ptr<Graph> to_ = std::make_shared<Graph>();
    std::map<ValueIndex, ValueIndex> known_;  ///< of the copy under way
    std::vector<std::pair<ValueIndex, std::int32_t>> sources_;
    std::string suffix_;
    NodeIndex measured_ = graph::no_node;
};

Result<void> check_shapes(const Graph& graph, const Node& node) {
    for (const auto* values : {&node.inputs, &node.outputs}) {
        for (const ValueIndex value : *values) {
            if (value == graph::no_value || graph::element_count(graph.values[static_cast<std::size_t>(value)]))
                continue;
            return Error{ErrorCode::invalid_input,
                         "the size of '" + graph.values[static_cast<std::size_t>(value)].name + "' is not known",
                         node.name, "bind the model's symbolic sizes (--set model.symbols.NAME=SIZE)"};
        }
    }
    return {};
}

double seconds(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Result<Trial> Trial::make(const Graph& graph, NodeIndex index, const std::vector<bool>& gradient, std::int64_t copies,
                          TrialParts parts, const std::string& device, int threads) {
    const Node& node = graph.nodes[static_cast<std::size_t>(index)];
    DIVISI_TRY(check_shapes(graph, node));
    Copier copier(graph, parts);
    segment::SegmentConfig config;
    Trial trial;
    trial.clock_ = device == "cpu" && threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    for (std::int64_t copy = 0; copy < copies; ++copy) {
        const std::vector<ValueIndex> outputs = copier.add(index, copy);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (outputs[i] == graph::no_value) continue;
            config.outputs.push_back(outputs[i]);
            const bool flows = gradient[static_cast<std::size_t>(node.outputs[i])] && (parts.inputs || parts.weights);
            if (!flows) continue;
            config.output_gradients.push_back(outputs[i]);
            trial.gradients_.push_back(made_up(graph.values[static_cast<std::size_t>(node.outputs[i])], 1, i + 1));
        }
    }
    const std::shared_ptr<Graph> made = copier.take();
    for (std::size_t i = 0; i < made->inputs.size(); ++i) {
        const auto [source, slot] = copier.sources()[i];
        const graph::Value& value = graph.values[static_cast<std::size_t>(source)];
        if (!graph::element_count(value))
            return Error{ErrorCode::invalid_input, "the size of '" + value.name + "' is not known", node.name,
                         "bind the model's symbolic sizes (--set model.symbols.NAME=SIZE)"};
        const std::int64_t below = slot < 0 ? 1 : integers_below(graph, node, static_cast<std::size_t>(slot));
        trial.inputs_.push_back(made_up(value, below, 1000 + i));
        if (parts.inputs && gradient[static_cast<std::size_t>(source)])
            config.input_gradients.push_back(made->inputs[i]);
    }
    DIVISI_TRY(made->canonicalize());
    config.inputs = made->inputs;
    config.nodes.resize(made->nodes.size());
    std::iota(config.nodes.begin(), config.nodes.end(), 0);
    config.graph = made;
    config.microbatches = microbatches;
    config.device = device;
    config.threads = threads;
    const auto no_file = [](const graph::Initializer&) -> Result<HostTensor> {
        return Error{ErrorCode::corrupt, "a weight without data", "", ""};
    };
    DIVISI_ASSIGN(trial.executor_, segment::make_executor(config, no_file));
    return trial;
}

Result<TrialTimes> Trial::run() {
    TrialTimes times;
    for (std::int64_t microbatch = 0; microbatch < microbatches; ++microbatch) {
        const double begin = seconds(clock_);
        DIVISI_TRY(executor_->forward(step_, microbatch, inputs_));
        const double middle = seconds(clock_);
        DIVISI_TRY(executor_->backward(step_, microbatch, gradients_));
        times.forward = middle - begin;
        times.backward = seconds(clock_) - middle;
    }
    DIVISI_TRY(executor_->finish_gradients({}));
    DIVISI_TRY(executor_->optimizer_step(step_, 0.0, {}));
    ++step_;
    return times;
}

}  // namespace divisi::instance
