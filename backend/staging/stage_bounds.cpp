// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/stage_bounds.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace divisi::staging {

namespace {

constexpr std::int32_t most_nodes_for_windows = 20'000;  // limits the ancestor sets of all nodes to 50 MB
constexpr std::int32_t most_stages_for_windows = 512;    // every pair of stages is examined

std::int64_t stages_for(Ticks work, Ticks limit) { return (work + limit - 1) / limit; }

/// Returns, for each node, the total work of the node and its dependencies. `before` are the direct dependencies of
/// each node. If `descending` is set, nodes are visited from the last to the first.
std::vector<Ticks> work_up_to(const StageGraph& graph, const std::vector<std::vector<std::int32_t>>& before,
                              bool descending) {
    const std::size_t words = (graph.work.size() + 63) / 64;
    std::vector<std::uint64_t> sets(words * graph.work.size(), 0);
    std::vector<Ticks> result(graph.work.size(), 0);
    for (std::int32_t i = 0; i < graph.size(); ++i) {
        const std::int32_t node = descending ? graph.size() - 1 - i : i;
        std::uint64_t* set = sets.data() + words * node;
        set[node / 64] |= std::uint64_t{1} << (node % 64);
        for (const std::int32_t other : before[node])
            for (std::size_t word = 0; word < words; ++word) set[word] |= sets[words * other + word];
        for (std::size_t word = 0; word < words; ++word)
            for (std::uint64_t left = set[word]; left != 0; left &= left - 1)
                result[node] += graph.work[word * 64 + std::countr_zero(left)];
    }
    return result;
}

/// Proves that limits cannot be met.
class Refuter {
public:
    Refuter(const StageGraph& graph, std::int32_t stages) : graph_(graph), stages_(stages) {
        if (graph.size() > most_nodes_for_windows || stages > most_stages_for_windows) return;
        head_ = work_up_to(graph, graph.predecessors, false);
        tail_ = work_up_to(graph, graph.successors, true);
    }

    /// Returns true only if no partition has a bottleneck of at most `limit`. The limit must be above 0.
    bool refutes(Ticks limit) const {
        if (stages_for(graph_.total_work(), limit) > stages_) return true;
        const Contraction joined = join_above(graph_, limit);
        if (std::any_of(joined.graph.work.begin(), joined.graph.work.end(), [&](Ticks w) { return w > limit; }))
            return true;
        return bins(joined.graph.work, limit) > stages_ || (!head_.empty() && windows_refute(joined, limit));
    }

private:
    static std::int64_t bins(std::vector<Ticks> work, Ticks limit) {
        std::sort(work.begin(), work.end(), std::greater<>());
        std::vector<Ticks> sum{0};
        for (const Ticks w : work) sum.push_back(sum.back() + w);
        const auto above = [&](Ticks value) {  // number of larger items
            return std::partition_point(work.begin(), work.end(), [&](Ticks w) { return w > value; }) - work.begin();
        };
        const auto half = above(limit / 2);
        std::int64_t most = half;
        for (auto i = half; i < std::ssize(work) && work[i] > 0; ++i) {
            // items of at least this size: none of them fits into a bin together with an item above limit - small
            const Ticks small = work[i];
            const auto alone = above(limit - small);
            const Ticks free = (half - alone) * limit - (sum[half] - sum[alone]);
            const Ticks rest = sum[i + 1] - sum[half] - free;
            most = std::max<std::int64_t>(most, half + (rest > 0 ? stages_for(rest, limit) : 0));
        }
        return most;
    }

    bool windows_refute(const Contraction& joined, Ticks limit) const {
        const std::int32_t groups = joined.graph.size();
        std::vector<std::int64_t> first(groups, 1), last(groups, stages_);
        for (std::int32_t node = 0; node < graph_.size(); ++node) {
            const std::int32_t group = joined.group[node];
            first[group] = std::max(first[group], stages_for(head_[node], limit));
            last[group] = std::min(last[group], stages_ + 1 - stages_for(tail_[node], limit));
        }
        // inside[b]: work that must be in stages a to b, for the current a.
        std::vector<std::vector<Ticks>> starting(stages_ + 1, std::vector<Ticks>(stages_ + 1, 0));
        for (std::int32_t group = 0; group < groups; ++group) {
            if (first[group] > last[group]) return true;
            starting[first[group]][last[group]] += joined.graph.work[group];
        }
        std::vector<Ticks> inside(stages_ + 1, 0);
        for (std::int32_t a = stages_; a >= 1; --a) {
            Ticks sum = 0;
            for (std::int32_t b = a; b <= stages_; ++b) {
                sum += starting[a][b];
                inside[b] += sum;
                if (stages_for(inside[b], limit) > b - a + 1) return true;
            }
        }
        return false;
    }

    const StageGraph& graph_;
    std::int32_t stages_;
    std::vector<Ticks> head_, tail_;
};

}  // namespace

Ticks least_bottleneck(const StageGraph& graph, std::int32_t stages, Ticks upper) {
    Ticks low =
        std::max(stages_for(graph.total_work(), stages), *std::max_element(graph.work.begin(), graph.work.end()));
    low = std::min(low, upper);
    if (low <= 0) return low;
    // The value just below `low` is always refuted. The refuted values need not form an interval, so a larger bound may
    // exist.
    const Refuter refuter(graph, stages);
    for (Ticks high = upper; low < high;) {
        const Ticks middle = low + (high - low) / 2;
        if (refuter.refutes(middle)) low = middle + 1;
        else high = middle;
    }
    return low;
}

}  // namespace divisi::staging
