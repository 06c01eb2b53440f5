// SPDX-License-Identifier: Apache-2.0
#include "backend/price/predict.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "backend/plan/cut_choice.h"
#include "backend/price/error_texts.h"

namespace divisi::price {

namespace {

using graph::Graph;

/// Bytes of one row of a float64 tensor [n, 2]: initializer and squared norm.
constexpr Bytes norm_share_bytes = 16;

Result<void> check_placement(const Placement& placement, std::size_t stages) {
    if (placement.stages.size() != stages)
        return make_error(error_text("devices-not-per-stage"), "placement",
                          {std::to_string(placement.stages.size()), std::to_string(stages)});
    const auto check = [&](const PlannedDevice& device, const std::string& where) -> Result<void> {
        if (!device.profile) return make_error(error_text("device-without-profile"), where);
        if (device.host < 0 || static_cast<std::size_t>(device.host) >= placement.hosts.size())
            return make_error(error_text("device-on-no-host"), where, {device.name});
        return {};
    };
    for (std::size_t i = 0; i < stages; ++i) DIVISI_TRY(check(placement.stages[i], "stage " + std::to_string(i)));
    if (placement.data) DIVISI_TRY(check(*placement.data, "the data unit"));
    for (std::size_t i = 0; i < placement.dealt.size(); ++i)
        DIVISI_TRY(check(placement.dealt[i], "data instance " + std::to_string(i)));
    return {};
}

/// Returns the trainable weights of a segment and how often the segment uses each.
std::map<std::int32_t, std::int64_t> weight_uses(const Graph& graph, const plan::Segment& segment) {
    std::map<std::int32_t, std::int64_t> uses;
    for (const graph::NodeIndex node : segment.nodes)
        for (const graph::ValueIndex input : graph.nodes[node].inputs)
            if (input != graph::no_value && graph.is_initializer(input) &&
                graph.initializers[graph.values[input].initializer].trainable)
                ++uses[graph.values[input].initializer];
    return uses;
}

/// Computes the size of one tensor of every channel.
class TensorSizes {
public:
    TensorSizes(const Graph& graph, const plan::Partition& partition, const plan::Programs& programs)
        : graph_(graph), programs_(programs) {
        for (const plan::Segment& segment : partition.segments) uses_.push_back(weight_uses(graph, segment));
    }

    Bytes of(const plan::Channel& channel) const {
        switch (channel.kind) {
            case plan::Channel::Kind::value:
            case plan::Channel::Kind::gradient: return size(channel.value);
            case plan::Channel::Kind::use_gradients: return shared(channel.from);
            case plan::Channel::Kind::norm_shares:
                return norm_share_bytes * static_cast<Bytes>(uses_[channel.from].size());
        }
        return 0;
    }
    Bytes trainable(std::size_t stage) const {
        Bytes sum = 0;
        for (const auto& [initializer, count] : uses_[stage]) sum += size(graph_.initializers[initializer].value);
        return sum;
    }
    /// Returns the bytes of the gradients of weights that other stages use too.
    Bytes shared(std::int32_t stage) const {
        Bytes sum = 0;
        for (const std::int32_t initializer : programs_.flows[stage].shared_weights)
            sum += size(graph_.initializers[initializer].value) * uses_[stage].at(initializer);
        return sum;
    }

private:
    Bytes size(graph::ValueIndex value) const { return graph::size_bytes(graph_.values[value]).value_or(0); }

    const Graph& graph_;
    const plan::Programs& programs_;
    std::vector<std::map<std::int32_t, std::int64_t>> uses_;  ///< uses of weights per stage
};

/// Returns the bytes that the graph reads from the data per micro-batch.
Bytes fed_bytes(const plan::Programs& programs, const std::vector<Bytes>& tensor_bytes) {
    std::map<graph::ValueIndex, Bytes> fed;
    for (std::size_t i = 0; i < programs.channels.size(); ++i)
        if (programs.channels[i].from == plan::data_unit) fed[programs.channels[i].value] = tensor_bytes[i];
    Bytes sum = 0;
    for (const auto& [value, bytes] : fed) sum += bytes;
    return sum;
}

const PlannedDevice& data_device(const Placement& placement) {
    return placement.data ? *placement.data : placement.stages.front();
}

std::optional<LinkSource> least_certain(const SimulatedPlan& plan) {
    std::optional<LinkSource> least;
    for (const plan::Channel& channel : plan.programs->channels) {
        if (channel.from == plan::data_unit && !plan.dealt.empty()) {
            for (const DataInstance& one : plan.dealt) {
                const LinkSource source = plan.links.of(one.place.end(), plan.places[channel.to].end()).source;
                least = std::min(least.value_or(source), source);
            }
            continue;
        }
        // the data unit runs on the thread of stage 0
        const bool with_first = channel.from == plan::data_unit && !plan.data_place;
        const std::int32_t from = with_first ? 0 : channel.from;
        if (from == channel.to) continue;
        const InstancePlace& place = from == plan::data_unit ? *plan.data_place : plan.places[from];
        const LinkSource source = plan.links.of(place.end(), plan.places[channel.to].end()).source;
        least = std::min(least.value_or(source), source);
    }
    return least;
}

std::vector<PathUse> paths_of(const SimulatedPlan& plan) {
    using Way = std::tuple<std::int32_t, std::size_t, std::int32_t>;  // from, data instance, to
    std::map<Way, PathUse> uses;
    const auto add = [&](std::size_t number, std::int32_t from, std::size_t instance, const InstancePlace& place) {
        const plan::Channel& channel = plan.programs->channels[number];
        const LinkEnd here = place.end(), there = plan.places[channel.to].end();
        const MeshPath* path = plan.links.path(here, there);
        if (!path) return;
        const Way way{from, instance, channel.to};
        PathUse& use = uses.try_emplace(way, PathUse{from, channel.to, *path, 0}).first->second;
        use.path.narrowest = narrowest_link(*path, here, there, plan.hosts);
        use.largest = std::max(use.largest, plan.tensor_bytes[number]);
    };
    for (std::size_t i = 0; i < plan.programs->channels.size(); ++i) {
        const plan::Channel& channel = plan.programs->channels[i];
        const bool of_data = channel.from == plan::data_unit;
        const std::int32_t from = std::max(channel.from, 0);  // stage 0 loads the data
        for (std::size_t k = 0; of_data && k < plan.dealt.size(); ++k) add(i, plan::data_unit, k, plan.dealt[k].place);
        if (of_data && !plan.dealt.empty()) continue;
        if (of_data && plan.data_place) add(i, plan::data_unit, 0, *plan.data_place);
        else add(i, from, 0, plan.places[from]);
    }
    std::vector<PathUse> all;
    for (auto& [way, use] : uses) all.push_back(std::move(use));
    return all;
}

/// Returns the number of stages that request micro-batches from data instances. Each stage gets its own micro-batches.
std::int32_t asking_stages(const plan::Programs& programs) {
    std::set<std::int32_t> stages;
    for (const plan::Channel& channel : programs.channels)
        if (channel.from == plan::data_unit) stages.insert(channel.to);
    return static_cast<std::int32_t>(stages.size());
}

PredictedData predict_data(const SimulatedPlan& plan, const Placement& placement, const Simulation& simulation,
                           std::int32_t microbatches) {
    PredictedData data;
    if (plan.dealt.empty()) return data;
    for (std::size_t i = 0; i < plan.dealt.size(); ++i) {
        const DataSeconds& seconds = plan.dealt[i].seconds;
        data.devices.push_back(placement.dealt[i].name);
        data.microbatch_ms = std::max(data.microbatch_ms, (seconds.load + seconds.preprocess) * 1e3);
    }
    const InstanceUse& busiest = *std::ranges::max_element(simulation.dealt, {}, &InstanceUse::busy_s);
    data.busy_ms = busiest.busy_s * 1e3;
    data.bubble = busiest.bubble;
    data.memory = fed_bytes(*plan.programs, plan.tensor_bytes);
    for (std::size_t i = 0; i < plan.programs->channels.size(); ++i) {
        const plan::Channel& channel = plan.programs->channels[i];
        if (channel.from != plan::data_unit) continue;
        data.sent += plan.tensor_bytes[i] * microbatches;
        data.memory += plan.tensor_bytes[i] * channel.slots;
    }
    return data;
}

/// Returns the FLOPs of these operators in one step.
Flops step_flops(const graph::GraphCost& cost, const std::vector<graph::NodeIndex>& nodes, const TrainingSetup& setup) {
    if (!setup.forward_only) return plan::segment_flops(cost, nodes) * setup.microbatches;
    Flops forward = 0;
    for (const graph::NodeIndex node : nodes) forward += cost.node(node).forward_flops;
    return forward * setup.microbatches;
}

/// Sums the bytes that each stage sends to other stages in one step.
void add_traffic(std::vector<PredictedStage>& stages, const SimulatedPlan& plan, std::int32_t microbatches) {
    for (std::size_t i = 0; i < plan.programs->channels.size(); ++i) {
        const plan::Channel& channel = plan.programs->channels[i];
        if (channel.from == plan::data_unit) continue;
        PredictedStage& stage = stages[channel.from];
        const Bytes bytes = plan.tensor_bytes[i];
        switch (channel.kind) {
            case plan::Channel::Kind::value: stage.sent_forward += bytes * microbatches; break;
            case plan::Channel::Kind::gradient: stage.sent_backward += bytes * microbatches; break;
            case plan::Channel::Kind::use_gradients:
            case plan::Channel::Kind::norm_shares: stage.sent_shared += bytes; break;
        }
    }
}

}  // namespace

Placement default_placement(std::int32_t stages, const std::string& device, double threads) {
    Placement placement;
    const auto profile = std::make_shared<const DeviceProfile>(default_profile(device, threads));
    for (std::int32_t i = 0; i < stages; ++i) {
        placement.stages.push_back({device, profile, std::nullopt, i, threads});
        placement.hosts.push_back({"host " + std::to_string(i), 0});
    }
    placement.links = default_links();
    return placement;
}

Result<const PricedGraph*> Pricing::on(const std::shared_ptr<const DeviceProfile>& profile) {
    const auto found = priced_.find(profile);
    if (found != priced_.end()) return &found->second;
    DIVISI_TRY(check_profile(*profile));
    return &priced_.emplace(profile, PricedGraph(training_.graph, cost_, *profile, training_.loss)).first->second;
}

StageSeconds stage_seconds(const SegmentPrice& price, const DeviceRates& rates, Bytes trainable,
                           const TrainingSetup& setup) {
    StageSeconds seconds;
    seconds.forward = rates.pass_s + price.forward;
    seconds.backward = rates.pass_s + price.backward() + (setup.recompute ? price.forward : 0);
    // Differences of prefix sums may miss zero by rounding errors.
    seconds.crowded_forward = std::max(price.crowded_forward, 0.0);
    seconds.crowded_backward = std::max(price.crowded_backward, 0.0) + (setup.recompute ? seconds.crowded_forward : 0);
    // The gradients are read once, to add up the uses of weights and sum the stage's share of the norm.
    seconds.finish_gradients = rates.dispatch_s + static_cast<double>(trainable) / rates.bytes_per_s;
    seconds.optimizer = optimizer_seconds(rates, trainable, price.weights, setup.optimizer_states);
    return seconds;
}

DataSeconds data_seconds(Bytes bytes, const DeviceRates& rates) {
    const double copied = static_cast<double>(bytes) / rates.bytes_per_s;
    return {rates.dispatch_s + copied, rates.dispatch_s + 2 * copied};
}

Result<SimulatedPlan> price_plan(Pricing& pricing, const plan::Partition& partition, const Placement& placement,
                                 const TrainingSetup& setup) {
    const Graph& graph = pricing.graph();
    const std::size_t stages = partition.segments.size();
    DIVISI_TRY(check_placement(placement, stages));
    DIVISI_ASSIGN(const plan::PassOrder order,
                  plan::make_pass_order(setup.schedule, plan::depths(partition), setup.microbatches));
    SimulatedPlan plan;
    plan.programs = std::make_shared<const plan::Programs>(plan::make_programs(
        partition, order, {1, most_simulated_steps, setup.microbatches, 0, 0, setup.forward_only ? 1 : 0}, setup.clip,
        setup.slots));
    const TensorSizes sizes(graph, partition, *plan.programs);
    for (const plan::Channel& channel : plan.programs->channels) plan.tensor_bytes.push_back(sizes.of(channel));
    for (std::size_t i = 0; i < stages; ++i) {
        const PlannedDevice& device = placement.stages[i];
        DIVISI_ASSIGN(const PricedGraph* priced, pricing.on(device.profile));
        const SegmentPrice price = priced->sum(partition.segments[i].nodes);
        StageSeconds seconds = stage_seconds(price, device.profile->rates, sizes.trainable(i), setup);
        const Bytes shared = sizes.shared(static_cast<std::int32_t>(i));
        seconds.share_gradients = static_cast<double>(shared) / device.profile->rates.bytes_per_s;
        plan.seconds.push_back(seconds);
        plan.places.push_back({device.host, device.threads, device.profile->crowded_cores, device.mic});
    }
    const PlannedDevice& data = data_device(placement);
    plan.data = data_seconds(fed_bytes(*plan.programs, plan.tensor_bytes), data.profile->rates);
    if (placement.data) plan.data_place = {data.host, data.threads, 0, data.mic};
    for (const PlannedDevice& one : placement.dealt)
        plan.dealt.push_back({{one.host, one.threads, 0, one.mic},
                              data_seconds(fed_bytes(*plan.programs, plan.tensor_bytes), one.profile->rates)});
    plan.hosts = placement.hosts;
    plan.links = placement.links;
    return plan;
}

Result<Prediction> predict(Pricing& pricing, const plan::Partition& partition, const Placement& placement,
                           const TrainingSetup& setup, const SimulateOptions& options) {
    DIVISI_ASSIGN(const SimulatedPlan plan, price_plan(pricing, partition, placement, setup));
    DIVISI_ASSIGN(Simulation simulation, simulate(plan, options));
    const auto stages = static_cast<std::int32_t>(partition.segments.size());
    DIVISI_ASSIGN(const plan::PassOrder order,
                  plan::make_pass_order(setup.schedule, plan::depths(partition), setup.microbatches));
    Prediction prediction;
    SegmentPrice total;
    Flops flops = 0;
    for (std::int32_t i = 0; i < stages; ++i) {
        const PlannedDevice& device = placement.stages[i];
        const plan::Segment& segment = partition.segments[i];
        PredictedStage& stage = prediction.stages.emplace_back();
        DIVISI_ASSIGN(const PricedGraph* priced, pricing.on(device.profile));
        const SegmentPrice price = priced->sum(segment.nodes);
        stage.device = device.name;
        stage.flops = step_flops(pricing.cost(), segment.nodes, setup);
        stage.work_ms = (setup.forward_only ? price.forward : price.total()) * 1e3;
        stage.profiled_share = price.profiled_share();
        stage.busy_ms = simulation.stages[i].busy_s * 1e3;
        stage.bubble = simulation.stages[i].bubble;
        const plan::StageMemory memory =
            setup.forward_only
                ? plan::forward_memory(pricing.graph(), pricing.cost(), segment)
                : plan::stage_memory(pricing.graph(), pricing.cost(), segment, plan::most_in_flight(order[i]),
                                     setup.optimizer_states, setup.recompute);
        stage.memory = memory.total();
        stage.capacity = device.memory;
        total += price;
        flops += stage.flops;
    }
    for (PredictedStage& stage : prediction.stages) stage.flops_share = flops > 0 ? stage.flops / flops : 0;
    add_traffic(prediction.stages, plan, setup.microbatches);
    prediction.step_ms = simulation.step_s * 1e3;
    prediction.steady = simulation.steady;
    prediction.profiled_share = total.profiled_share();
    prediction.data_ms = (plan.data.load + plan.data.preprocess) * setup.microbatches * 1e3;
    prediction.dealt = predict_data(plan, placement, simulation, setup.microbatches);
    if (!plan.dealt.empty())
        prediction.data_ms = prediction.dealt.microbatch_ms * setup.microbatches * asking_stages(*plan.programs);
    prediction.link_source = least_certain(plan);
    prediction.paths = paths_of(plan);
    prediction.simulation = std::move(simulation);
    return prediction;
}

}  // namespace divisi::price
