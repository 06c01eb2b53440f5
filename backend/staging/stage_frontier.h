// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// Finds the cheapest boundary of a graph for each weight, which is the work before the boundary. Considers all
/// possible boundaries. Visits the nodes in an order that keeps few values open at a time (a path decomposition). The
/// states record only what the open values imply for the remaining nodes, and the least crossing cost per weight. This
/// is a dynamic program, as for the knapsack problem. Weights are in units, so a boundary's true weight may differ
/// slightly from the counted one.
class Frontier {
public:
    /// Prepares the search. Takes time quadratic in the number of nodes.
    explicit Frontier(const StageGraph& graph);

    /// The range of boundaries to search.
    struct Range {
        std::vector<bool> before;  ///< nodes that must be before the boundary, with all their dependencies; empty: none
        Ticks most_work = 0;       ///< limit for the work before the boundary
        Ticks most_crossing = 0;
    };

    /// The result of a search.
    class Table {
    public:
        /// Returns the least crossing cost of a boundary with this weight in units; more than Range::most_crossing if
        /// there is no such boundary. True costs are not lower.
        Ticks crossing(std::int32_t weight) const;
        /// Returns a number above all weights.
        std::int32_t size() const { return static_cast<std::int32_t>(least_.size()); }
        /// Returns the nodes before a boundary of this weight that costs crossing(weight). Requires a traced table.
        std::vector<bool> boundary(std::int32_t weight) const;

    private:
        friend class Frontier;
        friend class FrontierPass;
        using Cost = std::int32_t;
        struct Step {
            std::int32_t from = 0, weight = 0;
            Cost cost = 0;
            bool before = false, chosen = false;
        };
        struct Layer {  ///< the states after one node
            std::vector<std::int32_t> first;
            std::vector<std::vector<Cost>> costs;
            std::vector<std::vector<Step>> steps;
        };
        const Frontier* frontier_ = nullptr;
        Ticks most_crossing_ = 0;
        std::vector<bool> before_;
        std::int32_t start_ = 0;  ///< weight of the nodes in before_
        std::vector<Cost> least_;
        std::vector<Layer> layers_;
    };

    /// Returns the table of the range; nothing if `visits` or about 200 MB do not suffice. A visit is one weight in one
    /// state, and takes 1/300,000,000 s; `visits` is reduced by the used number. A traced table can return its
    /// boundaries. The table must not outlive the frontier.
    std::optional<Table> search(const Range& range, bool traced, std::size_t& visits) const;

    Ticks total_work() const { return graph_.total_work(); }
    Ticks unit() const { return unit_; }
    /// Return by how much the work before a boundary can exceed (fall below) its weight in units.
    Ticks most_above() const { return above_; }
    Ticks most_below() const { return below_; }
    std::int32_t units(Ticks work) const { return static_cast<std::int32_t>(work / unit_); }

private:
    friend class FrontierPass;
    const StageGraph& graph_;
    std::vector<std::vector<std::int32_t>> nets_from_, nets_to_;
    std::vector<std::int32_t> order_, weight_;
    Ticks unit_ = 1, above_ = 0, below_ = 0;
};

}  // namespace divisi::staging
