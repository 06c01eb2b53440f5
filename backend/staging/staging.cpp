// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/staging.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/staging/ideals.h"
#include "backend/staging/stage_bounds.h"
#include "backend/staging/stage_frontier.h"
#include "backend/staging/stage_graph.h"
#include "backend/staging/stage_search.h"
#include "backend/staging/stage_series.h"

namespace divisi::staging {
namespace {

constexpr double ms_per_second = 1000;
constexpr std::int32_t most_frontier_nodes = 7'000;      // ordering them takes one second
constexpr std::size_t most_table_visits = 300'000'000;   // takes one second
constexpr std::size_t most_series_visits = 600'000'000;  // takes two seconds

double work_ms(const ProfileNode& node) { return node.forward_ms + node.backward_ms; }

/// Returns the time to send the node's output across a boundary and its gradient back.
double crossing_ms(const ProfileNode& node, std::optional<double> bandwidth) {
    return bandwidth && node.activation_bytes > 0 ? 2 * node.activation_bytes / *bandwidth * ms_per_second : 0;
}

/// A profile with nodes numbered in topological order.
struct Ordered {
    StageGraph graph;
    std::vector<std::int32_t> node;  ///< position of each node in the profile
    StageScale scale;
};

Ordered order(const Profile& profile, std::optional<double> bandwidth) {
    std::vector<double> work, crossing;
    for (const ProfileNode& node : profile.nodes) {
        work.push_back(work_ms(node));
        crossing.push_back(crossing_ms(node, bandwidth));
    }
    const StageScale scale(work, crossing);
    StageGraph graph;
    graph.successors.resize(work.size());
    graph.predecessors.resize(work.size());
    for (const double ms : work) graph.work.push_back(scale.ticks(ms));
    for (const Profile::Edge& edge : profile.edges) {
        graph.successors[edge.from].push_back(edge.to);
        graph.predecessors[edge.to].push_back(edge.from);
    }
    for (std::int32_t node = 0; node < graph.size(); ++node)
        if (const Ticks cost = scale.ticks(crossing[node]); cost > 0 && !graph.successors[node].empty())
            graph.nets.push_back({node, graph.successors[node], cost});
    Contraction numbered = contract(graph, {});
    Ordered result{std::move(numbered.graph), std::vector<std::int32_t>(work.size()), scale};
    for (std::size_t i = 0; i < work.size(); ++i) result.node[numbered.group[i]] = static_cast<std::int32_t>(i);
    return result;
}

/// The state of the search: the best partition and bounds of the optimum.
struct Search {
    StageOf stage_of;
    Ticks upper = 0;  ///< bottleneck of stage_of
    Ticks lower = 0;
    std::size_t ideals = 0;
    bool too_many_ideals = false;

    void take(const StageGraph& graph, StageOf better) {
        stage_of = std::move(better);
        upper = bottleneck(graph, stage_of);
    }
};

/// Searches all ideals whose boundaries can improve the known partition. Returns false if there are too many ideals.
bool search_exactly(const StageGraph& graph, std::int32_t stages, Search& search) {
    const Contraction joined = join_inseparable(graph, search.upper - 1);
    const auto lattice = IdealLattice::enumerate(joined.graph);
    if (!lattice) return false;
    search.ideals = lattice->size();
    while (search.lower < search.upper) {
        const Ticks middle = search.lower + (search.upper - search.lower) / 2;
        const IdealLattice::Answer answer = lattice->fits(middle, stages);
        if (answer.feasible) search.take(graph, joined.expand(answer.stage_of));
        else search.lower = std::min(answer.next, search.upper);
    }
    return true;
}

/// Searches boundaries with a frontier. This requires that few values are open at a time; the number of ideals does not
/// matter.
void search_by_frontier(const StageGraph& graph, std::int32_t stages, Search& search) {
    const Contraction joined = join_inseparable(graph, search.upper - 1);
    if (joined.graph.size() > most_frontier_nodes) return;
    const Frontier frontier(joined.graph);
    std::size_t visits = most_table_visits;
    const auto table = frontier.search({{}, graph.total_work(), search.upper}, false, visits);
    if (!table) return;
    search.lower = least_of_series(frontier, *table, stages, search.lower, search.upper);
    visits = most_series_visits;
    const StageOf found = build_series(joined.graph, frontier, stages, search.lower, search.upper, visits);
    if (!found.empty()) search.take(graph, joined.expand(found));
}

Search find(const StageGraph& graph, std::int32_t stages) {
    Search search;
    search.take(graph, best_of_orders(graph, stages));
    search.lower = least_bottleneck(graph, stages, search.upper);
    if (search.lower == search.upper) return search;
    search.take(graph, improve_by_moves(graph, stages, search.stage_of));
    search.lower = std::min(search.lower, search.upper);
    if (search.lower == search.upper || search_exactly(graph, stages, search)) return search;
    const Ticks before = search.upper;
    search_by_frontier(graph, stages, search);
    search.take(graph, improve_by_lattices(graph, stages, search.stage_of, search.lower));
    search.too_many_ideals = search.lower < search.upper;
    // A better partition excludes more boundaries, so the number of remaining boundaries may be small enough.
    if (search.too_many_ideals && search.upper < before)
        search.too_many_ideals = !search_exactly(graph, stages, search);
    return search;
}

}  // namespace

double slowest_ms(const Profile& profile, const std::vector<std::vector<std::int32_t>>& stages,
                  std::optional<double> bandwidth) {
    std::vector<std::size_t> stage_of(profile.nodes.size(), 0), furthest(profile.nodes.size(), 0);
    double slowest = 0;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        double work = 0;
        for (const std::int32_t node : stages[stage]) {
            stage_of[node] = stage;
            work += work_ms(profile.nodes[node]);
        }
        slowest = std::max(slowest, work);
    }
    for (const Profile::Edge& edge : profile.edges)
        furthest[edge.from] = std::max(furthest[edge.from], stage_of[edge.to]);
    std::vector<double> crossing(stages.size(), 0);
    for (std::size_t node = 0; node < profile.nodes.size(); ++node)
        for (std::size_t boundary = stage_of[node]; boundary < furthest[node]; ++boundary)
            crossing[boundary] += crossing_ms(profile.nodes[node], bandwidth);
    for (const double ms : crossing) slowest = std::max(slowest, ms);
    return slowest;
}

Result<Staging> stage_profile(const Profile& profile, std::int64_t stages, std::optional<double> bandwidth) {
    if (stages < 1)
        return Error{ErrorCode::invalid_input, std::to_string(stages) + " stages are too few", "stages",
                     "use at least 1"};
    if (bandwidth && !(std::isfinite(*bandwidth) && *bandwidth > 0))
        return Error{ErrorCode::invalid_input, "is not finite and above 0", "bandwidth",
                     "give it in bytes/s, or leave it out where links are free"};
    if (profile.nodes.empty()) return Error{ErrorCode::invalid_input, "has no nodes", "profile", "give one node"};
    const Ordered ordered = order(profile, bandwidth);
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(stages, ordered.graph.size()));
    const Search search = find(ordered.graph, most);

    Staging result;
    result.stages.resize(most);
    for (std::int32_t i = 0; i < ordered.graph.size(); ++i)
        result.stages[search.stage_of[i]].push_back(ordered.node[i]);
    std::erase_if(result.stages, [](const auto& nodes) { return nodes.empty(); });
    result.objective_ms = slowest_ms(profile, result.stages, bandwidth);
    result.exact = search.lower >= search.upper;
    result.lower_bound_ms = result.objective_ms;
    if (!result.exact) result.lower_bound_ms = std::min(result.objective_ms, ordered.scale.ms(search.lower));
    result.ideals = search.ideals;
    result.too_many_ideals = search.too_many_ideals;
    return result;
}

}  // namespace divisi::staging
