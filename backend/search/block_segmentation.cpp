// SPDX-License-Identifier: Apache-2.0
#include "backend/search/block_segmentation.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "backend/search/error_texts.h"

namespace divisi::search {

namespace {

/// Coarsening stops at this number of clusters per node. This number leaves a choice of cuts, but is small enough to
/// try many orders.
constexpr std::size_t clusters_per_node = 24;
/// Largest share of one node's work that a cluster may hold. Larger clusters would prevent balanced parts.
constexpr double largest_cluster = 0.25;
/// Up to this number of nodes, all orders of the nodes are tried. Beyond it, a few orders and node exchanges are tried.
constexpr std::size_t most_permuted_nodes = 5;
/// Number of best starting plans that are refined through all levels.
constexpr std::size_t carried_starts = 6;
constexpr int most_cycles = 4;   ///< maximum number of rounds of coarsening around a plan and refining it
constexpr int most_sweeps = 30;  ///< maximum number of sweeps over all operators of a level

using Index = std::int32_t;

/// A level of the hierarchy: a problem of clusters, and the cluster of each operator of the next finer level.
struct Level {
    BlockProblem problem;
    std::vector<Index> cluster_of;
};

bool may_run(const BlockProblem& problem, const BlockOperator& op, Index node) {
    return (op.pin == any_node || op.pin == node) && (!op.sensitive || problem.nodes[node].secure);
}

/// Returns the successors (or, if reversed, predecessors) of every operator, each once.
std::vector<std::vector<Index>> neighbours(const BlockProblem& problem, bool reversed) {
    std::vector<std::vector<Index>> result(problem.operators.size());
    for (const BlockValue& value : problem.values)
        for (const Index consumer : value.consumers)
            result[reversed ? consumer : value.producer].push_back(reversed ? value.producer : consumer);
    for (auto& list : result) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return result;
}

/// Sorts operators topologically. Among ready operators, the one with the lowest key comes first (without keys, all are
/// equal). Ties are broken by number, or in favour of the operator that became ready last, so that branches stay
/// together.
std::vector<Index> topological_order(const BlockProblem& problem, bool by_number = true,
                                     const std::vector<Index>& key = {}) {
    const auto next = neighbours(problem, false);
    std::vector<Index> waiting(problem.operators.size(), 0), order;
    for (const auto& list : next)
        for (const Index consumer : list) ++waiting[consumer];
    std::set<std::tuple<Index, Index, Index>> ready;  // key, rank, operator
    Index newest = 0;
    const auto add = [&](Index op) { ready.emplace(key.empty() ? 0 : key[op], by_number ? op : --newest, op); };
    for (auto op = static_cast<Index>(waiting.size()) - 1; op >= 0; --op)
        if (waiting[op] == 0) add(op);
    while (!ready.empty()) {
        order.push_back(std::get<2>(*ready.begin()));
        ready.erase(ready.begin());
        const auto& list = next[order.back()];
        for (auto op = list.rbegin(); op != list.rend(); ++op)
            if (--waiting[*op] == 0) add(*op);
    }
    return order;
}

/// Returns the problem of clusters, renumbered topologically. Empty if the clusters form a cycle.
std::optional<Level> contract(const BlockProblem& fine, std::vector<Index> cluster_of) {
    std::vector<Index> number(fine.operators.size(), -1);
    Index count = 0;
    for (Index& cluster : cluster_of) {
        if (number[cluster] < 0) number[cluster] = count++;
        cluster = number[cluster];
    }
    BlockProblem coarse;
    coarse.nodes = fine.nodes;
    coarse.seconds_per_byte = fine.seconds_per_byte;
    coarse.operators.resize(static_cast<std::size_t>(count));
    for (std::size_t op = 0; op < cluster_of.size(); ++op) {
        BlockOperator& cluster = coarse.operators[cluster_of[op]];
        cluster.seconds += fine.operators[op].seconds;
        cluster.memory += fine.operators[op].memory;
        cluster.sensitive = cluster.sensitive || fine.operators[op].sensitive;
        if (fine.operators[op].pin != any_node) cluster.pin = fine.operators[op].pin;
    }
    for (const BlockValue& value : fine.values) {
        BlockValue joined{cluster_of[value.producer], {}, value.bytes};
        for (const Index consumer : value.consumers)
            if (cluster_of[consumer] != joined.producer) joined.consumers.push_back(cluster_of[consumer]);
        std::sort(joined.consumers.begin(), joined.consumers.end());
        joined.consumers.erase(std::unique(joined.consumers.begin(), joined.consumers.end()), joined.consumers.end());
        if (!joined.consumers.empty()) coarse.values.push_back(std::move(joined));
    }
    const std::vector<Index> order = topological_order(coarse);
    if (order.size() < coarse.operators.size()) return std::nullopt;
    std::vector<Index> place(order.size());
    std::vector<BlockOperator> sorted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[order[i]] = static_cast<Index>(i);
        sorted[i] = coarse.operators[order[i]];
    }
    coarse.operators = std::move(sorted);
    for (BlockValue& value : coarse.values) {
        value.producer = place[value.producer];
        for (Index& consumer : value.consumers) consumer = place[consumer];
    }
    for (Index& cluster : cluster_of) cluster = place[cluster];
    return Level{std::move(coarse), std::move(cluster_of)};
}

std::vector<bool> reachable(const std::vector<std::vector<Index>>& next, const std::vector<Index>& from) {
    std::vector<bool> seen(next.size(), false);
    std::vector<Index> open = from;
    while (!open.empty()) {
        const Index op = open.back();
        open.pop_back();
        for (const Index other : next[op])
            if (!seen[other]) {
                seen[other] = true;
                open.push_back(other);
            }
    }
    return seen;
}

/// Makes each group one cluster, which also contains all operators on a path between two members of the group.
std::vector<Index> close_groups(const BlockProblem& problem) {
    std::vector<Index> cluster_of(problem.operators.size());
    std::iota(cluster_of.begin(), cluster_of.end(), 0);
    std::set<Index> groups;
    for (const BlockOperator& op : problem.operators)
        if (op.together >= 0) groups.insert(op.together);
    for (const Index group : groups) {
        Index first = -1;
        for (std::size_t op = 0; op < cluster_of.size(); ++op)
            if (problem.operators[op].together == group) {
                if (first < 0) first = cluster_of[op];
                const Index old = cluster_of[op];
                std::replace(cluster_of.begin(), cluster_of.end(), old, first);
            }
    }
    for (bool changed = !groups.empty(); changed;) {
        changed = false;
        BlockProblem joined;  // has only the links between clusters
        joined.operators.resize(cluster_of.size());
        for (const BlockValue& value : problem.values)
            for (const Index consumer : value.consumers)
                if (cluster_of[consumer] != cluster_of[value.producer])
                    joined.values.push_back({cluster_of[value.producer], {cluster_of[consumer]}, 0});
        const auto next = neighbours(joined, false), before = neighbours(joined, true);
        for (std::size_t op = 0; op < cluster_of.size() && !changed; ++op) {
            if (problem.operators[op].together < 0) continue;
            const Index cluster = cluster_of[op];
            const auto behind = reachable(next, {cluster}), ahead = reachable(before, {cluster});
            for (Index& other : cluster_of)
                if (other != cluster && behind[other] && ahead[other]) {
                    other = cluster;
                    changed = true;
                }
        }
    }
    return cluster_of;
}

/// Joins the two ends of a heavy value if one end is the only successor or predecessor of the other. No other path then
/// connects the two, and joining many such pairs at once keeps the graph acyclic. If a plan is given, joins only within
/// parts.
std::optional<Level> coarsen(const BlockProblem& problem, const BlockPlan* plan, double most_seconds) {
    const auto next = neighbours(problem, false), before = neighbours(problem, true);
    std::vector<std::size_t> heavy(problem.values.size());
    std::iota(heavy.begin(), heavy.end(), 0);
    std::stable_sort(heavy.begin(), heavy.end(),
                     [&](std::size_t a, std::size_t b) { return problem.values[a].bytes > problem.values[b].bytes; });
    std::vector<Index> cluster_of(problem.operators.size());
    std::iota(cluster_of.begin(), cluster_of.end(), 0);
    std::vector<bool> joined(problem.operators.size(), false);
    bool any = false;
    for (const std::size_t index : heavy) {
        const Index from = problem.values[index].producer;
        for (const Index to : problem.values[index].consumers) {
            const BlockOperator &a = problem.operators[from], &b = problem.operators[to];
            if (joined[from] || joined[to] || (next[from].size() > 1 && before[to].size() > 1)) continue;
            if (a.seconds + b.seconds > most_seconds) continue;
            if ((a.pin != b.pin && (a.pin != any_node || b.pin != any_node)) || a.sensitive != b.sensitive) continue;
            if (plan != nullptr && plan->part_of[from] != plan->part_of[to]) continue;
            cluster_of[to] = from;
            joined[from] = joined[to] = any = true;
        }
    }
    if (!any) return std::nullopt;
    return contract(problem, std::move(cluster_of));
}

/// A plan and its cost, updated with every move.
class State {
public:
    State(const BlockProblem& problem, BlockPlan plan) : problem_(problem), plan_(std::move(plan)) {
        values_of_.resize(problem.operators.size());
        for (std::size_t v = 0; v < problem.values.size(); ++v) {
            values_of_[problem.values[v].producer].push_back(static_cast<Index>(v));
            for (const Index consumer : problem.values[v].consumers)
                values_of_[consumer].push_back(static_cast<Index>(v));
        }
        tally();
    }

    const BlockPlan& plan() const { return plan_; }
    Index parts() const { return static_cast<Index>(plan_.node_of.size()); }

    BlockScore score() const {
        BlockScore result;
        result.violations = violations_;
        for (std::size_t part = 0; part < seconds_.size(); ++part) {
            const BlockNode& node = problem_.nodes[plan_.node_of[part]];
            if (node.memory > 0)
                result.excess_bytes += static_cast<double>(std::max<Bytes>(0, memory_[part] - node.memory));
            add_resource(result, seconds_[part] / node.speed);
        }
        for (std::size_t from = 0; from < seconds_.size() && !problem_.seconds_per_byte.empty(); ++from)
            for (std::size_t to = from + 1; to < seconds_.size(); ++to)
                add_resource(result, static_cast<double>(link_[from * seconds_.size() + to]) *
                                         problem_.seconds_per_byte[plan_.node_of[from]][plan_.node_of[to]]);
        return result;
    }

    /// Returns the range of parts to which an operator can move so that no value leads to an earlier part.
    std::pair<Index, Index> range(Index op) const {
        Index least = 0, most = parts() - 1;
        for (const Index v : values_of_[op]) {
            const BlockValue& value = problem_.values[v];
            if (value.producer == op)
                for (const Index consumer : value.consumers) most = std::min(most, plan_.part_of[consumer]);
            else least = std::max(least, plan_.part_of[value.producer]);
        }
        return {least, most};
    }

    void move(Index op, Index part) {
        account(op, -1);
        plan_.part_of[op] = part;
        account(op, 1);
    }
    void exchange_nodes(Index a, Index b) {
        std::swap(plan_.node_of[a], plan_.node_of[b]);
        tally();
    }

private:
    static void add_resource(BlockScore& result, double seconds) {
        result.slowest = std::max(result.slowest, seconds);
        result.squares += seconds * seconds;
    }
    void tally() {
        const std::size_t parts = plan_.node_of.size();
        violations_ = 0;
        seconds_.assign(parts, 0);
        memory_.assign(parts, 0);
        link_.assign(parts * parts, 0);
        for (Index op = 0; op < static_cast<Index>(problem_.operators.size()); ++op) count(op, 1);
        for (std::size_t v = 0; v < problem_.values.size(); ++v) carry(static_cast<Index>(v), 1);
    }
    void count(Index op, int sign) {
        const Index part = plan_.part_of[op];
        const BlockOperator& described = problem_.operators[op];
        seconds_[part] += sign * described.seconds;
        memory_[part] += sign * described.memory;
        if (!may_run(problem_, described, plan_.node_of[part])) violations_ += sign;
    }
    void carry(Index v, int sign) {
        const BlockValue& value = problem_.values[v];
        scratch_.clear();
        for (const Index consumer : value.consumers) scratch_.push_back(plan_.part_of[consumer]);
        std::sort(scratch_.begin(), scratch_.end());
        Index from = plan_.part_of[value.producer];
        for (const Index to : scratch_) {
            if (to <= from) continue;
            link_[static_cast<std::size_t>(from) * plan_.node_of.size() + static_cast<std::size_t>(to)] +=
                sign * value.bytes;
            from = to;
        }
    }
    void account(Index op, int sign) {
        count(op, sign);
        for (const Index v : values_of_[op]) carry(v, sign);
    }

    const BlockProblem& problem_;
    BlockPlan plan_;
    std::vector<std::vector<Index>> values_of_;
    std::vector<double> seconds_;
    std::vector<Bytes> memory_, link_;
    std::int32_t violations_ = 0;
    std::vector<Index> scratch_;
};

/// Moves operators and exchanges nodes while the score improves.
BlockPlan refine(const BlockProblem& problem, BlockPlan plan) {
    State state(problem, std::move(plan));
    BlockScore best = state.score();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        bool moved = false;
        const auto count = static_cast<Index>(problem.operators.size());
        for (Index i = 0; i < count; ++i) {
            const Index op = sweep % 2 == 0 ? i : count - 1 - i;
            const Index home = state.plan().part_of[op];
            Index at = home;
            const auto [least, most] = state.range(op);
            for (Index part = least; part <= most; ++part) {
                if (part == at || part == home) continue;
                state.move(op, part);
                const BlockScore now = state.score();
                if (now < best) {
                    best = now;
                    at = part;
                    moved = true;
                } else {
                    state.move(op, at);
                }
            }
        }
        for (Index a = 0; a < state.parts(); ++a)
            for (Index b = a + 1; b < state.parts(); ++b) {
                state.exchange_nodes(a, b);
                const BlockScore now = state.score();
                if (now < best) {
                    best = now;
                    moved = true;
                } else {
                    state.exchange_nodes(a, b);
                }
            }
        if (!moved) break;
    }
    return state.plan();
}

/// Cuts an order of operators into parts, one for each of `nodes` in their order, so that the slowest node is as fast
/// as possible. Ignores links, which refine() takes into account later. O(parts * operators^2). A `strict` cut respects
/// pins, secure nodes and memory; the result is empty if no such cut exists.
std::optional<BlockPlan> cut_order(const BlockProblem& problem, const std::vector<Index>& order,
                                   const std::vector<Index>& nodes, bool strict) {
    constexpr double never = std::numeric_limits<double>::infinity();
    const std::size_t count = order.size(), parts = nodes.size();
    std::vector<std::vector<double>> best(parts + 1, std::vector<double>(count + 1, never));
    std::vector<std::vector<std::size_t>> from(parts + 1, std::vector<std::size_t>(count + 1, 0));
    best[0][0] = 0;
    for (std::size_t part = 1; part <= parts; ++part) {
        const BlockNode& node = problem.nodes[nodes[part - 1]];
        for (std::size_t end = 0; end <= count; ++end) {
            double seconds = 0;
            Bytes memory = 0;
            for (std::size_t start = end;; --start) {
                const double slowest = std::max(best[part - 1][start], seconds / node.speed);
                if (slowest < best[part][end]) {
                    best[part][end] = slowest;
                    from[part][end] = start;
                }
                if (start == 0) break;
                const BlockOperator& op = problem.operators[order[start - 1]];
                seconds += op.seconds;
                memory += op.memory;
                const bool fits = node.memory == 0 || memory <= node.memory;
                if (strict && !(fits && may_run(problem, op, nodes[part - 1]))) break;
                if (seconds / node.speed >= best[part][end]) break;
            }
        }
    }
    if (best[parts][count] == never) return std::nullopt;
    BlockPlan plan{std::vector<Index>(count, 0), nodes};
    for (std::size_t part = parts, end = count; part > 0; end = from[part][end], --part)
        for (std::size_t i = from[part][end]; i < end; ++i) plan.part_of[order[i]] = static_cast<Index>(part) - 1;
    return plan;
}

std::vector<std::vector<Index>> node_orders(const BlockProblem& problem) {
    std::vector<Index> order(problem.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<Index>> orders;
    if (order.size() <= most_permuted_nodes) {
        do orders.push_back(order);
        while (std::next_permutation(order.begin(), order.end()));
        return orders;
    }
    orders.push_back(order);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return problem.nodes[a].speed > problem.nodes[b].speed; });
    orders.push_back(order);
    std::reverse(order.begin(), order.end());
    orders.push_back(order);
    return orders;
}

BlockPlan project(const BlockPlan& coarse, const std::vector<Index>& cluster_of) {
    BlockPlan fine{std::vector<Index>(cluster_of.size()), coarse.node_of};
    for (std::size_t op = 0; op < cluster_of.size(); ++op) fine.part_of[op] = coarse.part_of[cluster_of[op]];
    return fine;
}

/// Converts a plan of the finer level to a plan of the level's clusters, the reverse of project(). Empty if a cluster
/// would be in several parts.
std::optional<BlockPlan> lift(const BlockPlan& fine, const Level& level) {
    BlockPlan coarse{std::vector<Index>(level.problem.operators.size(), -1), fine.node_of};
    for (std::size_t op = 0; op < level.cluster_of.size(); ++op) {
        Index& part = coarse.part_of[level.cluster_of[op]];
        if (part >= 0 && part != fine.part_of[op]) return std::nullopt;
        part = fine.part_of[op];
    }
    return coarse;
}

double cluster_bound(const BlockProblem& problem) {
    double total = 0;
    for (const BlockOperator& op : problem.operators) total += op.seconds;
    return largest_cluster * total / static_cast<double>(problem.nodes.size());
}

/// Returns the levels from fine to coarse, without the problem itself.
std::vector<Level> hierarchy(const BlockProblem& problem, const BlockPlan* plan) {
    std::vector<Level> levels;
    const double bound = cluster_bound(problem);
    const BlockProblem* finest = &problem;
    std::optional<BlockPlan> here;
    if (plan != nullptr) here = *plan;
    while (finest->operators.size() > clusters_per_node * problem.nodes.size()) {
        auto level = coarsen(*finest, here ? &*here : nullptr, bound);
        if (!level) break;
        if (here) here = lift(*here, *level);
        levels.push_back(std::move(*level));
        finest = &levels.back().problem;
    }
    return levels;
}

/// Repeatedly coarsens within the parts of the plan and refines the plan on the way back, as long as this improves the
/// score.
BlockPlan improve(const BlockProblem& problem, BlockPlan plan) {
    plan = refine(problem, std::move(plan));
    for (int cycle = 0; cycle < most_cycles; ++cycle) {
        const BlockScore before = State(problem, plan).score();
        const std::vector<Level> levels = hierarchy(problem, &plan);
        std::vector<BlockPlan> lifted{plan};
        for (const Level& level : levels) lifted.push_back(*lift(lifted.back(), level));
        BlockPlan now = std::move(lifted.back());
        for (std::size_t i = levels.size(); i > 0; --i)
            now = project(refine(levels[i - 1].problem, std::move(now)), levels[i - 1].cluster_of);
        plan = refine(problem, std::move(now));
        if (!(State(problem, plan).score() < before)) break;
    }
    return plan;
}

/// Returns, for every operator, the lowest position in `nodes` at which it or an operator after it must run. A pinned
/// or sensitive operator must run on the first node that is allowed. Sorting by this key puts operators as early as
/// such an operator requires, and otherwise as late as possible.
std::vector<Index> pin_keys(const BlockProblem& problem, const std::vector<Index>& nodes) {
    const auto next = neighbours(problem, false);
    std::vector<Index> key(problem.operators.size(), static_cast<Index>(nodes.size()));
    for (std::size_t op = key.size(); op-- > 0;) {  // operators are in topological order
        const BlockOperator& described = problem.operators[op];
        if (described.pin != any_node || described.sensitive)
            key[op] = static_cast<Index>(std::find_if(nodes.begin(), nodes.end(),
                                                      [&](Index node) { return may_run(problem, described, node); }) -
                                         nodes.begin());
        for (const Index follower : next[op]) key[op] = std::min(key[op], key[follower]);
    }
    return key;
}

/// Cuts the coarsest graph along topological orders for several orders of the nodes. Returns the best plans, best
/// first.
std::vector<BlockPlan> coarse_starts(const BlockProblem& problem) {
    const std::vector<Index> by_number = topological_order(problem), by_branch = topological_order(problem, false);
    const bool bound = std::any_of(problem.operators.begin(), problem.operators.end(),
                                   [](const BlockOperator& op) { return op.pin != any_node || op.sensitive; });
    std::vector<std::pair<BlockScore, BlockPlan>> found;
    const auto try_cut = [&](const std::vector<Index>& order, const std::vector<Index>& nodes, bool strict) {
        auto plan = cut_order(problem, order, nodes, strict);
        if (!plan) return;
        const BlockScore cost = State(problem, *plan).score();
        found.emplace_back(cost, std::move(*plan));
    };
    for (const bool strict : {true, false}) {
        for (const auto& nodes : node_orders(problem)) {
            try_cut(by_number, nodes, strict);
            try_cut(by_branch, nodes, strict);
            if (bound) try_cut(topological_order(problem, true, pin_keys(problem, nodes)), nodes, strict);
        }
        if (!found.empty()) break;
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<BlockPlan> best;
    for (std::size_t i = 0; i < std::min(found.size(), carried_starts); ++i) best.push_back(std::move(found[i].second));
    return best;
}

Result<void> check_problem(const BlockProblem& problem) {
    const auto nodes = static_cast<Index>(problem.nodes.size());
    std::map<Index, std::size_t> pinned;  // the first pinned operator of each group
    for (std::size_t i = 0; i < problem.operators.size(); ++i) {
        const BlockOperator& op = problem.operators[i];
        if (op.pin < any_node || op.pin >= nodes)
            return make_error(error_text("operator-pinned-to-no-node"), "operator " + std::to_string(i),
                              {std::to_string(op.pin), std::to_string(nodes)});
        if (op.together < 0 || op.pin == any_node) continue;
        const std::size_t first = pinned.emplace(op.together, i).first->second;
        if (problem.operators[first].pin != op.pin)
            return make_error(error_text("group-pinned-apart"), "operator " + std::to_string(i),
                              {std::to_string(first)});
    }
    return {};
}

}  // namespace

BlockScore score(const BlockProblem& problem, const BlockPlan& plan) {
    BlockScore result = State(problem, plan).score();
    std::vector<std::pair<Index, Index>> seen;  // group, part
    for (std::size_t op = 0; op < problem.operators.size(); ++op)
        if (problem.operators[op].together >= 0) seen.emplace_back(problem.operators[op].together, plan.part_of[op]);
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (std::size_t i = 1; i < seen.size(); ++i) result.violations += seen[i].first == seen[i - 1].first ? 1 : 0;
    return result;
}

Result<BlockPlan> block_segmentation(const BlockProblem& problem, const std::vector<BlockPlan>& starts) {
    DIVISI_TRY(check_problem(problem));
    const auto grouped = contract(problem, close_groups(problem));
    if (!grouped || problem.nodes.empty())
        return make_error(grouped ? error_text("no-nodes-for-blocks") : error_text("operators-form-cycle"),
                          "block segmentation");
    const BlockProblem& whole = grouped->problem;
    std::vector<BlockPlan> plans;
    for (const BlockPlan& start : starts)
        if (auto lifted = lift(start, *grouped)) plans.push_back(improve(whole, std::move(*lifted)));
    const std::vector<Level> levels = hierarchy(whole, nullptr);
    for (BlockPlan& start : coarse_starts(levels.empty() ? whole : levels.back().problem)) {
        BlockPlan plan = std::move(start);
        for (std::size_t i = levels.size(); i > 0; --i)
            plan = project(refine(levels[i - 1].problem, std::move(plan)), levels[i - 1].cluster_of);
        plans.push_back(improve(whole, std::move(plan)));
    }
    std::optional<std::pair<BlockScore, BlockPlan>> best;
    for (BlockPlan& plan : plans) {
        const BlockScore cost = State(whole, plan).score();
        if (!best || cost < best->first) best.emplace(cost, std::move(plan));
    }
    if (!best || best->first.violations > 0)
        return make_error(error_text("no-partition-keeps-rules"), "block segmentation");
    if (best->first.excess_bytes > 0) return make_error(error_text("no-partition-fits-memory"), "block segmentation");
    return project(best->second, grouped->cluster_of);
}

}  // namespace divisi::search
