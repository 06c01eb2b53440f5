// SPDX-License-Identifier: Apache-2.0
#include "backend/price/landscape_points.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "backend/plan/cut_choice.h"

namespace divisi::price {

namespace {

/// The usual number of steps in a simulation.
constexpr std::int64_t usual_steps = 3;

/// Minimum number of simulated positions: the current cut, both ends, and the fastest position.
constexpr std::int64_t least_simulated = 4;

/// Minimum ratio of an unsimulated position's time to the fastest simulated time: enough to distinguish the positions,
/// too small to be visible.
constexpr double unproven = 1 + 1e-6;

std::vector<double> threads_on_hosts(const Placement& placement) {
    std::vector<double> threads(placement.hosts.size(), 0.0);
    for (const PlannedDevice& device : placement.stages) threads[device.host] += device.threads;
    for (const PlannedDevice& device : placement.dealt) threads[device.host] += device.threads;
    if (placement.data && placement.dealt.empty()) threads[placement.data->host] += placement.data->threads;
    return threads;
}

Result<double> simulate_at(Pricing& pricing, const MovingCut& cut, std::int32_t legal, const Placement& placement,
                           const TrainingSetup& setup) {
    plan::CutChoice choice = cut.choice;
    choice[static_cast<std::size_t>(cut.moving)] = legal;
    // The model's nodes have the same positions in the pricing graph, so the pricing graph can replace the model here.
    DIVISI_ASSIGN(auto segments, plan::segments_from_cuts(pricing.graph(), cut.cuts, choice, pricing.training()));
    DIVISI_ASSIGN(const plan::Partition partition, plan::make_partition(pricing.graph(), std::move(segments)));
    DIVISI_ASSIGN(const SimulatedPlan plan, price_plan(pricing, partition, placement, setup));
    DIVISI_ASSIGN(const Simulation simulation, simulate(plan));
    return simulation.step_s;
}

/// The legal positions first <= i < last of a landscape, some of which are simulated.
class Points {
public:
    Points(const Landscape& landscape, std::int32_t first, std::int32_t last)
        : landscape_(landscape), first_(first), last_(last) {}

    bool knows(std::int32_t legal) const { return known_.contains(legal); }
    bool is_tried(std::int32_t legal) const { return tried_.contains(legal); }
    void set(std::int32_t legal, const Result<double>& step_s) {
        tried_.insert(legal);
        if (step_s.ok()) known_[legal] = *step_s;
    }
    double at(std::int32_t legal) const {
        const auto behind = known_.lower_bound(legal);
        if (behind != known_.end() && behind->first == legal) return behind->second;
        if (known_.empty()) return closed(legal);
        if (behind == known_.begin()) return closed(legal) * off(*behind);
        const auto before = std::prev(behind);
        if (behind == known_.end()) return closed(legal) * off(*before);
        const double share = static_cast<double>(legal - before->first) / (behind->first - before->first);
        return closed(legal) * (off(*before) * (1 - share) + off(*behind) * share);
    }
    /// Returns the fastest position where the cut may be placed; -1 if there is none.
    std::int32_t fastest() const {
        std::int32_t best = -1;
        double least = std::numeric_limits<double>::infinity();
        for (std::int32_t legal = first_; legal < last_; ++legal) {
            const double step_s = is_free(legal) ? at(legal) : least;
            if (step_s >= least) continue;
            best = legal;
            least = step_s;
        }
        return best;
    }
    /// Returns the middle of the longest run of untried positions; -1 if there is none.
    std::int32_t middle_of_gap() const {
        std::int32_t before = first_ - 1, begin = 0, length = 0;
        const auto measure = [&](std::int32_t next) {
            if (next - before - 1 > length) {
                length = next - before - 1;
                begin = before + 1;
            }
            before = next;
        };
        for (const std::int32_t legal : tried_) measure(legal);
        measure(last_);
        return length > 0 ? begin + length / 2 : -1;
    }
    /// Returns the least simulated step time among positions where the cut may be placed; 0 if there is none.
    double least_known() const {
        double least = 0;
        for (const auto& [legal, step_s] : known_)
            if (is_free(legal) && (least == 0 || step_s < least)) least = step_s;
        return least;
    }

private:
    using Known = std::map<std::int32_t, double>;  ///< simulated times by legal position

    double closed(std::int32_t legal) const { return landscape_.positions[static_cast<std::size_t>(legal)].step_s; }
    double off(const Known::value_type& point) const {
        return closed(point.first) > 0 ? point.second / closed(point.first) : 1;
    }
    bool is_free(std::int32_t legal) const {
        return landscape_.positions[static_cast<std::size_t>(legal)].obstacle == Obstacle::none;
    }

    const Landscape& landscape_;
    std::int32_t first_, last_;
    Known known_;
    std::set<std::int32_t> tried_;  ///< positions in known_, and positions whose simulation failed
};

}  // namespace

bool costs_beside_stages(const Placement& placement) {
    if (!placement.dealt.empty()) return true;
    if (!placement.links.paths) return false;
    const std::vector<double> threads = threads_on_hosts(placement);
    const auto takes_cores = [&](const PathRelay& relay) {
        for (std::size_t i = 0; i < placement.hosts.size(); ++i) {
            const HostModel& host = placement.hosts[i];
            if (host.cores > 0 && threads[i] >= host.cores && host.name == relay.host) return true;
        }
        return false;
    };
    return std::ranges::any_of(*placement.links.paths,
                               [&](const auto& path) { return std::ranges::any_of(path.second.relays, takes_cores); });
}

void simulate_positions(Landscape& landscape, Pricing& pricing, const MovingCut& cut, const Placement& placement,
                        const TrainingSetup& setup, std::int64_t work) {
    const auto moving = static_cast<std::size_t>(cut.moving);
    const std::int32_t first = moving == 0 ? 0 : cut.choice[moving - 1] + 1;
    const std::int32_t last =
        moving + 1 == cut.choice.size() ? static_cast<std::int32_t>(cut.cuts.legal.size()) : cut.choice[moving + 1];
    const auto passes = static_cast<std::int64_t>(2 * placement.stages.size()) * setup.microbatches;
    const std::int64_t each = static_cast<std::int64_t>(pricing.graph().nodes.size()) + usual_steps * passes;
    std::int64_t left = std::max(work / each, least_simulated);
    Points points(landscape, first, last);
    const auto simulate_once = [&](std::int32_t legal) {
        if (points.is_tried(legal) || left == 0) return;
        --left;
        points.set(legal, simulate_at(pricing, cut, legal, placement, setup));
    };
    for (const std::int32_t legal : {cut.choice[moving], first, last - 1}) simulate_once(legal);
    while (left > 0) {
        // Alternate between the fastest position and the middle of a gap, so that neither the best position nor a
        // second minimum is missed.
        std::int32_t next = left % 2 == 1 ? points.fastest() : -1;
        if (next < 0 || points.is_tried(next)) next = points.middle_of_gap();
        if (next < 0) break;
        simulate_once(next);
    }
    const double proven = points.least_known() * unproven;
    std::vector<double> times;
    for (std::int32_t legal = first; legal < last; ++legal)
        times.push_back(points.knows(legal) ? points.at(legal) : std::max(points.at(legal), proven));
    for (std::int32_t legal = first; legal < last; ++legal)
        landscape.positions[static_cast<std::size_t>(legal)].step_s = times[static_cast<std::size_t>(legal - first)];
}

}  // namespace divisi::price
