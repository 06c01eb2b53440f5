// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// For each weight the cheapest of all boundaries of a graph, however many they are. Goes through the nodes in an
/// order that keeps few values open at a time (a path decomposition) and remembers only what the open ones say about
/// the nodes to come, with the least crossing by weight: a dynamic program as for knapsacks. Weights are in
/// units, so that a boundary can weigh a little less or more than is counted.
class Frontier {
public:
    /// Quadratic in the nodes.
    explicit Frontier(const StageGraph& graph);

    /// Which boundaries are looked through.
    struct Range {
        std::vector<bool>
            before;           ///< nodes that are before the boundary, with all that they depend on; none when empty
        Ticks most_work = 0;  ///< before the boundary
        Ticks most_crossing = 0;
    };

    /// The answer.
    class Table {
    public:
        /// Least crossing of a boundary of so many units; more than Range::most_crossing when there is none. True
        /// costs are not below it.
        Ticks crossing(std::int32_t weight) const;
        std::int32_t size() const { return static_cast<std::int32_t>(least_.size()); }  ///< weights are below
        /// The nodes before a boundary of that weight and crossing; only of a table that was traced.
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
        struct Layer {  ///< the states after a node
            std::vector<std::int32_t> first;
            std::vector<std::vector<Cost>> costs;
            std::vector<std::vector<Step>> steps;
        };
        const Frontier* frontier_ = nullptr;
        Ticks most_crossing_ = 0;
        std::vector<bool> before_;
        std::int32_t start_ = 0;  ///< their weight
        std::vector<Cost> least_;
        std::vector<Layer> layers_;
    };

    /// Nothing when `visits` (of one weight in one state, 300 million a second) do not suffice, or some 200 MB; what
    /// was visited is taken off. A traced table can give its boundaries, and must not outlive the frontier.
    std::optional<Table> look(const Range& range, bool traced, std::size_t& visits) const;

    Ticks total_work() const { return graph_.total_work(); }
    Ticks unit() const { return unit_; }
    /// By how much the work before a boundary can be above (below) its weight in units.
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
