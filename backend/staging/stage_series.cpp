// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/stage_series.h"

#include <algorithm>
#include <utility>

namespace divisi::staging {

namespace {

constexpr std::size_t most_parts = 4;  // maximum number of partial partitions with the same number of stages
constexpr int limit_bits = 9;          // precision of the bisected limit: 1 part in 512
// maximum number of tries for a stage that is slightly too heavy, since weights are in units
constexpr int most_tries = 6;
// Tried prices: the best boundary has the largest difference between the work before it and its crossing times the
// price.
constexpr double prices[] = {0, 0.02, 0.05, 0.1, 0.2, 0.4, 1};

/// A partial partition: its first stages are closed, and all other nodes are in the open stage.
struct Part {
    std::vector<bool> before;  ///< nodes of the closed stages
    Ticks work = 0;            ///< work of the closed stages
    Ticks crossing = 0;        ///< crossing of the boundary after the closed stages
    StageOf stage_of;          ///< the other nodes are in the open stage
};

/// Builds one partition that respects a limit.
class Builder {
public:
    Builder(const StageGraph& graph, const Frontier& frontier, Ticks limit, std::size_t& visits)
        : graph_(graph), frontier_(frontier), limit_(limit), total_(graph.total_work()), visits_(visits) {}

    /// Returns the partition; empty if none was found.
    StageOf build(std::int32_t stages) {
        const std::size_t count = graph_.work.size();
        std::vector<Part> parts{{std::vector<bool>(count, false), 0, 0, StageOf(count, 0)}};
        for (std::int32_t room = stages; room > 0 && !parts.empty(); --room) {
            next_.clear();
            for (const Part& part : parts) {
                if (total_ - part.work <= limit_) return part.stage_of;
                if ((total_ - part.work) / room <= limit_) extend(part);
            }
            std::stable_sort(next_.begin(), next_.end(), [](const Part& one, const Part& other) {
                return one.work - one.crossing / 16 > other.work - other.crossing / 16;
            });
            if (next_.size() > most_parts) next_.resize(most_parts);
            std::swap(parts, next_);
        }
        return {};
    }

private:
    void extend(const Part& part) {
        const auto table = frontier_.search({part.before, part.work + limit_, limit_}, true, visits_);
        if (!table) return;
        for (const double price : prices) {
            std::int32_t below = table->size();
            for (int i = 0; i < most_tries; ++i) {
                const std::int32_t weight = best_below(*table, below, price);
                if (weight < 0) break;
                Part next = close(part, *table, weight);
                const Ticks over = next.work - part.work - limit_;
                if (over <= 0) {
                    add(part, std::move(next));
                    break;
                }
                below = weight - static_cast<std::int32_t>(over / frontier_.unit());
            }
        }
    }

    std::int32_t best_below(const Frontier::Table& table, std::int32_t below, double price) const {
        std::int32_t best = -1;
        double most = 0;
        for (std::int32_t weight = 0; weight < below; ++weight) {
            const Ticks crossing = table.crossing(weight);
            if (crossing > limit_) continue;
            const double value = static_cast<double>(weight) * static_cast<double>(frontier_.unit()) -
                                 price * static_cast<double>(crossing);
            if (best < 0 || value > most) best = weight, most = value;
        }
        return best;
    }

    Part close(const Part& part, const Frontier::Table& table, std::int32_t weight) const {
        Part next{table.boundary(weight), 0, table.crossing(weight), part.stage_of};
        for (std::int32_t node = 0; node < graph_.size(); ++node) {
            if (next.before[node]) next.work += graph_.work[node];
            else ++next.stage_of[node];
        }
        return next;
    }

    void add(const Part& from, Part part) {
        const auto same = [&](const Part& other) { return other.work == part.work && other.before == part.before; };
        if (part.work > from.work && std::none_of(next_.begin(), next_.end(), same)) next_.push_back(std::move(part));
    }

    const StageGraph& graph_;
    const Frontier& frontier_;
    Ticks limit_, total_;
    std::size_t& visits_;
    std::vector<Part> next_;
};

/// Returns false only if no series of boundaries keeps crossings and the work between them within `limit`.
bool may_keep(const Frontier& frontier, const Frontier::Table& table, std::int32_t stages, Ticks limit) {
    const Ticks total = frontier.total_work();
    Ticks reached = 0;  // upper limit for the work before any boundary after the stages so far
    for (; stages > 0; --stages) {
        const Ticks most = reached + limit;
        if (most >= total) return true;
        auto weight = std::min(table.size() - 1, frontier.units(most + frontier.most_below()) + 1);
        while (weight > 0 && table.crossing(weight) > limit) --weight;
        const Ticks next = std::min(most, weight * frontier.unit() + frontier.most_above());
        if (next <= reached) return false;
        reached = next;
    }
    return false;
}

}  // namespace

Ticks least_of_series(const Frontier& frontier, const Frontier::Table& table, std::int32_t stages, Ticks lower,
                      Ticks upper) {
    while (lower < upper) {
        const Ticks middle = lower + (upper - lower) / 2;
        if (may_keep(frontier, table, stages, middle)) upper = middle;
        else lower = middle + 1;
    }
    return lower;
}

StageOf build_series(const StageGraph& graph, const Frontier& frontier, std::int32_t stages, Ticks lower, Ticks upper,
                     std::size_t& visits) {
    StageOf best;
    while (upper - lower > upper >> limit_bits && visits > 0) {
        const Ticks middle = lower + (upper - lower) / 2;
        StageOf found = Builder(graph, frontier, middle, visits).build(stages);
        if (found.empty()) {
            lower = middle;  // no partition below `middle` was found, which does not prove that there is none
        } else {
            upper = bottleneck(graph, found);
            best = std::move(found);
        }
    }
    return best;
}

}  // namespace divisi::staging
