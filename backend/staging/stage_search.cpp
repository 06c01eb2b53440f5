// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/stage_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/base/hash.h"
#include "backend/staging/ideals.h"

namespace divisi::staging {

namespace {

constexpr int most_sweeps = 40;  // maximum number of sweeps over all nodes; most graphs converge within ten sweeps
constexpr std::size_t most_ideals_a_round = 8'000;  // maximum number of ideals in one large neighbourhood
constexpr int fine_bits = 14;                       // precision of a round: 1 part in 16,384
// Initial and minimum number of free nodes. The number is adjusted so that the number of ideals stays within its limit.
constexpr std::size_t first_free_nodes = 24, fewest_free_nodes = 4;
constexpr std::uint64_t first_seed = 0x5ec7104;

/// A partition that can be changed one node at a time.
class Assignment {
public:
    Assignment(const StageGraph& graph, std::int32_t stages, const StageOf& stage_of)
        : graph_(graph), stage_of_(stage_of), work_(stages, 0), crossing_(stages, 0), nets_of_(graph.work.size()) {
        for (std::int32_t node = 0; node < graph.size(); ++node) work_[stage_of[node]] += graph.work[node];
        for (std::size_t i = 0; i < graph.nets.size(); ++i) {
            const Net& net = graph.nets[i];
            nets_of_[net.source].push_back(i);
            for (const std::int32_t target : net.targets) nets_of_[target].push_back(i);
            count(net, 1);
        }
        unit_ = static_cast<double>(std::max<Ticks>(1, bottleneck(graph, stage_of)));
        for (std::size_t i = 0; i < work_.size(); ++i) cost_ += weight(work_[i]) + weight(crossing_[i]);
    }

    const StageOf& stage_of() const { return stage_of_; }
    std::int32_t stages() const { return static_cast<std::int32_t>(work_.size()); }
    double cost() const { return cost_; }
    Ticks work(std::int32_t stage) const { return work_[stage]; }

    /// Returns the range of stages that a node may be in without an edge leading backwards.
    std::pair<std::int32_t, std::int32_t> range(std::int32_t node) const {
        std::int32_t low = 0, high = stages() - 1;
        for (const std::int32_t before : graph_.predecessors[node]) low = std::max(low, stage_of_[before]);
        for (const std::int32_t after : graph_.successors[node]) high = std::min(high, stage_of_[after]);
        return {low, high};
    }

    void move(std::int32_t node, std::int32_t to) {
        const std::int32_t from = stage_of_[node];
        change(work_[from], -graph_.work[node]);
        change(work_[to], graph_.work[node]);
        for (const std::size_t net : nets_of_[node]) count(graph_.nets[net], -1);
        stage_of_[node] = to;
        for (const std::size_t net : nets_of_[node]) count(graph_.nets[net], 1);
    }

private:
    /// Returns the penalty for the time of a stage or boundary. The exponent is high, so that the sum falls when slow
    /// stages and boundaries become faster.
    double weight(Ticks ticks) const {
        const double ratio = static_cast<double>(ticks) / unit_;
        const double square = ratio * ratio, fourth = square * square, eighth = fourth * fourth;
        return eighth * eighth;
    }
    void change(Ticks& value, Ticks by) {
        cost_ -= weight(value);
        value += by;
        cost_ += weight(value);
    }
    void count(const Net& net, Ticks sign) {
        std::int32_t furthest = 0;
        for (const std::int32_t target : net.targets) furthest = std::max(furthest, stage_of_[target]);
        for (std::int32_t boundary = stage_of_[net.source]; boundary < furthest; ++boundary)
            change(crossing_[boundary], sign * net.cost);
    }

    const StageGraph& graph_;
    StageOf stage_of_;
    std::vector<Ticks> work_, crossing_;  ///< per stage: its work, and the crossing of the boundary after it
    std::vector<std::vector<std::size_t>> nets_of_;
    double unit_ = 1, cost_ = 0;
};

/// Minimum gain of a change. A smaller gain is a rounding error and could repeat for ever.
constexpr double least_gain = 1e-9;

/// Moves the node to the best stage in its range, if that stage is better. Returns true if it was moved.
bool move_node(Assignment& now, std::int32_t node) {
    const auto [low, high] = now.range(node);
    const std::int32_t home = now.stage_of()[node];
    std::int32_t lightest = low;
    for (std::int32_t stage = low; stage <= high; ++stage)
        if (now.work(stage) < now.work(lightest)) lightest = stage;
    const double before = now.cost();
    double least = before * (1 - least_gain);
    std::int32_t best = home;
    for (const std::int32_t to : {home - 1, home + 1, lightest}) {
        if (to < low || to > high || to == home) continue;
        now.move(node, to);
        if (now.cost() < least) least = now.cost(), best = to;
        now.move(node, home);
    }
    if (best != home) now.move(node, best);
    return best != home;
}

/// Swaps the stages of two nodes if this is allowed and better. Returns true if the nodes were swapped.
bool swap_node(Assignment& now, std::int32_t node, std::int32_t other) {
    const std::int32_t home = now.stage_of()[node], away = now.stage_of()[other];
    if (home == away) return false;
    const double before = now.cost();
    now.move(node, away);
    now.move(other, home);
    const auto legal = [&](std::int32_t moved) {
        const auto [low, high] = now.range(moved);
        return low <= now.stage_of()[moved] && now.stage_of()[moved] <= high;
    };
    if (legal(node) && legal(other) && now.cost() < before * (1 - least_gain)) return true;
    now.move(other, away);
    now.move(node, home);
    return false;
}

/// A pseudo-random sequence determined by its seed.
class Sequence {
public:
    explicit Sequence(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t bound) { return (state_ = mix(state_, 1)) % bound; }

private:
    std::uint64_t state_;
};

/// Returns pairs of nodes that merge each stage into one node, except some random nodes, which stay free.
std::vector<std::pair<std::int32_t, std::int32_t>> join_at_random(const StageOf& stage_of, std::int32_t stages,
                                                                  std::size_t free_nodes, Sequence& sequence) {
    std::vector<bool> is_free(stage_of.size(), false);
    for (std::size_t i = 0; i < free_nodes; ++i) is_free[sequence.below(stage_of.size())] = true;
    std::vector<std::int32_t> previous(stages, -1);
    std::vector<std::pair<std::int32_t, std::int32_t>> joined;
    for (std::size_t node = 0; node < stage_of.size(); ++node) {
        if (is_free[node]) continue;
        std::int32_t& other = previous[stage_of[node]];
        if (other >= 0) joined.emplace_back(other, static_cast<std::int32_t>(node));
        other = static_cast<std::int32_t>(node);
    }
    return joined;
}

}  // namespace

StageOf improve_by_moves(const StageGraph& graph, std::int32_t stages, const StageOf& start) {
    Assignment now(graph, stages, start);
    Sequence sequence(first_seed);
    StageOf best = start;
    Ticks least = bottleneck(graph, start);
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        bool changed = false;
        for (std::int32_t node = 0; node < graph.size(); ++node) {
            changed |= move_node(now, node);
            changed |= swap_node(now, node, static_cast<std::int32_t>(sequence.below(graph.work.size())));
        }
        if (const Ticks value = bottleneck(graph, now.stage_of()); value < least) {
            least = value;
            best = now.stage_of();
        }
        if (!changed) break;
    }
    return best;
}

StageOf improve_by_lattices(const StageGraph& graph, std::int32_t stages, const StageOf& start, Ticks lower) {
    StageOf best = start;
    Ticks least = bottleneck(graph, start);
    const Ticks enough = lower + static_cast<Ticks>(static_cast<double>(lower) * small_gap);
    Sequence sequence(first_seed);
    std::size_t free_nodes = first_free_nodes;
    for (std::size_t visits = 0; visits < most_lattice_visits && least > enough;) {
        visits += graph.work.size();
        const Contraction rest = contract(graph, join_at_random(best, stages, free_nodes, sequence));
        const auto lattice = IdealLattice::enumerate(rest.graph, most_ideals_a_round);
        visits += lattice ? lattice->neighbours() : most_ideals_a_round;
        if (!lattice) {
            free_nodes = std::max(fewest_free_nodes, free_nodes * 3 / 4);
            continue;
        }
        free_nodes = std::min(graph.work.size(), free_nodes * 5 / 4 + 1);
        for (Ticks low = lower; low < least - (least >> fine_bits);) {
            visits += lattice->neighbours();
            const IdealLattice::Answer answer = lattice->fits(low + (least - low) / 2, stages);
            if (answer.feasible) {
                best = rest.expand(answer.stage_of);
                least = bottleneck(graph, best);
            } else {
                low = answer.next;
            }
        }
    }
    return best;
}

}  // namespace divisi::staging
