// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/segmentation.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace divisi::plan {

namespace {

double node_flops(const graph::NodeCost& cost) {
    return cost.forward_flops + cost.input_gradient_flops + cost.weight_gradient_flops;
}

/// Boundaries 0 (start), 1 .. legal (after each legal cut), legal + 1 (end), with the work before each of them
/// and the bytes that cross it.
struct Boundaries {
    std::vector<double> work;
    std::vector<double> bytes;
    std::size_t last() const { return work.size() - 1; }
    double between(std::size_t first, std::size_t second) const { return work[second] - work[first]; }
};

Boundaries find_boundaries(const graph::CutList& cuts, const graph::GraphCost& cost) {
    std::vector<double> at_home(cuts.home.size() + 1, 0.0);  // constant nodes count where they will run
    for (std::size_t node = 0; node < cuts.home.size(); ++node)
        at_home[static_cast<std::size_t>(cuts.home[node])] +=
            node_flops(cost.node(static_cast<graph::NodeIndex>(node)));
    Boundaries boundaries{{0.0}, {0.0}};
    double sum = 0.0;
    std::size_t next = 0;
    for (std::size_t node = 0; node < cuts.home.size(); ++node) {
        sum += at_home[node];
        if (next == cuts.legal.size() || cuts.legal[next] != static_cast<graph::NodeIndex>(node)) continue;
        const graph::CutPosition& position = cuts.positions[node];
        boundaries.work.push_back(sum);
        boundaries.bytes.push_back(static_cast<double>(position.forward_bytes + position.backward_bytes));
        ++next;
    }
    boundaries.work.push_back(std::max(sum, node_flops(cost.total())));  // with the loss, where `cost` has it
    boundaries.bytes.push_back(0.0);
    return boundaries;
}

/// The least possible largest segment. best[j]: for the boundaries up to j in k segments; as the first part
/// grows with the cut and the second shrinks, the best cut is where they meet.
double least_bottleneck(const Boundaries& b, std::size_t stages) {
    std::vector<double> best(b.work.size());
    for (std::size_t j = 0; j < best.size(); ++j) best[j] = b.between(0, j);
    for (std::size_t k = 2; k <= stages; ++k) {
        std::vector<double> next(best.size(), std::numeric_limits<double>::infinity());
        for (std::size_t j = k; j < best.size(); ++j) {
            std::size_t low = k - 1, high = j - 1;  // first cut where the first part is the larger
            while (low < high) {
                const std::size_t middle = (low + high) / 2;
                if (best[middle] >= b.between(middle, j)) high = middle;
                else low = middle + 1;
            }
            next[j] = std::max(best[low], b.between(low, j));
            if (low > k - 1) next[j] = std::min(next[j], std::max(best[low - 1], b.between(low - 1, j)));
        }
        best = std::move(next);
    }
    return best[b.last()];
}

/// Boundaries of the choice with the fewest crossing bytes among those with no segment above `limit`.
std::vector<std::size_t> fewest_bytes(const Boundaries& b, std::size_t stages, double limit) {
    constexpr double none = std::numeric_limits<double>::infinity();
    const std::size_t count = b.work.size();
    std::vector<double> best(count, none);
    best[0] = 0.0;
    std::vector<std::vector<std::size_t>> from(stages + 1, std::vector<std::size_t>(count, 0));
    for (std::size_t k = 1; k <= stages; ++k) {
        std::vector<double> next(count, none);
        std::deque<std::size_t> window;  // candidates for the previous boundary, cheapest first
        for (std::size_t j = 1; j < count; ++j) {
            while (!window.empty() && best[window.back()] > best[j - 1]) window.pop_back();
            window.push_back(j - 1);
            while (!window.empty() && b.between(window.front(), j) > limit) window.pop_front();
            if (window.empty() || best[window.front()] == none) continue;
            next[j] = best[window.front()] + b.bytes[j];
            from[k][j] = window.front();
        }
        best = std::move(next);
    }
    std::vector<std::size_t> chosen;
    for (std::size_t k = stages, j = b.last(); k > 1; --k) chosen.push_back(j = from[k][j]);
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
}

}  // namespace

Result<CutChoice> choose_cuts(const graph::Graph& graph, const graph::CutList& cuts,
                              const std::vector<std::string>& names_or_indices) {
    CutChoice choice;
    for (const std::string& text : names_or_indices) {
        DIVISI_ASSIGN(const std::int32_t index, graph::find_cut(graph, cuts, text));
        if (std::find(choice.begin(), choice.end(), index) != choice.end())
            return Error{ErrorCode::invalid_input,
                         "the cut after node '" + graph.nodes[cuts.legal[index]].name + "' is listed twice",
                         "cut '" + text + "'", "list each cut once"};
        choice.push_back(index);
    }
    if (choice.size() >= static_cast<std::size_t>(most_stages))
        return Error{ErrorCode::invalid_input, std::to_string(choice.size()) + " cuts are too many", "cuts",
                     "use at most " + std::to_string(most_stages - 1)};
    std::sort(choice.begin(), choice.end());
    return choice;
}

Result<CutChoice> equal_flops(const graph::Graph& graph, const graph::CutList& cuts, const graph::GraphCost& cost,
                              std::int64_t stages) {
    const auto legal = static_cast<std::int64_t>(cuts.legal.size());
    if (stages < 1 || stages > std::min(legal + 1, most_stages))
        return Error{ErrorCode::invalid_input,
                     "model '" + graph.name + "' cannot be cut into " + std::to_string(stages) + " stages; it has " +
                         std::to_string(legal) + " legal cuts",
                     "stages", "use 1 to " + std::to_string(std::min(legal + 1, most_stages)) + " stages"};
    const Boundaries boundaries = find_boundaries(cuts, cost);
    const auto count = static_cast<std::size_t>(stages);
    const double limit = least_bottleneck(boundaries, count) * (1 + equal_flops_slack);
    CutChoice choice;
    for (const std::size_t boundary : fewest_bytes(boundaries, count, limit))
        choice.push_back(static_cast<std::int32_t>(boundary) - 1);
    return choice;
}

double segment_flops(const graph::GraphCost& cost, const std::vector<graph::NodeIndex>& nodes) {
    double sum = 0.0;
    for (const graph::NodeIndex node : nodes) sum += node_flops(cost.node(node));
    return sum;
}

std::vector<std::string> cut_names(const graph::Graph& graph, const graph::CutList& cuts, const CutChoice& choice) {
    std::vector<std::string> names;
    for (const std::int32_t index : choice) names.push_back(graph.nodes[cuts.legal[index]].name);
    return names;
}

Result<std::vector<Segment>> segments_from_cuts(const graph::Graph& model, const graph::CutList& cuts,
                                                const CutChoice& choice, const graph::Graph& continued) {
    DIVISI_ASSIGN(const auto nodes, graph::segment_nodes(model, cuts, choice));
    std::vector<Segment> segments;
    for (const auto& segment : nodes) segments.push_back({segment});
    for (std::size_t node = model.nodes.size(); node < continued.nodes.size(); ++node)
        segments.back().nodes.push_back(static_cast<graph::NodeIndex>(node));
    return segments;
}

}  // namespace divisi::plan
