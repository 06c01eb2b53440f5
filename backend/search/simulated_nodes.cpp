// SPDX-License-Identifier: Apache-2.0
#include "backend/search/simulated_nodes.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace divisi::search {

namespace {

/// The usual number of steps in a simulation.
constexpr std::int64_t usual_steps = 3;

constexpr double not_possible = std::numeric_limits<double>::infinity();

using Nodes = std::vector<std::int32_t>;  ///< pool index of each stage's node

Result<plan::Partition> partition_of(const LayerTask& task, const plan::CutChoice& choice) {
    DIVISI_ASSIGN(auto segments, plan::segments_from_cuts(task.model, task.cuts, choice, task.pricing.training()));
    return plan::make_partition(task.pricing.graph(), std::move(segments));
}

double step_ms_of(const LayerTask& task, const plan::Partition& partition, const Nodes& nodes) {
    const auto prediction = price::predict(task.pricing, partition, placement_of(task, nodes), task.setup);
    if (!prediction.ok()) return not_possible;
    for (const price::PredictedStage& stage : prediction->stages)
        if (!stage.fits()) return not_possible;
    return prediction->step_ms;
}

/// Returns the core time in milliseconds that the devices between two ends take from stages, for `values` tensors of
/// `bytes` in total.
double relays_ms(const price::NodePool& pool, price::LinkEnd from, price::LinkEnd to, int values, Bytes bytes) {
    const price::MeshPath* const path = pool.links.path(from, to);
    double seconds = 0;
    if (path)
        for (const price::PathRelay& relay : path->relays)
            if (pool.is_disturbed_by(relay))
                seconds += relay.message_s * std::max(0, values - 1) + relay.handling(bytes);
    return 1e3 * seconds;
}

/// Returns whether pins and privacy allow a stage on a node, for each stage of these cuts and each node of the pool.
std::vector<std::vector<bool>> allowed_nodes(const LayerTask& task, const plan::CutChoice& choice) {
    std::vector<std::vector<bool>> allowed(choice.size() + 1, std::vector<bool>(task.pool.nodes.size(), true));
    const auto stage_of = [&](graph::NodeIndex node) {
        return static_cast<std::size_t>(std::ranges::count_if(choice, [&](std::int32_t cut) {
            return task.cuts.legal[static_cast<std::size_t>(cut)] < task.cuts.home[static_cast<std::size_t>(node)];
        }));
    };
    const auto bar = [&](graph::NodeIndex node, auto may_run) {
        std::vector<bool>& of_stage = allowed[stage_of(node)];
        for (std::size_t i = 0; i < of_stage.size(); ++i)
            if (!may_run(task.pool.nodes[i].node)) of_stage[i] = false;
    };
    for (const price::CutConstraints::Pin& pin : task.constraints.pins)
        bar(pin.node, [&](const std::string& name) { return name == pin.place; });
    for (const graph::NodeIndex node : task.constraints.sensitive)
        bar(node, [&](const std::string& name) { return task.constraints.is_secure(name); });
    return allowed;
}

/// Searches for the fastest assignment of stages to nodes, for given cuts.
class Arrangements {
public:
    Arrangements(const LayerTask& task, const plan::CutChoice& choice, plan::Partition partition, std::int64_t most)
        : task_(task), partition_(std::move(partition)), allowed_(allowed_nodes(task, choice)), left_(most) {}

    FastestNodes find(const std::vector<Nodes>& starts) {
        const double start_ms = step_ms_of(task_, partition_, starts.front());
        fastest_ = starts.front();
        least_ms_ = start_ms;
        tried_.insert(starts.front());
        take_free(starts.front());
        const bool all = count_up_to(left_) <= left_;
        if (all) {
            Nodes nodes;
            try_all(nodes);
        } else {
            for (const Nodes& start : starts) try_nodes(start);
            while (exchange()) {}
        }
        return {least_ms_ < start_ms * (1 - price::steady_difference) ? fastest_ : starts.front(), all};
    }

private:
    /// Collects the start's nodes and the ready nodes, ascending.
    void take_free(const Nodes& start) {
        at_hand_ = start;
        for (std::int32_t node = 0; node < static_cast<std::int32_t>(task_.pool.ready); ++node)
            if (std::ranges::find(start, node) == start.end()) at_hand_.push_back(node);
        std::ranges::sort(at_hand_);
        is_used_.assign(at_hand_.size(), false);
    }
    /// Returns the number of arrangements of the collected nodes, or a number above `most`.
    std::int64_t count_up_to(std::int64_t most) const {
        std::int64_t count = 1;
        for (std::size_t i = 0; i < allowed_.size() && count <= most; ++i)
            count *= static_cast<std::int64_t>(at_hand_.size() - i);
        return count;
    }
    void try_all(Nodes& nodes) {
        if (nodes.size() == allowed_.size()) {
            try_nodes(nodes);
            return;
        }
        for (std::size_t i = 0; i < at_hand_.size(); ++i) {
            // an equal node at an earlier position is unused, so this choice was already tried
            const bool same = i > 0 && at_hand_[i - 1] == at_hand_[i] && !is_used_[i - 1];
            if (is_used_[i] || same || !allowed_[nodes.size()][static_cast<std::size_t>(at_hand_[i])]) continue;
            is_used_[i] = true;
            nodes.push_back(at_hand_[i]);
            try_all(nodes);
            nodes.pop_back();
            is_used_[i] = false;
        }
    }
    bool try_nodes(const Nodes& nodes) {
        if (left_ == 0 || !tried_.insert(nodes).second) return false;
        for (std::size_t stage = 0; stage < nodes.size(); ++stage)
            if (!allowed_[stage][static_cast<std::size_t>(nodes[stage])]) return false;
        --left_;
        const double step_ms = step_ms_of(task_, partition_, nodes);
        if (step_ms >= least_ms_) return false;
        fastest_ = nodes;
        least_ms_ = step_ms;
        return true;
    }
    /// Makes the first exchange that improves the step. Returns whether there was one.
    bool exchange() {
        const Nodes from = fastest_;
        for (std::size_t i = 0; i < from.size(); ++i) {
            Nodes nodes = from;
            for (std::size_t other = i + 1; other < from.size(); ++other) {
                std::swap(nodes[i], nodes[other]);
                if (try_nodes(nodes)) return true;
                std::swap(nodes[i], nodes[other]);
            }
            for (const std::int32_t node : at_hand_) {
                if (std::ranges::find(from, node) != from.end()) continue;
                nodes[i] = node;
                if (try_nodes(nodes)) return true;
            }
        }
        return false;
    }

    const LayerTask& task_;
    const plan::Partition partition_;
    std::vector<std::vector<bool>> allowed_;
    std::int64_t left_;  ///< number of simulations left
    Nodes at_hand_;
    std::vector<bool> is_used_;  ///< whether each entry of at_hand_ is used
    std::set<Nodes> tried_;
    Nodes fastest_;
    double least_ms_ = not_possible;
};

}  // namespace

bool chain_counts_all(const LayerTask& task) { return task.data_instances == 0 && !task.pool.has_disturbing_relays(); }

void charge_relays(PricedChain& priced, const LayerTask& task) {
    const std::size_t kinds = priced.chain.devices.size();
    std::vector<price::LinkEnd> ends(kinds);
    for (std::size_t i = 0; i < priced.devices.order.size(); ++i)
        ends[priced.devices.order[i]] = task.pool.nodes[priced.nodes[i]].end();
    for (std::size_t link = 0; link < priced.chain.crossing_ms.size(); ++link) {
        const price::LinkEnd from = ends[link / kinds], to = ends[link % kinds];
        if (!task.pool.links.path(from, to)) continue;
        for (std::size_t cut = 0; cut < task.cuts.legal.size(); ++cut) {
            const graph::CutPosition& at = task.cuts.positions[task.cuts.legal[cut]];
            priced.chain.crossing_ms[link][cut + 1] += relays_ms(task.pool, from, to, at.values, at.forward_bytes) +
                                                       relays_ms(task.pool, to, from, at.values, at.backward_bytes);
        }
    }
}

double simulated_ms(const LayerTask& task, const plan::CutChoice& choice, const std::vector<std::int32_t>& nodes) {
    const auto partition = partition_of(task, choice);
    return partition.ok() ? step_ms_of(task, *partition, nodes) : not_possible;
}

price::Placement placement_of(const LayerTask& task, const std::vector<std::int32_t>& nodes) {
    price::Placement placement = task.pool.place(nodes);
    placement.dealt = task.pool.place_data(nodes, task.data_instances);
    return placement;
}

FastestNodes fastest_nodes(const LayerTask& task, const plan::CutChoice& choice,
                           const std::vector<std::vector<std::int32_t>>& starts, std::int64_t work) {
    auto partition = partition_of(task, choice);
    if (!task.constraints.stages.empty() || !partition.ok()) return {starts.front()};
    const auto stages = static_cast<std::int64_t>(choice.size()) + 1;
    const std::int64_t passes = usual_steps * 2 * stages * task.setup.microbatches;
    const std::int64_t each = static_cast<std::int64_t>(task.pricing.graph().nodes.size()) + passes;
    return Arrangements(task, choice, std::move(*partition), std::max<std::int64_t>(work / each, 1)).find(starts);
}

}  // namespace divisi::search
