// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/stage_bounds.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

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

constexpr Ticks unlimited = std::numeric_limits<Ticks>::max() / 4;

/// A flow network whose cuts of finite capacity are the boundaries. The dependencies of a node before a boundary are
/// also before it. Each net has an arc with its cost; the arc is cut unless all targets of the net are before the
/// boundary.
class Boundaries {
public:
    Boundaries(const StageGraph& graph, std::size_t visits)
        : nodes_(graph.size()), visits_left_(visits), arcs_from_(graph.work.size() + graph.nets.size()) {
        for (std::int32_t node = 0; node < graph.size(); ++node)
            for (const std::int32_t before : graph.predecessors[node]) connect(node, before, unlimited);
        for (std::size_t i = 0; i < graph.nets.size(); ++i) {
            const auto whole = static_cast<std::int32_t>(graph.work.size() + i);
            connect(graph.nets[i].source, whole, graph.nets[i].cost);
            for (const std::int32_t target : graph.nets[i].targets) connect(whole, target, unlimited);
        }
    }

    bool exhausted() const { return visits_left_ == 0; }

    /// Finds a boundary of cost at most `limit` with `first` before and `second` after it, by Dinic's algorithm.
    /// Returns the nodes before the boundary; empty if there is no such boundary or the visits are used up.
    std::vector<bool> part(std::int32_t first, std::int32_t second, Ticks limit) {
        for (Arc& arc : arcs_) arc.left = arc.capacity;
        Ticks flow = 0;
        while (level(first, second)) {
            next_.assign(arcs_from_.size(), 0);
            while (flow <= limit) {
                const Ticks pushed = push(first, second);
                if (pushed == 0) break;
                flow += pushed;
            }
            if (flow > limit || exhausted()) return {};
        }
        if (exhausted()) return {};
        std::vector<bool> before(nodes_);
        for (std::int32_t node = 0; node < nodes_; ++node) before[node] = level_[node] >= 0;
        return before;
    }

private:
    struct Arc {
        std::int32_t to;
        Ticks capacity, left;
    };

    void connect(std::int32_t from, std::int32_t to, Ticks capacity) {  // arc i ^ 1 is the reverse of arc i
        arcs_from_[from].push_back(static_cast<std::int32_t>(arcs_.size()));
        arcs_.push_back({to, capacity, 0});
        arcs_from_[to].push_back(static_cast<std::int32_t>(arcs_.size()));
        arcs_.push_back({from, 0, 0});
    }
    bool visit() {
        if (visits_left_ > 0) --visits_left_;
        return visits_left_ > 0;
    }

    /// Computes distances from the source. Returns false if the sink is unreachable.
    bool level(std::int32_t source, std::int32_t sink) {
        level_.assign(arcs_from_.size(), -1);
        level_[source] = 0;
        queue_.assign(1, source);
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            for (const std::int32_t arc : arcs_from_[queue_[i]]) {
                if (!visit()) return false;
                if (arcs_[arc].left == 0 || level_[arcs_[arc].to] >= 0) continue;
                level_[arcs_[arc].to] = level_[queue_[i]] + 1;
                queue_.push_back(arcs_[arc].to);
            }
        }
        return level_[sink] >= 0;
    }

    /// Pushes flow along one shortest path and returns the amount; 0 if no path remains. Not recursive, since paths may
    /// be long.
    Ticks push(std::int32_t source, std::int32_t sink) {
        path_.clear();
        for (std::int32_t at = source; at != sink;) {
            bool advanced = false;
            for (; next_[at] < arcs_from_[at].size(); ++next_[at]) {
                if (!visit()) return 0;
                const std::int32_t arc = arcs_from_[at][next_[at]];
                if (arcs_[arc].left == 0 || level_[arcs_[arc].to] != level_[at] + 1) continue;
                path_.push_back(arc);
                at = arcs_[arc].to;
                advanced = true;
                break;
            }
            if (advanced) continue;
            if (path_.empty()) return 0;
            at = arcs_[path_.back() ^ 1].to;  // dead end: go back and skip the arc that led here
            path_.pop_back();
            ++next_[at];
        }
        Ticks most = unlimited;
        for (const std::int32_t arc : path_) most = std::min(most, arcs_[arc].left);
        for (const std::int32_t arc : path_) {
            arcs_[arc].left -= most;
            arcs_[arc ^ 1].left += most;
        }
        return most;
    }

    std::int32_t nodes_;
    std::size_t visits_left_;
    std::vector<Arc> arcs_;
    std::vector<std::vector<std::int32_t>> arcs_from_;
    std::vector<std::int32_t> level_, queue_, path_;
    std::vector<std::size_t> next_;
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

Contraction join_inseparable(const StageGraph& graph, Ticks limit, std::size_t visits) {
    Contraction above = join_above(graph, limit);
    const StageGraph& now = above.graph;
    if (now.nets.empty()) return above;
    Boundaries boundaries(now, visits);
    std::vector<std::vector<bool>> parted;  // indexed by node and position of the successor
    for (const auto& list : now.successors) parted.emplace_back(list.size(), false);
    std::vector<std::pair<std::int32_t, std::int32_t>> joined;
    for (std::int32_t node = 0; node < now.size() && !boundaries.exhausted(); ++node) {
        for (std::size_t i = 0; i < now.successors[node].size(); ++i) {
            if (parted[node][i]) continue;
            const std::vector<bool> before = boundaries.part(node, now.successors[node][i], limit);
            if (boundaries.exhausted()) break;
            if (before.empty()) joined.emplace_back(node, now.successors[node][i]);
            // This boundary also separates other edges.
            for (std::int32_t other = 0; other < now.size() && !before.empty(); ++other)
                for (std::size_t j = 0; before[other] && j < now.successors[other].size(); ++j)
                    if (!before[now.successors[other][j]]) parted[other][j] = true;
        }
    }
    if (joined.empty()) return above;
    Contraction further = contract(now, joined);
    for (std::int32_t& group : above.group) group = further.group[group];
    above.graph = std::move(further.graph);
    return above;
}

}  // namespace divisi::staging
