// SPDX-License-Identifier: Apache-2.0
#include "backend/search/node_chain.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "backend/search/error_texts.h"
#include "backend/search/simulated_nodes.h"

namespace divisi::search {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double ms_per_second = 1000;

/// The nodes of the pool that may take stages, grouped into kinds.
struct Kinds {
    std::vector<price::PlannedDevice> devices;  ///< one representative per kind
    std::vector<std::int32_t> nodes;            ///< pool index of each stage's node, see StageDevices::order
    std::vector<std::int32_t> order;            ///< the kind of each of these nodes
    std::size_t once = 0;                       ///< number of nodes before the list repeats
    bool by_host = false;                       ///< whether kinds distinguish hosts
};

bool is_pinned_to(const price::CutConstraints& constraints, const std::string& place) {
    return !place.empty() && std::any_of(constraints.pins.begin(), constraints.pins.end(),
                                         [&](const price::CutConstraints::Pin& pin) { return pin.place == place; });
}

/// Takes nodes for up to `stages` stages: the nodes that the task names for its stages, otherwise the ready and the
/// pinned nodes, repeated as needed.
void take_nodes(Kinds& kinds, const LayerTask& task, std::int32_t stages) {
    const std::vector<std::string>& wanted = task.constraints.stages;
    if (!wanted.empty()) {
        kinds.nodes = task.pool.order(std::max(stages, static_cast<std::int32_t>(wanted.size())), wanted);
        kinds.once = kinds.nodes.size();
        return;
    }
    for (std::size_t node = 0; node < task.pool.nodes.size(); ++node)
        if (node < task.pool.ready || is_pinned_to(task.constraints, task.pool.nodes[node].node))
            kinds.nodes.push_back(static_cast<std::int32_t>(node));
    kinds.once = kinds.nodes.size();
    for (std::size_t i = 0; kinds.nodes.size() < static_cast<std::size_t>(stages); ++i)
        kinds.nodes.push_back(kinds.nodes[i]);
}

/// Groups the nodes into kinds. Without `priced`, differences in cost between nodes are ignored.
Kinds kinds_of(const LayerTask& task, std::int32_t stages, bool priced) {
    Kinds kinds;
    take_nodes(kinds, task, stages);
    std::vector<std::int32_t> hosts;
    for (std::size_t i = 0; i < kinds.once; ++i) hosts.push_back(task.pool.nodes[kinds.nodes[i]].host);
    std::sort(hosts.begin(), hosts.end());
    // If every stage has its own host and all connections are equal, hosts make no difference.
    const bool crowded = std::adjacent_find(hosts.begin(), hosts.end()) != hosts.end();
    const bool by_path = task.pool.links.paths && !task.pool.links.paths->empty();
    kinds.by_host = priced && (!task.pool.links.by_host.empty() || crowded || by_path);
    const auto memory = [&](const price::PlannedDevice& device) {
        return std::pair(device.memory, device.memory ? 0 : task.pool.hosts[device.host].memory);
    };
    const auto same = [&](const price::PlannedDevice& a, const price::PlannedDevice& b) {
        if (priced && (a.profile != b.profile || memory(a) != memory(b))) return false;
        if (kinds.by_host && (a.host != b.host || (by_path && a.mic != b.mic))) return false;
        if (!task.constraints.sensitive.empty() &&
            task.constraints.is_secure(a.node) != task.constraints.is_secure(b.node))
            return false;
        return a.node == b.node || (!is_pinned_to(task.constraints, a.node) && !is_pinned_to(task.constraints, b.node));
    };
    for (const std::int32_t node : kinds.nodes) {
        const price::PlannedDevice& device = task.pool.nodes[node];
        const auto known = std::find_if(kinds.devices.begin(), kinds.devices.end(),
                                        [&](const price::PlannedDevice& other) { return same(device, other); });
        kinds.order.push_back(static_cast<std::int32_t>(known - kinds.devices.begin()));
        if (known == kinds.devices.end()) kinds.devices.push_back(device);
    }
    return kinds;
}

/// Returns, for each kind, the memory that a stage on such a device has, as NodePool::place() shares it. A host's
/// memory is shared by its nodes in the list, but by at most `stages` of them.
std::vector<double> shared_memory(const price::NodePool& pool, const Kinds& kinds, std::int32_t stages) {
    const auto wanted = static_cast<std::size_t>(stages);
    const std::size_t count = std::max(wanted, kinds.once);
    std::map<std::int32_t, std::size_t> on_node, on_host;
    for (std::size_t i = 0; i < std::min(count, kinds.nodes.size()); ++i) {
        const price::PlannedDevice& device = pool.nodes[kinds.nodes[i]];
        ++on_node[kinds.nodes[i]];
        if (!device.memory) ++on_host[device.host];
    }
    std::vector<double> memory(kinds.devices.size(), unlimited);
    for (std::size_t i = 0; i < std::min(count, kinds.nodes.size()); ++i) {
        const price::PlannedDevice& device = pool.nodes[kinds.nodes[i]];
        const Bytes host = pool.hosts[device.host].memory;
        double& least = memory[kinds.order[i]];
        if (device.memory)
            least = std::min(least, static_cast<double>(*device.memory) / double(on_node[kinds.nodes[i]]));
        else if (host > 0)
            least = std::min(least, static_cast<double>(host) / double(std::min(wanted, on_host[device.host])));
    }
    return memory;
}

double crossing_ms(const price::LinkModel& link, const graph::CutPosition& position) {
    const double messages = link.message_s * std::max(0, position.values - 1);  // occupancy() includes one message
    return (messages + link.occupancy(std::max(position.forward_bytes, position.backward_bytes))) * ms_per_second;
}

void add_memory(PricedChain& priced, const LayerTask& task) {
    const graph::Graph& graph = task.pricing.graph();
    const graph::GraphCost& cost = task.pricing.cost();
    const auto held = [&](graph::NodeIndex node) {
        return held_bytes(graph, cost.node(node), graph.nodes[node], task.setup.optimizer_states);
    };
    double held_total = 0;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        held_total += held(static_cast<graph::NodeIndex>(node));
    priced.chain.held_bytes = sums_before_cuts(task.cuts, held_total, held);
    priced.chain.flight_bytes = sums_before_cuts(task.cuts, cost.total().activation_bytes, [&](graph::NodeIndex node) {
        return cost.node(node).activation_bytes;
    });
    priced.devices.in_flight = [setup = task.setup](std::int32_t stages) {
        std::vector<double> most(static_cast<std::size_t>(stages), 1);
        const auto order = plan::make_pass_order(setup.schedule, stages, setup.microbatches);
        // If activations are recomputed, they are held for one micro-batch at a time.
        for (std::size_t i = 0; order.ok() && !setup.recompute && i < most.size(); ++i)
            most[i] = plan::most_in_flight((*order)[i]);
        return most;
    };
}

/// Counts, for each position, the operators before it that must not run on a node.
std::vector<double> barred_before(const LayerTask& task, const price::PlannedDevice& device) {
    std::map<graph::NodeIndex, bool> barred;
    for (const price::CutConstraints::Pin& pin : task.constraints.pins)
        if (pin.place != device.node) barred[pin.node] = true;
    if (!task.constraints.is_secure(device.node))
        for (const graph::NodeIndex node : task.constraints.sensitive) barred[node] = true;
    if (barred.empty()) return {};
    return sums_before_cuts(task.cuts, static_cast<double>(barred.size()),
                            [&](graph::NodeIndex node) { return barred.contains(node) ? 1.0 : 0.0; });
}

PricedChain on_nodes(Chain chain, Kinds kinds, const LayerTask& task) {
    PricedChain priced{std::move(chain), {}, std::move(kinds.nodes)};
    for (std::size_t kind = 0; kind < kinds.devices.size(); ++kind)
        priced.chain.devices[kind].barred = barred_before(task, kinds.devices[kind]);
    priced.devices.order = std::move(kinds.order);
    priced.devices.any_order = task.constraints.stages.empty();
    priced.devices.nodes = kinds.once;
    return priced;
}

/// Returns the first operator of each run of pinned operators with the same node. A new stage must begin between two
/// runs. A node may occur several times.
std::vector<price::CutConstraints::Pin> pinned_runs(const LayerTask& task) {
    std::vector<price::CutConstraints::Pin> pins = task.constraints.pins, runs;
    std::stable_sort(pins.begin(), pins.end(),
                     [&](const price::CutConstraints::Pin& a, const price::CutConstraints::Pin& b) {
                         return task.cuts.home[a.node] < task.cuts.home[b.node];
                     });
    for (const price::CutConstraints::Pin& pin : pins)
        if (runs.empty() || runs.back().place != pin.place) runs.push_back(pin);
    return runs;
}

/// Describes in words which stages the pins require.
Error too_few_stages(const LayerTask& task, const std::vector<price::CutConstraints::Pin>& runs) {
    constexpr std::size_t most_named = 4;  // a task can have very many runs
    std::string text;
    for (std::size_t i = 0; i < std::min(runs.size(), most_named); ++i)
        text += (i ? ", then '" : "'") + task.model.nodes[runs[i].node].name + "' on " + runs[i].place;
    if (runs.size() > most_named) text += ", ...";
    const std::string count = std::to_string(runs.size());
    return make_error(error_text("too-few-stages-for-pins"), "place.pin", {count, text});
}

/// Assigns a node to each stage by its kind, using each entry of priced.nodes at most once.
std::vector<std::int32_t> nodes_of(const PricedChain& priced, const std::vector<std::int32_t>& devices) {
    std::vector<bool> taken(priced.nodes.size(), false);
    std::vector<std::int32_t> nodes;
    for (std::size_t stage = 0; stage < devices.size(); ++stage) {
        std::size_t at = 0;
        // Keep the node at its own position if that position has the right kind.
        if (priced.devices.order[stage] == devices[stage] && !taken[stage]) at = stage;
        else
            while (taken[at] || priced.devices.order[at] != devices[stage]) ++at;
        taken[at] = true;
        nodes.push_back(priced.nodes[at]);
    }
    return nodes;
}

/// Reduces the chain to one layer per stage: the layers between the given cuts.
void keep_cuts(PricedChain& priced, const plan::CutChoice& choice) {
    const std::size_t last = priced.chain.positions() - 1;
    const auto keep = [&](std::vector<double>& all) {
        if (all.empty()) return;
        std::vector<double> kept{all.front()};
        for (const std::int32_t cut : choice) kept.push_back(all[static_cast<std::size_t>(cut) + 1]);
        kept.push_back(all[last]);
        all = std::move(kept);
    };
    Chain& chain = priced.chain;
    for (ChainDevice& device : chain.devices)
        for (std::vector<double>* all : {&device.before_ms, &device.barred}) keep(*all);
    for (std::vector<double>& link : chain.crossing_ms) keep(link);
    for (std::vector<double>* all : {&chain.crossing_bytes, &chain.held_bytes, &chain.flight_bytes}) keep(*all);
}

/// Returns whether enough nodes remain without a stage to give each data instance its own node. It then does not matter
/// which of several equal nodes a stage is on.
bool is_data_apart(const LayerTask& task, std::size_t stages) {
    return !task.pool.data && stages + static_cast<std::size_t>(task.data_instances) <= task.pool.ready;
}

/// Moves the plan to the nodes with the fastest simulated step.
void put_on(LayerPlan& plan, const Kinds& kinds, FastestNodes fastest) {
    plan.all_orders |= fastest.all_tried;
    if (fastest.nodes == plan.nodes) return;
    plan.nodes = std::move(fastest.nodes);
    plan.nodes_matter = true;
    for (std::size_t stage = 0; stage < plan.nodes.size(); ++stage) {
        const auto at = std::find(kinds.nodes.begin(), kinds.nodes.end(), plan.nodes[stage]);
        plan.devices[stage] = kinds.order[static_cast<std::size_t>(at - kinds.nodes.begin())];
    }
}

}  // namespace

double held_bytes(const graph::Graph& graph, const graph::NodeCost& cost, const graph::Node& node,
                  std::int32_t optimizer_states) {
    double trainable = 0;  // trainable parameters, which also have gradients and optimizer state
    if (cost.parameter_bytes > 0)
        for (const graph::ValueIndex input : node.inputs)
            if (input != graph::no_value && graph.is_initializer(input) &&
                graph.initializers[graph.values[input].initializer].trainable)
                trainable += static_cast<double>(graph::size_bytes(graph.values[input]).value_or(0));
    return cost.parameter_bytes + std::min(trainable, cost.parameter_bytes) * (1 + optimizer_states);
}

Result<PricedChain> priced_chain(const LayerTask& task, const SegmentationRequest& request, std::int32_t stages) {
    DIVISI_TRY(check_constraints(task));
    Kinds kinds = kinds_of(task, stages, true);
    DIVISI_ASSIGN(Chain chain, rule_chain(task.model, task.cuts, task.pricing.cost(), request));
    const std::vector<double> forbidden = chain.crossing_ms.front();  // infinite where forbidden, otherwise 0
    chain.devices.clear();
    chain.crossing_ms.clear();
    for (const price::PlannedDevice& from : kinds.devices) {
        DIVISI_ASSIGN(const price::PricedGraph* graph, task.pricing.on(from.profile));
        const auto ms = [&](const auto& price) {
            const double forward = price.forward * (task.setup.recompute ? 2 : 1);
            return (forward + price.input_gradient + price.weight_gradient) * ms_per_second;
        };
        std::vector<double> cost;
        for (std::size_t node = 0; node < task.cuts.home.size(); ++node)
            cost.push_back(ms(graph->node(static_cast<graph::NodeIndex>(node))));
        // If there are several heads, the loss of each head runs where the head's output is computed. A single loss
        // runs in the last stage.
        const plan::TrainingGraph& training = task.pricing.training();
        for (std::size_t i = 0; i < training.anchors.size(); ++i)
            if (training.anchors[i] != graph::no_node)
                cost[training.anchors[i]] += ms(graph->node(training.model_nodes + static_cast<graph::NodeIndex>(i)));
        chain.devices.emplace_back().before_ms =
            sums_before_cuts(task.cuts, ms(graph->total()), [&](graph::NodeIndex node) { return cost[node]; });
        for (const price::PlannedDevice& to : kinds.devices) {
            const price::LinkModel& link =
                kinds.by_host ? task.pool.links.of(from.end(), to.end()) : task.pool.links.between_hosts;
            chain.crossing_ms.push_back(forbidden);
            for (std::size_t cut = 0; cut < task.cuts.legal.size(); ++cut)
                chain.crossing_ms.back()[cut + 1] += crossing_ms(link, task.cuts.positions[task.cuts.legal[cut]]);
        }
    }
    const auto memory = [&pool = task.pool, kinds](std::int32_t count) { return shared_memory(pool, kinds, count); };
    PricedChain priced = on_nodes(std::move(chain), std::move(kinds), task);
    priced.devices.memory_bytes = memory;
    add_memory(priced, task);
    return priced;
}

Result<PricedChain> constrained_rule_chain(const LayerTask& task, const SegmentationRequest& request,
                                           std::int32_t stages) {
    DIVISI_TRY(check_constraints(task));
    Kinds kinds = kinds_of(task, stages, false);
    DIVISI_ASSIGN(Chain chain, rule_chain(task.model, task.cuts, task.pricing.cost(), request));
    chain.devices.resize(kinds.devices.size(), chain.devices.front());
    chain.crossing_ms.resize(kinds.devices.size() * kinds.devices.size(), chain.crossing_ms.front());
    return on_nodes(std::move(chain), std::move(kinds), task);
}

Result<LayerPlan> plan_on_nodes(const PricedChain& priced, const LayerTask& task, const SegmentationRequest& request,
                                double slack) {
    const PricedChain* used = &priced;
    auto plan = plan_layers(priced.chain, request, priced.devices, slack);
    PricedChain more = priced;
    if (!plan.ok() && priced.devices.any_order) {
        const std::vector<price::CutConstraints::Pin> runs = pinned_runs(task);
        if (request.stages > 0 && runs.size() > static_cast<std::size_t>(request.stages))
            return too_few_stages(task, runs);
        std::map<std::string, std::int32_t> times;
        for (const price::CutConstraints::Pin& run : runs)
            if (++times[run.place] > 1) {
                const auto at = std::find(priced.nodes.begin(), priced.nodes.end(), task.pool.find(run.place));
                more.nodes.insert(more.nodes.begin() + std::ptrdiff_t(more.devices.nodes), *at);
                more.devices.order.insert(more.devices.order.begin() + std::ptrdiff_t(more.devices.nodes++),
                                          priced.devices.order[at - priced.nodes.begin()]);
            }
        if (more.nodes.size() > priced.nodes.size()) {
            used = &more;
            plan = plan_layers(more.chain, request, more.devices, slack);
        }
    }
    if (!plan.ok()) return plan;
    plan->nodes = nodes_of(*used, plan->devices);
    plan->nodes_matter = priced.chain.devices.size() > 1;
    return plan;
}

Result<LayerPlan> place_cuts(const LayerTask& task, const plan::CutChoice& choice) {
    SegmentationRequest request;
    request.stages = static_cast<std::int64_t>(choice.size()) + 1;
    Kinds kinds = kinds_of(task, static_cast<std::int32_t>(request.stages), true);
    const bool counts_all = chain_counts_all(task);
    if (kinds.devices.size() == 1) {
        LayerPlan plan;
        plan.cuts = choice;
        plan.devices.assign(choice.size() + 1, 0);
        plan.nodes = kinds.nodes;
        plan.nodes.resize(plan.devices.size());
        if (!counts_all && !is_data_apart(task, plan.nodes.size()))
            put_on(plan, kinds, fastest_nodes(task, choice, {plan.nodes}));
        return plan;
    }
    DIVISI_ASSIGN(PricedChain priced, priced_chain(task, request, static_cast<std::int32_t>(request.stages)));
    std::optional<PricedChain> charged;
    if (!counts_all) charge_relays(charged.emplace(priced), task);
    keep_cuts(priced, choice);
    DIVISI_ASSIGN(LayerPlan plan, plan_on_nodes(priced, task, request));
    plan.cuts = choice;
    if (counts_all) return plan;
    keep_cuts(*charged, choice);
    std::vector<std::vector<std::int32_t>> starts{plan.nodes};
    if (auto other = plan_on_nodes(*charged, task, request); other.ok()) starts.push_back(std::move(other->nodes));
    put_on(plan, kinds, fastest_nodes(task, choice, starts));
    return plan;
}

Result<void> check_constraints(const LayerTask& task) {
    const price::CutConstraints& constraints = task.constraints;
    const auto name = [&](graph::NodeIndex node) { return "operator '" + task.model.nodes[node].name + "'"; };
    std::string ready;
    for (std::size_t i = 0; i < task.pool.ready; ++i) ready += (i ? ", " : "") + task.pool.nodes[i].node;
    std::map<std::size_t, const price::CutConstraints::Pin*> layer;  // the pin in each layer between two cuts
    for (const price::CutConstraints::Pin& pin : constraints.pins) {
        if (task.pool.find(pin.place) < 0)
            return make_error(error_text("pinned-to-no-node"), "place.pin", {name(pin.node), pin.place, ready});
        const auto& stages = constraints.stages;
        if (!stages.empty() && std::find(stages.begin(), stages.end(), pin.place) == stages.end())
            return make_error(error_text("pinned-to-node-without-stage"), "place.pin", {name(pin.node), pin.place});
        const graph::NodeIndex home = task.cuts.home[pin.node];
        const auto at = std::lower_bound(task.cuts.legal.begin(), task.cuts.legal.end(), home);
        const auto [known, added] = layer.emplace(at - task.cuts.legal.begin(), &pin);
        if (!added && known->second->place != pin.place)
            return make_error(error_text("pinned-apart-without-cut"), "place.pin",
                              {name(known->second->node), known->second->place, name(pin.node), pin.place});
    }
    for (const graph::NodeIndex node : constraints.sensitive) {
        if (constraints.secure && constraints.secure->empty())
            return make_error(error_text("no-secure-node"), "split.sensitive", {name(node)});
        const auto pin = std::find_if(constraints.pins.begin(), constraints.pins.end(),
                                      [&](const price::CutConstraints::Pin& one) { return one.node == node; });
        if (pin != constraints.pins.end() && !constraints.is_secure(pin->place))
            return make_error(error_text("sensitive-pinned-to-insecure-node"), "split.sensitive",
                              {name(node), pin->place, constraints.secure->front()});
    }
    return {};
}

}  // namespace divisi::search
