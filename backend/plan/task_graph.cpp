// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/task_graph.h"

#include <algorithm>
#include <set>

namespace divisi::plan {

namespace {

using graph::Graph;
using graph::NodeCost;
using graph::ValueIndex;

TensorSchema schema(const Graph& graph, ValueIndex index) {
    const graph::Value& value = graph.values[index];
    TensorSchema result{value.name, value.dtype, {}};
    if (value.shape)
        for (const graph::Dim& dim : *value.shape) result.dims.push_back(dim.size);
    return result;
}

std::vector<TensorSchema> schemas(const Graph& graph, const std::vector<ValueIndex>& values,
                                  const std::string& prefix = "") {
    std::vector<TensorSchema> result;
    for (const ValueIndex value : values) {
        result.push_back(schema(graph, value));
        result.back().name = prefix + result.back().name;
    }
    return result;
}

NodeCost sum(const graph::GraphCost& cost, const std::vector<graph::NodeIndex>& nodes) {
    NodeCost total;
    for (const graph::NodeIndex node : nodes) total += cost.node(node);
    return total;
}

std::string stage_path(std::int32_t stage) { return "stage-" + std::to_string(stage); }

/// Adds units and edges in order.
class Builder {
public:
    Builder(const TrainingGraph& training, const Programs& programs, const TaskGraphOptions& options)
        : training_(training), programs_(programs), options_(options) {}

    std::int32_t add(UnitKind kind, std::int32_t stage, ComputeNeeds needs) {
        Unit unit;
        const std::string path = stage == data_unit ? "data" : stage_path(stage);
        unit.sid = Sid((options_.task.empty() ? "" : options_.task + "/") + path + "/" + to_string(kind) + "/0");
        unit.kind = kind;
        unit.stage = stage;
        unit.needs = needs;
        result.units.push_back(std::move(unit));
        return static_cast<std::int32_t>(result.units.size() - 1);
    }
    void connect(std::int32_t from, std::int32_t to, const std::string& tag, Bytes bytes = 0) {
        result.edges.push_back({from, to, tag, bytes});
        std::vector<std::string>& tags = result.units[static_cast<std::size_t>(to)].tags;
        if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
    }
    /// Adds the edges of all channels of one kind. `ends` returns the units at both ends of a channel.
    template <typename Ends>
    void connect_channels(Channel::Kind kind, const std::string& prefix, Ends ends) {
        for (const Channel& channel : programs_.channels) {
            if (channel.kind != kind) continue;
            const bool named = channel.value != graph::no_value;
            const graph::Value* value = named ? &training_.graph.values[channel.value] : nullptr;
            const auto [from, to] = ends(channel);
            connect(from, to, prefix + (named ? value->name : stage_path(channel.from)),
                    named ? graph::size_bytes(*value).value_or(0) : 0);
        }
    }
    Unit& unit(std::int32_t index) { return result.units[static_cast<std::size_t>(index)]; }

    TaskGraph result;

private:
    const TrainingGraph& training_;
    const Programs& programs_;
    const TaskGraphOptions& options_;
};

/// Adds the loading and preprocessing units, which make the graph's inputs for one micro-batch.
std::int32_t add_data_units(Builder& builder, const Graph& graph, const Programs& programs) {
    std::vector<ValueIndex> fed;
    for (const Channel& channel : programs.channels)
        if (channel.from == data_unit && std::find(fed.begin(), fed.end(), channel.value) == fed.end())
            fed.push_back(channel.value);
    ComputeNeeds needs;
    for (const ValueIndex value : fed) needs.moved += graph::size_bytes(graph.values[value]).value_or(0);
    needs.memory = needs.moved;
    const std::int32_t load = builder.add(UnitKind::load, data_unit, needs);
    needs.moved *= 2;
    const std::int32_t preprocess = builder.add(UnitKind::preprocess, data_unit, needs);
    builder.unit(load).outputs = {{"samples", graph::DType::undefined, {}}};
    builder.unit(preprocess).inputs = builder.unit(load).outputs;
    builder.unit(preprocess).outputs = schemas(graph, fed);
    builder.connect(load, preprocess, "samples");
    return preprocess;
}

/// The units of every stage, as positions in the task graph.
struct StageUnits {
    std::vector<std::int32_t> forward, backward, optimizer;
    std::vector<std::int32_t> loss;  ///< no_unit if a stage computes no loss
    std::int32_t preprocess = 0;
};
constexpr std::int32_t no_unit = -1;

void add_forward(Builder& builder, StageUnits& units, const TrainingGraph& training, const Segment& segment,
                 const SegmentFlow& flow, const graph::GraphCost& cost, const StageMemory& memory) {
    std::vector<graph::NodeIndex> model_nodes;
    for (const graph::NodeIndex node : segment.nodes)
        if (node < training.model_nodes) model_nodes.push_back(node);
    const NodeCost work = sum(cost, model_nodes);
    const auto stage = static_cast<std::int32_t>(units.forward.size());
    units.forward.push_back(builder.add(
        UnitKind::forward, stage,
        {work.forward_flops, static_cast<Bytes>(work.forward_bytes), memory.parameters + memory.activations}));
    Unit& unit = builder.unit(units.forward.back());
    unit.inputs = schemas(training.graph, flow.inputs);
    std::erase_if(unit.inputs, [&](const TensorSchema& input) {
        return std::any_of(training.heads.begin(), training.heads.end(), [&](const Head& head) {
            return head.target != graph::no_value &&
                   input.name == training.graph.values[head.target].name;  // the loss reads it
        });
    });
    unit.outputs = schemas(training.graph, flow.outputs);
}

/// Adds the unit that computes the losses of the heads whose outputs a stage makes. In the last stage it also computes
/// their sum, or a batch task's results. Returns no_unit if the segment has none of these operators.
std::int32_t add_loss(Builder& builder, const TrainingGraph& training, const Segment& segment, std::int32_t stage,
                      const graph::GraphCost& cost) {
    std::vector<graph::NodeIndex> nodes;
    for (const graph::NodeIndex node : segment.nodes)
        if (node >= training.model_nodes) nodes.push_back(node);
    if (nodes.empty()) return no_unit;
    const Graph& graph = training.graph;
    const NodeCost work = sum(cost, nodes);
    const std::int32_t loss = builder.add(
        UnitKind::loss, stage,
        {work.forward_flops, static_cast<Bytes>(work.forward_bytes), static_cast<Bytes>(work.activation_bytes)});
    const auto is_here = [&](ValueIndex value) {
        return std::binary_search(nodes.begin(), nodes.end(), graph.values[value].producer);
    };
    std::vector<ValueIndex> inputs, outputs;
    for (const Head& head : training.heads) {
        const ValueIndex made = head.loss != graph::no_value ? head.loss : head.result;
        if (!is_here(made)) continue;
        inputs.push_back(head.output);
        if (head.target != graph::no_value) inputs.push_back(head.target);
        outputs.push_back(made);
    }
    // a batch task does not sum the losses of its heads
    const bool summed = training.multi_task && training.loss != graph::no_value;
    if (summed && is_here(training.loss)) outputs.push_back(training.loss);
    builder.unit(loss).inputs = schemas(graph, inputs);
    builder.unit(loss).outputs = schemas(graph, outputs);
    return loss;
}

std::int32_t add_backward(Builder& builder, const Graph& graph, std::int32_t stage, const Segment& segment,
                          const SegmentFlow& flow, const graph::GraphCost& cost) {
    const NodeCost work = sum(cost, segment.nodes);
    const std::int32_t index = builder.add(
        UnitKind::backward, stage,
        {work.input_gradient_flops + work.weight_gradient_flops, static_cast<Bytes>(work.backward_bytes), 0});
    builder.unit(index).inputs = schemas(graph, flow.output_gradients, "gradient of ");
    builder.unit(index).outputs = schemas(graph, flow.input_gradients, "gradient of ");
    return index;
}

std::int32_t add_optimizer(Builder& builder, std::int32_t stage, const StageMemory& memory, std::int32_t states) {
    // Reads weight, gradient and states, writes weight and states; about two operations for each.
    const double tensors = 3.0 + 2.0 * states;
    const double elements = static_cast<double>(memory.gradients) / 4.0;
    return builder.add(UnitKind::optimizer, stage,
                       {2.0 * tensors * elements, static_cast<Bytes>(static_cast<double>(memory.gradients) * tensors),
                        memory.gradients + memory.optimizer});
}

void connect_units(Builder& builder, const StageUnits& units, const TrainingGraph& training) {
    const auto& values = training.graph.values;
    const auto is_loss = [&](graph::NodeIndex node) { return node >= training.model_nodes; };
    builder.connect_channels(Channel::Kind::value, "value:", [&](const Channel& channel) {
        const graph::Value& value = values[channel.value];
        const bool only_loss = std::all_of(value.consumers.begin(), value.consumers.end(), is_loss);
        const std::int32_t to = only_loss ? units.loss[channel.to] : units.forward[channel.to];
        if (channel.from == data_unit) return std::pair{units.preprocess, to};
        return std::pair{is_loss(value.producer) ? units.loss[channel.from] : units.forward[channel.from], to};
    });
    for (std::size_t stage = 0; stage < units.loss.size(); ++stage) {
        if (units.loss[stage] == no_unit) continue;
        const Unit& loss = builder.unit(units.loss[stage]);
        if (!loss.inputs.empty())
            builder.connect(units.forward[stage], units.loss[stage], "value:" + loss.inputs[0].name);
        if (!units.backward.empty())
            builder.connect(units.loss[stage], units.backward[stage], "gradient:" + loss.outputs.back().name);
    }
    if (units.backward.empty()) return;
    builder.connect_channels(Channel::Kind::gradient, "gradient:", [&](const Channel& channel) {
        return std::pair{units.backward[channel.from], units.backward[channel.to]};
    });
    for (std::size_t stage = 0; stage < units.forward.size(); ++stage) {
        const std::string path = stage_path(static_cast<std::int32_t>(stage));
        builder.connect(units.forward[stage], units.backward[stage], "activations:" + path);
        builder.connect(units.backward[stage], units.optimizer[stage], "weights:" + path);
    }
    const auto across = [&](const Channel& channel) {
        return std::pair{units.backward[channel.from], units.optimizer[channel.to]};
    };
    builder.connect_channels(Channel::Kind::use_gradients, "shared weights:", across);
    builder.connect_channels(Channel::Kind::norm_shares, "norm:", across);
}

}  // namespace

const char* to_string(UnitKind kind) {
    switch (kind) {
        case UnitKind::load: return "load";
        case UnitKind::preprocess: return "preprocess";
        case UnitKind::forward: return "forward";
        case UnitKind::loss: return "loss";
        case UnitKind::backward: return "backward";
        case UnitKind::optimizer: return "optimizer";
    }
    return "unknown";
}

StageMemory stage_memory(const Graph& graph, const graph::GraphCost& cost, const Segment& segment,
                         std::int32_t in_flight, std::int32_t optimizer_states, bool recompute) {
    StageMemory memory;
    std::set<std::int32_t> held;
    std::set<ValueIndex> arriving;
    double activations = 0;
    for (const graph::NodeIndex node : segment.nodes) {
        activations += cost.node(node).activation_bytes;
        for (const ValueIndex input : graph.nodes[node].inputs) {
            if (input == graph::no_value) continue;
            if (!graph.is_initializer(input)) {
                const graph::NodeIndex producer = graph.values[input].producer;
                if (!std::binary_search(segment.nodes.begin(), segment.nodes.end(), producer)) arriving.insert(input);
                continue;
            }
            if (!held.insert(graph.values[input].initializer).second) continue;
            const Bytes bytes = graph::size_bytes(graph.values[input]).value_or(0);
            memory.parameters += bytes;
            if (graph.initializers[graph.values[input].initializer].trainable) memory.gradients += bytes;
        }
    }
    memory.optimizer = memory.gradients * optimizer_states;
    memory.activations = static_cast<Bytes>(activations) * (recompute ? std::min(in_flight, 1) : in_flight);
    if (!recompute) return memory;
    for (const ValueIndex value : arriving)
        memory.activations += graph::size_bytes(graph.values[value]).value_or(0) * in_flight;
    return memory;
}

StageMemory forward_memory(const Graph& graph, const graph::GraphCost& cost, const Segment& segment) {
    StageMemory memory = stage_memory(graph, cost, segment, 1, 0);
    memory.gradients = 0;
    return memory;
}

TaskGraph make_task_graph(const TrainingGraph& training, const Partition& partition, const Programs& programs,
                          const PassOrder& order, const graph::GraphCost& cost, const TaskGraphOptions& options) {
    const Graph& graph = training.graph;
    Builder builder(training, programs, options);
    StageUnits units;
    units.preprocess = add_data_units(builder, graph, programs);
    const auto stages = static_cast<std::int32_t>(partition.segments.size());
    std::vector<StageMemory> memory;
    for (std::int32_t stage = 0; stage < stages; ++stage) {
        const Segment& segment = partition.segments[stage];
        memory.push_back(programs.length.over_data() ? forward_memory(graph, cost, segment)
                                                     : stage_memory(graph, cost, segment, most_in_flight(order[stage]),
                                                                    options.optimizer_states, options.recompute));
        add_forward(builder, units, training, segment, programs.flows[stage], cost, memory.back());
    }
    for (std::int32_t stage = 0; stage < stages; ++stage)
        units.loss.push_back(add_loss(builder, training, partition.segments[stage], stage, cost));
    if (programs.length.over_data()) {
        connect_units(builder, units, training);
        return std::move(builder.result);
    }
    units.backward.resize(partition.segments.size());
    for (std::int32_t stage = stages - 1; stage >= 0; --stage)
        units.backward[stage] =
            add_backward(builder, graph, stage, partition.segments[stage], programs.flows[stage], cost);
    for (std::int32_t stage = 0; stage < stages; ++stage)
        units.optimizer.push_back(add_optimizer(builder, stage, memory[stage], options.optimizer_states));
    connect_units(builder, units, training);
    return std::move(builder.result);
}

}  // namespace divisi::plan
