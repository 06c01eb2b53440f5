// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/commands/stretch.h"

#include <algorithm>
#include <map>
#include <set>

#include "backend/base/hash.h"
#include "backend/graph/roles.h"
#include "backend/price/cost_model.h"

namespace divisi::instance {
namespace {

using graph::DType;
using graph::Graph;
using graph::HostTensor;
using graph::Node;
using graph::NodeIndex;
using graph::ValueIndex;

/// Standard deviation of the random values for weights without data. This value is usual at the start of training, and
/// causes neither denormal numbers nor overflow.
constexpr double weight_deviation = 0.05;

/// Returns the bound for an integer input: the size of the axis that the input indexes, otherwise 2.
std::int64_t integers_below(const Graph& graph, const Node& node, std::size_t slot) {
    const auto size = [&](std::size_t axis) -> std::int64_t {
        const auto& shape = graph.values[static_cast<std::size_t>(node.inputs[0])].shape;
        return shape && axis < shape->size() && (*shape)[axis].known() ? (*shape)[axis].size : 1;
    };
    if (slot == 1 && node.op_type.starts_with("Gather")) {
        const auto found = node.attributes.find("axis");
        const auto* axis = found == node.attributes.end() ? nullptr : get_if<std::int64_t>(&found->second);
        return size(axis && *axis > 0 ? static_cast<std::size_t>(*axis) : 0);
    }
    if (slot == 1 && node.op_type.ends_with("Loss")) return size(1);
    return 2;
}

/// Returns the bound that suits all readers of the value.
std::int64_t integers_below(const Graph& graph, ValueIndex value) {
    constexpr std::int64_t any = std::int64_t{1} << 30;
    std::int64_t below = any;
    for (const NodeIndex consumer : graph.values[static_cast<std::size_t>(value)].consumers) {
        const Node& node = graph.nodes[static_cast<std::size_t>(consumer)];
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot)
            if (node.inputs[slot] == value) below = std::min(below, integers_below(graph, node, slot));
    }
    return below == any ? 2 : below;
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

/// Copies nodes and their inputs into a separate graph.
class Copier {
public:
    explicit Copier(const MeasuredModel& model) : from_(model.graph), roles_(graph::node_roles(model.graph)) {
        to_.opset = from_.opset;
        to_.other_opsets = from_.other_opsets;
    }

    void add(NodeIndex index) {
        Node node = from_.nodes[static_cast<std::size_t>(index)];
        for (ValueIndex& input : node.inputs) input = add_value(input);
        for (ValueIndex& output : node.outputs)
            if (output != graph::no_value) output = fresh(output);
        to_.add_node(std::move(node));
    }
    Graph take() { return std::move(to_); }
    /// Returns the values of the model with their copies.
    const std::map<ValueIndex, ValueIndex>& known() const { return known_; }

private:
    ValueIndex add_value(ValueIndex value) {
        if (value == graph::no_value) return value;
        if (const auto found = known_.find(value); found != known_.end()) return found->second;
        const graph::Value& original = from_.values[static_cast<std::size_t>(value)];
        if (from_.is_initializer(value)) return known_[value] = add_weight(original);
        const bool comes_along = original.producer != graph::no_node &&
                                 roles_[static_cast<std::size_t>(original.producer)] <= graph::Role::shape;
        if (comes_along) {
            add(original.producer);
            return known_.at(value);
        }
        to_.inputs.push_back(fresh(value));
        return to_.inputs.back();
    }
    ValueIndex add_weight(const graph::Value& original) {
        graph::Initializer weight = from_.initializers[static_cast<std::size_t>(original.initializer)];
        if (!weight.data && !weight.random) {
            weight.random = graph::RandomInit{graph::RandomInit::Kind::normal, weight_deviation};
            weight.offset.reset();
        }
        return to_.add_initializer(original.name, std::move(weight), original.dtype, *original.shape);
    }
    ValueIndex fresh(ValueIndex value) {
        const graph::Value& original = from_.values[static_cast<std::size_t>(value)];
        return known_[value] = to_.add_value(original.name, original.dtype, original.shape);
    }

    const Graph& from_;
    std::vector<graph::Role> roles_;
    Graph to_;
    std::map<ValueIndex, ValueIndex> known_;
};

Result<void> check_sizes(const Graph& graph) {
    for (const Node& node : graph.nodes) {
        for (const auto* values : {&node.inputs, &node.outputs}) {
            for (const ValueIndex value : *values) {
                if (value == graph::no_value || graph::element_count(graph.values[static_cast<std::size_t>(value)]))
                    continue;
                return Error{ErrorCode::invalid_input,
                             "the size of '" + graph.values[static_cast<std::size_t>(value)].name + "' is not known",
                             node.name, "bind the model's symbolic sizes (--set model.symbols.NAME=SIZE)"};
            }
        }
    }
    return {};
}

}  // namespace

std::vector<NodeIndex> working_nodes(const MeasuredModel& model) {
    const std::vector<graph::Role> roles = graph::node_roles(model.graph);
    const std::vector<bool> needed = price::needed_nodes(model.graph, model.loss);
    std::vector<NodeIndex> nodes;
    for (std::size_t node = 0; node < roles.size(); ++node)
        if (needed[node] && roles[node] > graph::Role::shape) nodes.push_back(static_cast<NodeIndex>(node));
    return nodes;
}

Result<Stretch> make_stretch(const MeasuredModel& model, const std::vector<NodeIndex>& nodes) {
    const Graph& from = model.graph;
    Copier copier(model);
    for (const NodeIndex node : nodes) copier.add(node);
    auto made = std::make_shared<Graph>(copier.take());
    DIVISI_TRY(check_sizes(*made));
    DIVISI_TRY(made->canonicalize());
    Stretch stretch;
    std::map<std::string, NodeIndex> index_of;
    for (const NodeIndex node : nodes) index_of[from.nodes[static_cast<std::size_t>(node)].name] = node;
    for (const Node& node : made->nodes) {
        const auto found = index_of.find(node.name);
        stretch.source.push_back(found == index_of.end() ? graph::no_node : found->second);
    }
    const std::vector<bool> gradient = graph::needs_gradient(from);
    stretch.gradient.resize(made->values.size());
    for (const auto& [original, copy] : copier.known())
        stretch.gradient[static_cast<std::size_t>(copy)] = gradient[static_cast<std::size_t>(original)];
    for (const ValueIndex input : made->inputs)
        stretch.inputs.push_back(made_up(made->values[static_cast<std::size_t>(input)], integers_below(*made, input),
                                         static_cast<std::uint64_t>(input) + 1));
    if (const auto loss = copier.known().find(model.loss);
        model.loss != graph::no_value && loss != copier.known().end())
        stretch.loss = loss->second;
    const std::set<NodeIndex> inside(nodes.begin(), nodes.end());
    for (const NodeIndex index : nodes) {
        for (const ValueIndex value : from.nodes[static_cast<std::size_t>(index)].outputs) {
            if (value == graph::no_value || value == model.loss) continue;
            const auto& consumers = from.values[static_cast<std::size_t>(value)].consumers;
            const bool leaves = std::any_of(consumers.begin(), consumers.end(),
                                            [&](NodeIndex consumer) { return !inside.contains(consumer); });
            if (!leaves && !consumers.empty()) continue;
            const ValueIndex copy = copier.known().at(value);
            stretch.outputs.push_back(copy);
            if (!gradient[static_cast<std::size_t>(value)] || model.loss == value) continue;
            stretch.gradients_at.push_back(copy);
            stretch.gradients.push_back(
                made_up(made->values[static_cast<std::size_t>(copy)], 1, static_cast<std::uint64_t>(copy) + 1));
        }
    }
    stretch.graph = std::move(made);
    return stretch;
}

std::vector<std::vector<NodeIndex>> divide(const MeasuredModel& model, double most_bytes) {
    // Number of tensors in memory per value. A weight needs its value, a gradient and two optimizer states; a result
    // needs its value and a gradient.
    constexpr double of_weight = 4, of_result = 2;
    const auto bytes = [&](ValueIndex value) {
        return static_cast<double>(graph::size_bytes(model.graph.values[static_cast<std::size_t>(value)]).value_or(0));
    };
    std::vector<std::vector<NodeIndex>> stretches;
    double held = most_bytes;
    for (const NodeIndex index : working_nodes(model)) {
        const Node& node = model.graph.nodes[static_cast<std::size_t>(index)];
        double needed = 0;
        for (const ValueIndex input : node.inputs)
            if (input != graph::no_value && model.graph.is_initializer(input)) needed += of_weight * bytes(input);
        for (const ValueIndex output : node.outputs)
            if (output != graph::no_value) needed += of_result * bytes(output);
        if (held + needed > most_bytes) {
            stretches.emplace_back();
            held = 0;
        }
        stretches.back().push_back(index);
        held += needed;
    }
    return stretches;
}

}  // namespace divisi::instance
