// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>

#include "backend/base/hash.h"
#include "backend/staging/stage_search.h"

namespace divisi::staging {

namespace {

using Order = std::vector<std::int32_t>;

constexpr int mixed_orders = 4;
constexpr std::size_t least_crossing_choices = 64;  // number of newest ready nodes that are compared at each step

/// Visits the nodes in topological order. The list of ready nodes is in the order in which the nodes became ready;
/// `choose` returns a position in this list.
Order walk(const StageGraph& graph, const std::function<std::size_t(const Order& ready)>& choose) {
    std::vector<std::size_t> waiting;
    for (const auto& list : graph.predecessors) waiting.push_back(list.size());
    Order ready, order;
    for (std::int32_t node = graph.size(); node-- > 0;)
        if (waiting[node] == 0) ready.push_back(node);
    while (!ready.empty()) {
        const std::size_t chosen = choose(ready);
        const std::int32_t node = ready[chosen];
        ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
        order.push_back(node);
        for (auto next = graph.successors[node].rbegin(); next != graph.successors[node].rend(); ++next)
            if (--waiting[*next] == 0) ready.push_back(*next);
    }
    return order;
}

/// Returns the topological order by ascending key among ready nodes.
Order by_key(const StageGraph& graph, const std::vector<Ticks>& key) {
    std::vector<std::size_t> waiting;
    for (const auto& list : graph.predecessors) waiting.push_back(list.size());
    using Entry = std::pair<Ticks, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (std::int32_t node = 0; node < graph.size(); ++node)
        if (waiting[node] == 0) ready.emplace(key[node], node);
    Order order;
    while (!ready.empty()) {
        const std::int32_t node = ready.top().second;
        ready.pop();
        order.push_back(node);
        for (const std::int32_t next : graph.successors[node])
            if (--waiting[next] == 0) ready.emplace(key[next], next);
    }
    return order;
}

Order depth_first(const StageGraph& graph) {
    return walk(graph, [](const Order& ready) { return ready.size() - 1; });
}

Order longest_path_first(const StageGraph& graph) {
    std::vector<Ticks> key(graph.work.size(), 0);
    for (std::int32_t node = graph.size(); node-- > 0;) {
        for (const std::int32_t next : graph.successors[node]) key[node] = std::min(key[node], key[next]);
        key[node] -= graph.work[node];
    }
    return by_key(graph, key);
}

Order mixed(const StageGraph& graph, std::uint64_t seed) {
    std::vector<Ticks> key;
    for (std::int32_t node = 0; node < graph.size(); ++node) key.push_back(static_cast<Ticks>(mix(seed, node) >> 1));
    return by_key(graph, key);
}

/// Returns an order that always continues with the ready node after which the data that crosses from visited to
/// unvisited nodes costs least. Compares the newest least_crossing_choices ready nodes.
Order least_crossing_first(const StageGraph& graph) {
    std::vector<std::vector<std::size_t>> to(graph.work.size());
    std::vector<Ticks> own(graph.work.size(), 0);
    std::vector<std::size_t> open;  // number of unvisited targets of each net
    for (std::size_t net = 0; net < graph.nets.size(); ++net) {
        own[graph.nets[net].source] += graph.nets[net].cost;
        open.push_back(graph.nets[net].targets.size());
        for (const std::int32_t target : graph.nets[net].targets) to[target].push_back(net);
    }
    return walk(graph, [&](const Order& ready) {
        const auto growth = [&](std::int32_t node) {
            Ticks sum = own[node];
            for (const std::size_t net : to[node])
                if (open[net] == 1) sum -= graph.nets[net].cost;
            return sum;
        };
        std::size_t best = ready.size() - 1;
        Ticks least = growth(ready[best]);
        for (std::size_t i = best; i-- > 0 && ready.size() - i <= least_crossing_choices;)
            if (const Ticks sum = growth(ready[i]); sum < least) best = i, least = sum;
        for (const std::size_t net : to[ready[best]]) --open[net];
        return best;
    });
}

/// Finds the best cuts of one order.
class Line {
public:
    Line(const StageGraph& graph, const Order& order) : order_(order), work_{0}, crossing_(order.size() + 1, 0) {
        std::vector<std::size_t> position(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            position[order[i]] = i;
            work_.push_back(work_.back() + graph.work[order[i]]);
        }
        for (const Net& net : graph.nets) {
            std::size_t furthest = 0;
            for (const std::int32_t target : net.targets) furthest = std::max(furthest, position[target]);
            crossing_[position[net.source] + 1] += net.cost;
            if (furthest + 1 < crossing_.size()) crossing_[furthest + 1] -= net.cost;
        }
        for (std::size_t i = 1; i < crossing_.size(); ++i) crossing_[i] += crossing_[i - 1];
    }

    /// Returns the ends of the stages if each stage is as long as `limit` allows. Empty if this gives too many stages.
    std::vector<std::size_t> ends(Ticks limit, std::int32_t stages) const {
        std::vector<std::size_t> legal(order_.size() + 1, 0), result;  // legal[i]: the last legal end up to position i
        for (std::size_t i = 1; i <= order_.size(); ++i)
            legal[i] = crossing_[i] <= limit || i == order_.size() ? i : legal[i - 1];
        for (std::size_t begin = 0; begin < order_.size();) {
            const auto too_far = std::upper_bound(work_.begin(), work_.end(), work_[begin] + limit);
            const std::size_t end = legal[static_cast<std::size_t>(too_far - work_.begin()) - 1];
            if (end <= begin || std::ssize(result) == stages) return {};
            result.push_back(begin = end);
        }
        return result;
    }

    /// Returns the ends with the smallest bottleneck. Empty if no bottleneck is smaller than `below`, the bottleneck of
    /// a known partition.
    std::vector<std::size_t> best_ends(std::int32_t stages, Ticks below) const {
        Ticks low = (work_.back() + stages - 1) / stages;
        std::vector<std::size_t> best;
        while (low < below) {
            const Ticks middle = low + (below - low) / 2;
            auto found = ends(middle, stages);
            if (found.empty()) low = middle + 1;
            else best = std::move(found), below = middle;
        }
        return best;
    }

private:
    const Order& order_;
    std::vector<Ticks> work_;      ///< indexed by position: work of the nodes before it
    std::vector<Ticks> crossing_;  ///< indexed by position: cost of a boundary there
};

}  // namespace

StageOf best_of_orders(const StageGraph& graph, std::int32_t stages) {
    Order given;
    for (std::int32_t node = 0; node < graph.size(); ++node) given.push_back(node);
    std::vector<Order> orders{given, depth_first(graph), longest_path_first(graph), least_crossing_first(graph)};
    for (int seed = 0; seed < mixed_orders; ++seed) orders.push_back(mixed(graph, seed));
    StageOf best(graph.work.size(), 0);  // initially one stage
    Ticks least = graph.total_work();
    for (const Order& order : orders) {
        const auto ends = Line(graph, order).best_ends(stages, least);
        if (ends.empty()) continue;
        std::int32_t stage = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i == ends[stage]) ++stage;
            best[order[i]] = stage;
        }
        least = bottleneck(graph, best);
    }
    return best;
}

}  // namespace divisi::staging
