// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/stage_cuts.h"

#include <algorithm>
#include <limits>

namespace divisi::staging {

namespace {

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
