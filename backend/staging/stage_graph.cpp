// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/stage_graph.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <queue>

namespace divisi::staging {

namespace {

constexpr int scale_bits = 60;  // the sums of work and crossings fit 64 bits, even if added twice

/// Finds strongly connected components by Tarjan's algorithm. Not recursive, since a graph may be a long chain.
class Components {
public:
    explicit Components(const std::vector<std::vector<std::int32_t>>& arcs)
        : arcs_(arcs), low_(arcs.size(), 0), number_(arcs.size(), 0), of_(arcs.size(), -1) {
        for (std::size_t node = 0; node < arcs.size(); ++node)
            if (number_[node] == 0) visit(static_cast<std::int32_t>(node));
    }
    const std::vector<std::int32_t>& of() const { return of_; }
    std::int32_t count() const { return count_; }

private:
    void enter(std::int32_t node) {
        number_[node] = low_[node] = ++entered_;
        open_.push_back(node);
        path_.emplace_back(node, 0);
    }
    void visit(std::int32_t root) {
        enter(root);
        while (!path_.empty()) {
            const std::int32_t node = path_.back().first;
            if (path_.back().second < arcs_[node].size()) {
                const std::int32_t next = arcs_[node][path_.back().second++];
                if (number_[next] == 0) enter(next);
                else if (of_[next] < 0) low_[node] = std::min(low_[node], number_[next]);
                continue;
            }
            path_.pop_back();
            if (!path_.empty()) low_[path_.back().first] = std::min(low_[path_.back().first], low_[node]);
            if (low_[node] == number_[node]) close(node);
        }
    }
    void close(std::int32_t root) {
        std::int32_t node = -1;
        do {
            node = open_.back();
            open_.pop_back();
            of_[node] = count_;
        } while (node != root);
        ++count_;
    }

    const std::vector<std::vector<std::int32_t>>& arcs_;
    std::vector<std::int32_t> low_, number_, of_;
    std::vector<std::int32_t> open_;
    std::vector<std::pair<std::int32_t, std::size_t>> path_;
    std::int32_t entered_ = 0, count_ = 0;
};

void sort_unique(std::vector<std::int32_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Numbers the groups in the topological order that differs least from the order of their first nodes.
std::vector<std::int32_t> order_groups(const std::vector<std::vector<std::int32_t>>& successors,
                                       const std::vector<std::int32_t>& first_node) {
    std::vector<std::int32_t> waiting(successors.size(), 0), number(successors.size(), 0);
    for (const auto& list : successors)
        for (const std::int32_t next : list) ++waiting[next];
    using Entry = std::pair<std::int32_t, std::int32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (std::size_t i = 0; i < successors.size(); ++i)
        if (waiting[i] == 0) ready.emplace(first_node[i], static_cast<std::int32_t>(i));
    std::int32_t next_number = 0;
    while (!ready.empty()) {
        const std::int32_t group = ready.top().second;
        ready.pop();
        number[group] = next_number++;
        for (const std::int32_t next : successors[group])
            if (--waiting[next] == 0) ready.emplace(first_node[next], next);
    }
    return number;
}

/// Returns the graph whose node i holds the nodes of group i. Merges nets with the same source and targets.
StageGraph quotient(const StageGraph& graph, const std::vector<std::int32_t>& group, std::int32_t count) {
    StageGraph result;
    result.work.resize(count, 0);
    result.successors.resize(count);
    result.predecessors.resize(count);
    for (std::int32_t node = 0; node < graph.size(); ++node) {
        result.work[group[node]] += graph.work[node];
        for (const std::int32_t next : graph.successors[node])
            if (group[next] != group[node]) result.successors[group[node]].push_back(group[next]);
    }
    for (std::int32_t i = 0; i < count; ++i) {
        sort_unique(result.successors[i]);
        for (const std::int32_t next : result.successors[i]) result.predecessors[next].push_back(i);
    }
    std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, Ticks> costs;
    for (const Net& net : graph.nets) {
        std::vector<std::int32_t> targets;
        for (const std::int32_t target : net.targets)
            if (group[target] != group[net.source]) targets.push_back(group[target]);
        if (targets.empty()) continue;
        sort_unique(targets);
        costs[{group[net.source], std::move(targets)}] += net.cost;
    }
    for (const auto& [ends, cost] : costs) result.nets.push_back({ends.first, ends.second, cost});
    return result;
}

}  // namespace

Ticks StageGraph::total_work() const { return std::accumulate(work.begin(), work.end(), Ticks{0}); }

StageScale::StageScale(const std::vector<double>& work_ms, const std::vector<double>& crossing_ms) {
    most_ = 2 * std::accumulate(work_ms.begin(), work_ms.end(), 0.0);
    for (const double crossing : crossing_ms) whole_ += std::min(crossing, most_);
    whole_ = std::max(whole_, most_);
}

Ticks StageScale::ticks(double ms) const {
    return whole_ > 0 ? std::llround(std::ldexp(std::min(ms, most_) / whole_, scale_bits)) : 0;
}

double StageScale::ms(Ticks ticks) const { return std::ldexp(static_cast<double>(ticks), -scale_bits) * whole_; }

Ticks bottleneck(const StageGraph& graph, const StageOf& stage_of) {
    const std::int32_t last = *std::max_element(stage_of.begin(), stage_of.end());
    std::vector<Ticks> work(last + 1, 0), change(last + 2, 0);
    for (std::int32_t node = 0; node < graph.size(); ++node) work[stage_of[node]] += graph.work[node];
    for (const Net& net : graph.nets) {
        std::int32_t furthest = 0;
        for (const std::int32_t target : net.targets) furthest = std::max(furthest, stage_of[target]);
        change[stage_of[net.source]] += net.cost;
        change[furthest] -= net.cost;
    }
    Ticks most = 0, crossing = 0;
    for (std::int32_t stage = 0; stage <= last; ++stage) {
        crossing += change[stage];
        most = std::max({most, work[stage], crossing});
    }
    return most;
}

StageOf Contraction::expand(const StageOf& stage_of_groups) const {
    StageOf stage_of;
    for (const std::int32_t of : group) stage_of.push_back(stage_of_groups[of]);
    return stage_of;
}

Contraction contract(const StageGraph& graph, const std::vector<std::pair<std::int32_t, std::int32_t>>& joined) {
    std::vector<std::vector<std::int32_t>> arcs = graph.successors;
    for (const auto& [first, second] : joined) {
        arcs[first].push_back(second);
        arcs[second].push_back(first);
    }
    const Components components(arcs);
    std::vector<std::int32_t> first_node(components.count(), graph.size());
    for (std::int32_t node = graph.size(); node-- > 0;) first_node[components.of()[node]] = node;
    const StageGraph loose = quotient(graph, components.of(), components.count());
    const std::vector<std::int32_t> number = order_groups(loose.successors, first_node);
    Contraction result;
    for (const std::int32_t component : components.of()) result.group.push_back(number[component]);
    result.graph = quotient(graph, result.group, components.count());
    return result;
}

Contraction join_above(const StageGraph& graph, Ticks limit) {
    Contraction result = contract(graph, {});
    while (true) {
        const StageGraph& now = result.graph;
        // Cutting an edge cuts all nets of its source that reach its target.
        std::map<std::pair<std::int32_t, std::int32_t>, Ticks> crossing;
        for (const Net& net : now.nets)
            for (const std::int32_t target : net.targets) crossing[{net.source, target}] += net.cost;
        std::vector<std::pair<std::int32_t, std::int32_t>> joined;
        for (const auto& [edge, cost] : crossing)
            if (cost > limit) joined.push_back(edge);
        // An input without work is best placed with its only consumer.
        for (std::int32_t node = 0; node < now.size(); ++node)
            if (now.work[node] == 0 && now.predecessors[node].empty() && now.successors[node].size() == 1)
                joined.emplace_back(node, now.successors[node].front());
        if (joined.empty()) return result;
        Contraction further = contract(now, joined);
        for (std::int32_t& group : result.group) group = further.group[group];
        result.graph = std::move(further.graph);
    }
}

}  // namespace divisi::staging
