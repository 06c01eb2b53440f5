// SPDX-License-Identifier: Apache-2.0
#include "backend/task/block_plan.h"

#include <algorithm>

#include "backend/graph/roles.h"
#include "backend/plan/cost_model.h"
#include "backend/task/model_source.h"

namespace divisi::task {

namespace {

using graph::NodeIndex;
using graph::ValueIndex;

/// Operators of the problem by node: constants have none, loss and metrics count with the output that they read.
std::vector<std::int32_t> number_operators(const plan::TrainingGraph& training, std::int32_t& count) {
    const std::vector<graph::Role> roles = graph::node_roles(training.graph);
    std::vector<std::int32_t> number(training.graph.nodes.size(), -1);
    count = 0;
    for (NodeIndex node = 0; node < training.model_nodes; ++node)
        if (roles[node] != graph::Role::constant) number[node] = count++;
    NodeIndex output = graph::no_node;  // the last, which no other head's output depends on
    for (const plan::Head& head : training.heads)
        output = std::max(output, training.graph.values[head.output].producer);
    for (std::size_t i = 0; i < training.anchors.size(); ++i) {
        const NodeIndex anchor = training.anchors[i] == graph::no_node ? output : training.anchors[i];
        number[static_cast<std::size_t>(training.model_nodes) + i] = anchor == graph::no_node ? -1 : number[anchor];
    }
    return number;
}

/// Names of the nodes, "" where any will do.
std::vector<std::string> node_names(const TaskSpec& spec) {
    std::vector<std::string> names = spec.place.stages;
    const auto add = [&](const std::string& name) {
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    if (names.empty()) {
        for (const auto& [pattern, node] : spec.place.pins) add(node);
        if (spec.data.path.starts_with(node_prefix)) add(spec.place.data);
    }
    names.resize(std::max(names.size(), static_cast<std::size_t>(spec.split.stages)));
    return names;
}

/// Pins, groups and data onto the operators of the problem.
Result<void> add_rules(const TaskSpec& spec, const plan::TrainingGraph& training,
                       const std::vector<std::int32_t>& number, const std::vector<std::string>& names,
                       plan::BlockProblem& problem) {
    const auto index_of = [&](const std::string& name) -> Result<std::int32_t> {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end()) return static_cast<std::int32_t>(found - names.begin());
        return Error{ErrorCode::invalid_input, "'" + name + "' is not among the nodes of place.stages", "place.pin",
                     "add it there, or pin to one of them"};
    };
    for (const auto& [pattern, node] : spec.place.pins) {  // ascending: longer patterns and full names come later
        DIVISI_ASSIGN(const std::int32_t pin, index_of(node));
        DIVISI_ASSIGN(const auto found,
                      plan::find_operators(training.graph, training.model_nodes, pattern, "place.pin"));
        for (const NodeIndex operation : found)
            if (number[operation] >= 0) problem.operators[number[operation]].pin = pin;
    }
    if (spec.data.path.starts_with(node_prefix) && !spec.place.data.empty()) {
        DIVISI_ASSIGN(const std::int32_t pin, index_of(spec.place.data));
        for (const ValueIndex input : training.graph.inputs)
            for (const NodeIndex reader : training.graph.values[input].consumers)
                if (!training.is_target(input) && number[reader] >= 0) problem.operators[number[reader]].pin = pin;
    }
    for (std::size_t group = 0; group < spec.split.together.size(); ++group) {
        DIVISI_ASSIGN(const auto found, plan::find_operators(training.graph, training.model_nodes,
                                                             spec.split.together[group], "split.together"));
        for (const NodeIndex operation : found)
            if (number[operation] >= 0)
                problem.operators[number[operation]].together = static_cast<std::int32_t>(group);
    }
    return {};
}

plan::BlockProblem describe(const plan::TrainingGraph& training, const graph::GraphCost& cost,
                            const plan::DeviceProfile& device, const std::vector<std::int32_t>& number,
                            std::int32_t count, std::size_t nodes) {
    const graph::Graph& graph = training.graph;
    const std::vector<bool> has_gradient = plan::values_with_gradient(graph);
    plan::BlockProblem problem;
    problem.operators.resize(static_cast<std::size_t>(count));
    const plan::PricedGraph priced(graph, cost, device, training.loss);
    for (std::size_t node = 0; node < number.size(); ++node)
        if (number[node] >= 0)
            problem.operators[number[node]].seconds += priced.sum({static_cast<NodeIndex>(node)}).total();
    for (ValueIndex index = 0; index < static_cast<ValueIndex>(graph.values.size()); ++index) {
        const graph::Value& value = graph.values[index];
        if (value.producer == graph::no_node || number[value.producer] < 0) continue;
        plan::BlockValue described{number[value.producer], {}, 0};
        for (const NodeIndex consumer : value.consumers)
            if (number[consumer] >= 0 && number[consumer] != described.producer)
                described.consumers.push_back(number[consumer]);
        std::sort(described.consumers.begin(), described.consumers.end());
        described.consumers.erase(std::unique(described.consumers.begin(), described.consumers.end()),
                                  described.consumers.end());
        described.bytes = graph::size_bytes(value).value_or(0) * (has_gradient[index] ? 2 : 1);
        if (!described.consumers.empty()) problem.values.push_back(std::move(described));
    }
    problem.nodes.resize(nodes);
    const plan::LinkModel link = plan::default_links().between_hosts;
    problem.seconds_per_byte.assign(nodes,
                                    std::vector<double>(nodes, link.serialize_s_per_byte + 1 / link.bytes_per_s));
    return problem;
}

}  // namespace

Result<PlannedBlocks> plan_blocks(const TaskSpec& spec, const plan::TrainingGraph& training,
                                  const graph::GraphCost& cost, const std::vector<plan::Segment>& layers) {
    std::int32_t count = 0;
    const std::vector<std::int32_t> number = number_operators(training, count);
    const std::vector<std::string> names = node_names(spec);
    plan::BlockProblem problem =
        describe(training, cost, plan::default_profile(spec.place.device, static_cast<double>(spec.place.threads)),
                 number, count, names.size());
    DIVISI_TRY(add_rules(spec, training, number, names, problem));
    plan::BlockPlan start{std::vector<std::int32_t>(static_cast<std::size_t>(count), 0), {}};
    for (std::size_t segment = 0; segment < names.size(); ++segment) {
        start.node_of.push_back(static_cast<std::int32_t>(segment));
        if (segment >= layers.size()) continue;
        for (const NodeIndex node : layers[segment].nodes)
            if (node < training.model_nodes && number[node] >= 0)
                start.part_of[number[node]] = static_cast<std::int32_t>(segment);
    }
    DIVISI_ASSIGN(const plan::BlockPlan found, plan::block_segmentation(problem, {start}));

    // Parts without an operator are left out.
    std::vector<std::int32_t> block_of_part(found.node_of.size(), -1), block_of(number.size(), -1);
    PlannedBlocks planned;
    std::int32_t blocks = 0;
    std::vector<std::string> places;
    for (std::size_t part = 0; part < found.node_of.size(); ++part) {
        if (std::find(found.part_of.begin(), found.part_of.end(), static_cast<std::int32_t>(part)) ==
            found.part_of.end())
            continue;
        block_of_part[part] = blocks++;
        places.push_back(names[found.node_of[part]]);
    }
    for (std::size_t node = 0; node < number.size(); ++node)
        if (number[node] >= 0) block_of[node] = block_of_part[found.part_of[number[node]]];
    DIVISI_ASSIGN(planned.blocks, plan::make_blocks(training, block_of, blocks));
    for (const std::int32_t given : planned.blocks.given) planned.places.push_back(places[given]);
    return planned;
}

}  // namespace divisi::task
