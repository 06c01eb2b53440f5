// SPDX-License-Identifier: Apache-2.0
#include "backend/task/block_plan.h"

#include <algorithm>
#include <limits>

#include "backend/graph/roles.h"
#include "backend/search/node_chain.h"
#include "backend/task/error_texts.h"
#include "backend/task/place_rules.h"
#include "backend/task/predict_step.h"
#include "backend/task/validate.h"

namespace divisi::task {

namespace {

using graph::NodeIndex;
using graph::ValueIndex;

/// Numbers the operators of the problem by node. Constants have no number. Loss and metrics share the number of the
/// output that they read.
std::vector<std::int32_t> number_operators(const plan::TrainingGraph& training, std::int32_t& count) {
    const std::vector<graph::Role> roles = graph::node_roles(training.graph);
    std::vector<std::int32_t> number(training.graph.nodes.size(), -1);
    count = 0;
    for (NodeIndex node = 0; node < training.model_nodes; ++node)
        if (roles[node] != graph::Role::constant) number[node] = count++;
    NodeIndex output = graph::no_node;  // the last output; no output of another head depends on it
    for (const plan::Head& head : training.heads)
        output = std::max(output, training.graph.values[head.output].producer);
    for (std::size_t i = 0; i < training.anchors.size(); ++i) {
        const NodeIndex anchor = training.anchors[i] == graph::no_node ? output : training.anchors[i];
        number[static_cast<std::size_t>(training.model_nodes) + i] = anchor == graph::no_node ? -1 : number[anchor];
    }
    return number;
}

/// Returns the nodes of the pool that may each get a segment: the nodes of place.stages. If place.stages is not set,
/// chooses one node for each stage, beginning with nodes that some operator must use.
std::vector<std::int32_t> choose_nodes(const TaskSpec& spec, const price::NodePool& pool,
                                       const price::CutConstraints& constraints,
                                       const std::vector<std::int32_t>& start) {
    const auto stages = static_cast<std::size_t>(spec.split.stages);
    std::vector<std::int32_t> nodes;
    const auto add = [&](std::int32_t node) {
        if (node >= 0 && std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    };
    for (const std::string& name : spec.place.stages) add(pool.find(name));
    if (nodes.empty())
        for (const price::CutConstraints::Pin& pin : constraints.pins) add(pool.find(pin.place));
    const auto is_secure = [&](std::int32_t node) { return constraints.is_secure(pool.nodes[node].node); };
    if (!constraints.sensitive.empty() && std::none_of(nodes.begin(), nodes.end(), is_secure))
        for (std::size_t node = 0; node < pool.ready && nodes.size() < stages; ++node)
            if (is_secure(static_cast<std::int32_t>(node))) {
                add(static_cast<std::int32_t>(node));
                break;
            }
    for (const std::int32_t node : start)
        if (nodes.size() < stages) add(node);
    for (std::size_t node = 0; node < pool.ready && nodes.size() < stages; ++node) add(static_cast<std::int32_t>(node));
    for (std::size_t i = 0; nodes.size() < stages; ++i) nodes.push_back(nodes[i]);  // several segments share a node
    return nodes;
}

/// Applies pins and groups to the operators of the problem.
Result<void> add_rules(const TaskSpec& spec, const plan::TrainingGraph& training,
                       const std::vector<std::int32_t>& number, const price::CutConstraints& constraints,
                       const price::NodePool& pool, const std::vector<std::int32_t>& nodes,
                       search::BlockProblem& problem) {
    for (const price::CutConstraints::Pin& pin : constraints.pins) {
        const auto found = std::find(nodes.begin(), nodes.end(), pool.find(pin.place));
        if (found == nodes.end())
            return make_error(error_text("pinned-to-unused-node"), "place.pin",
                              {training.graph.nodes[pin.node].name, pin.place,
                               (spec.place.stages.empty() ? "of the cluster" : "of place.stages")});
        if (number[pin.node] >= 0)
            problem.operators[number[pin.node]].pin = static_cast<std::int32_t>(found - nodes.begin());
    }
    for (const NodeIndex node : constraints.sensitive)
        if (number[node] >= 0) problem.operators[number[node]].sensitive = true;
    for (std::size_t group = 0; group < spec.split.together.size(); ++group) {
        DIVISI_ASSIGN(const auto found, plan::find_operators(training.graph, training.model_nodes,
                                                             spec.split.together[group], "split.together"));
        for (const NodeIndex operation : found)
            if (number[operation] >= 0)
                problem.operators[number[operation]].together = static_cast<std::int32_t>(group);
    }
    return {};
}

/// Describes nodes and links. Speeds are relative to the first node.
Result<void> describe_nodes(price::Pricing& pricing, const price::NodePool& pool,
                            const std::vector<std::int32_t>& nodes, const price::CutConstraints& constraints,
                            search::BlockProblem& problem) {
    const std::vector<price::PlannedDevice> placed = pool.place(nodes).stages;
    DIVISI_ASSIGN(const price::PricedGraph* const first, pricing.on(placed.front().profile));
    const price::SegmentPrice whole = first->total();
    for (const price::PlannedDevice& device : placed) {
        DIVISI_ASSIGN(const price::PricedGraph* const priced, pricing.on(device.profile));
        const double seconds = priced->total().total();
        problem.nodes.push_back(
            {seconds > 0 ? whole.total() / seconds : 1, device.memory.value_or(0), constraints.is_secure(device.node)});
        auto& row = problem.seconds_per_byte.emplace_back();
        for (const price::PlannedDevice& to : placed) {
            const price::LinkModel& link = pool.links.of(device.end(), to.end());
            row.push_back(link.serialize_s_per_byte + (link.bytes_per_s > 0 ? 1 / link.bytes_per_s : 0));
        }
    }
    return {};
}

/// Returns an operator's memory: its weights, and its activations for the maximum number of micro-batches in flight.
Bytes operator_memory(const price::Pricing& pricing, const TaskSpec& spec, NodeIndex node, std::size_t nodes) {
    const graph::NodeCost& cost = pricing.cost().node(node);
    const price::TrainingSetup setup = training_setup(spec);
    const auto flight = setup.recompute ? std::size_t{1} : std::min<std::size_t>(setup.microbatches, nodes);
    const double held = search::held_bytes(pricing.graph(), cost, pricing.graph().nodes[node], setup.optimizer_states);
    return static_cast<Bytes>(held + cost.activation_bytes * static_cast<double>(flight));
}

Result<search::BlockProblem> describe(price::Pricing& pricing, const TaskSpec& spec, const price::NodePool& pool,
                                      const std::vector<std::int32_t>& nodes, const price::CutConstraints& constraints,
                                      const std::vector<std::int32_t>& number, std::int32_t count) {
    const graph::Graph& graph = pricing.graph();
    const std::vector<bool> has_gradient = plan::values_with_gradient(graph);
    search::BlockProblem problem;
    problem.operators.resize(static_cast<std::size_t>(count));
    DIVISI_ASSIGN(const price::PricedGraph* const priced, pricing.on(pool.nodes[nodes.front()].profile));
    for (std::size_t node = 0; node < number.size(); ++node) {
        if (number[node] < 0) continue;
        search::BlockOperator& described = problem.operators[number[node]];
        described.seconds += priced->sum({static_cast<NodeIndex>(node)}).total();
        described.memory += operator_memory(pricing, spec, static_cast<NodeIndex>(node), nodes.size());
    }
    for (ValueIndex index = 0; index < static_cast<ValueIndex>(graph.values.size()); ++index) {
        const graph::Value& value = graph.values[index];
        if (value.producer == graph::no_node || number[value.producer] < 0) continue;
        search::BlockValue described{number[value.producer], {}, 0};
        for (const NodeIndex consumer : value.consumers)
            if (number[consumer] >= 0 && number[consumer] != described.producer)
                described.consumers.push_back(number[consumer]);
        std::sort(described.consumers.begin(), described.consumers.end());
        described.consumers.erase(std::unique(described.consumers.begin(), described.consumers.end()),
                                  described.consumers.end());
        described.bytes = graph::size_bytes(value).value_or(0) * (has_gradient[index] ? 2 : 1);
        if (!described.consumers.empty()) problem.values.push_back(std::move(described));
    }
    DIVISI_TRY(describe_nodes(pricing, pool, nodes, constraints, problem));
    return problem;
}

/// Returns the start as parts of the problem, each on its intended node.
search::BlockPlan start_plan(const LayerStart& start, const std::vector<std::int32_t>& number, std::int32_t count,
                             const std::vector<std::int32_t>& nodes) {
    search::BlockPlan plan{std::vector<std::int32_t>(static_cast<std::size_t>(count), 0), {}};
    std::vector<bool> taken(nodes.size(), false);
    for (std::size_t part = 0; part < nodes.size(); ++part) {
        const std::int32_t wanted = part < start.nodes.size() ? start.nodes[part] : -1;
        auto at = static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), wanted) - nodes.begin());
        if (at == nodes.size() || taken[at])
            at = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
        taken[at] = true;
        plan.node_of.push_back(static_cast<std::int32_t>(at));
        if (part >= start.segments.size()) continue;
        for (const NodeIndex node : start.segments[part].nodes)
            if (static_cast<std::size_t>(node) < number.size() && number[node] >= 0)
                plan.part_of[number[node]] = static_cast<std::int32_t>(part);
    }
    return plan;
}

/// Adds to the prices of links the core time of gateways and routers that take cores from stages. Omits their overhead
/// per message, as links do.
void charge_relays(search::BlockProblem& problem, const price::NodePool& pool, const std::vector<std::int32_t>& nodes) {
    for (std::size_t from = 0; from < nodes.size(); ++from)
        for (std::size_t to = 0; to < nodes.size(); ++to)
            if (const auto* path = pool.links.path(pool.nodes[nodes[from]].end(), pool.nodes[nodes[to]].end()))
                for (const price::PathRelay& relay : path->relays)
                    if (pool.is_disturbed_by(relay)) problem.seconds_per_byte[from][to] += relay.serialize_s_per_byte;
}

/// Converts a plan of the problem to blocks. Omits parts without an operator.
Result<PlannedBlocks> blocks_of(const search::BlockPlan& found, const plan::TrainingGraph& training,
                                const std::vector<std::int32_t>& number, const price::NodePool& pool,
                                const std::vector<std::int32_t>& nodes) {
    std::vector<std::int32_t> block_of_part(found.node_of.size(), -1), block_of(number.size(), -1);
    PlannedBlocks planned;
    std::int32_t blocks = 0;
    std::vector<std::string> places;
    for (std::size_t part = 0; part < found.node_of.size(); ++part) {
        if (std::find(found.part_of.begin(), found.part_of.end(), static_cast<std::int32_t>(part)) ==
            found.part_of.end())
            continue;
        block_of_part[part] = blocks++;
        places.push_back(pool.nodes[nodes[found.node_of[part]]].node);
    }
    for (std::size_t node = 0; node < number.size(); ++node)
        if (number[node] >= 0) block_of[node] = block_of_part[found.part_of[number[node]]];
    DIVISI_ASSIGN(planned.blocks, plan::make_blocks(training, block_of, blocks));
    for (const std::int32_t given : planned.blocks.given) planned.places.push_back(places[given]);
    return planned;
}

/// Returns the step time of the blocks at their places, with the task's data instances. Infinite if that is impossible.
double step_ms(const PlannedBlocks& planned, const TaskSpec& spec, price::Pricing& pricing,
               const price::NodePool& pool) {
    const auto partition = plan::make_partition(pricing.graph(), planned.blocks.segments);
    if (!partition.ok()) return std::numeric_limits<double>::infinity();
    const auto stages = static_cast<std::int32_t>(planned.places.size());
    const std::vector<std::int32_t> order = pool.order(stages, planned.places);
    price::Placement placement = pool.place(order);
    placement.dealt = pool.place_data(order, static_cast<std::int32_t>(spec.data.instances));
    const auto prediction = price::predict(pricing, *partition, placement, training_setup(spec));
    return prediction.ok() ? prediction->step_ms : std::numeric_limits<double>::infinity();
}

/// Returns alternative plans that satisfy all rules: one with the devices on paths included in link prices, and the
/// start.
std::vector<search::BlockPlan> others(const search::BlockProblem& problem, const search::BlockPlan& start,
                                      const price::NodePool& pool, const std::vector<std::int32_t>& nodes) {
    std::vector<search::BlockPlan> plans;
    const search::BlockScore score = search::score(problem, start);
    if (score.violations == 0 && score.excess_bytes <= 0) plans.push_back(start);
    if (!pool.has_disturbing_relays()) return plans;
    search::BlockProblem charged = problem;
    charge_relays(charged, pool, nodes);
    if (auto found = search::block_segmentation(charged, {start}); found.ok()) plans.push_back(std::move(*found));
    return plans;
}

}  // namespace

Result<PlannedBlocks> plan_blocks(const TaskSpec& spec, const plan::TrainingGraph& training,
                                  const graph::GraphCost& cost, const LayerStart& start, const price::NodePool& known) {
    std::int32_t count = 0;
    const std::vector<std::int32_t> number = number_operators(training, count);
    const price::NodePool pool = known_pool(spec, known);
    DIVISI_ASSIGN(const price::CutConstraints constraints, cut_constraints(spec, training, pool));
    const std::vector<std::int32_t> nodes = choose_nodes(spec, pool, constraints, start.nodes);
    price::Pricing pricing(training, cost);
    DIVISI_ASSIGN(search::BlockProblem problem, describe(pricing, spec, pool, nodes, constraints, number, count));
    DIVISI_TRY(add_rules(spec, training, number, constraints, pool, nodes, problem));
    const search::BlockPlan begin = start_plan(start, number, count, nodes);
    DIVISI_ASSIGN(const search::BlockPlan found, search::block_segmentation(problem, {begin}));
    DIVISI_ASSIGN(PlannedBlocks planned, blocks_of(found, training, number, pool, nodes));
    // The problem does not model data instances or relays. If there are any of these, compare the simulated steps.
    if (spec.data.instances == 0 && !pool.has_disturbing_relays()) return planned;
    double least_ms = step_ms(planned, spec, pricing, pool);
    for (const search::BlockPlan& other : others(problem, begin, pool, nodes)) {
        auto tried = blocks_of(other, training, number, pool, nodes);
        const double tried_ms = tried.ok() ? step_ms(*tried, spec, pricing, pool) : least_ms;
        if (tried_ms >= least_ms) continue;
        planned = std::move(*tried);
        least_ms = tried_ms;
    }
    return planned;
}

}  // namespace divisi::task
