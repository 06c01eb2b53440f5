// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/model/documents/loaded_model.h"

namespace divisi::graphview {

/// A unit of drawing: one operator or scope, or several that are together narrower than a pixel column.
struct ScoreRun {
    double start = 0, end = 0;  ///< positions on the axis
    std::int32_t first = 0;     ///< the first item: an operator, or a block of the BlockTree
    std::int32_t count = 1;
    double density = 1;  ///< share of the range from start to end that the items cover, from 0 to 1
};

/// A branch of the model: operators that each read the previous one's output. It keeps its lane until its output is
/// read for the last time.
struct ScoreChain {
    graph::NodeIndex first = 0, last = 0;  ///< first and last operator; operators of other chains may lie between them
    graph::NodeIndex until = 0;            ///< the last operator that reads the chain's output; `last` if none does
    graph::NodeIndex from = graph::no_node;  ///< the operator it branches off from; no_node: it starts with the data
    std::int32_t lane = 0;
};

/// The model as a score: operators in canonical order from left to right, each as wide as its price, with branches in
/// lanes and scopes as spans. A price is any quantity measured along the axis, and positions are sums of prices.
///
/// Knows neither pixels nor widgets. The caller states the width of a pixel and gets at most one run per pixel column
/// and lane, found by binary search.
class TimelineLayout {
public:
    TimelineLayout() = default;
    /// Computes lanes and scopes in time linear in operators and edges, except for the search of a free lane. All
    /// prices are 1.
    explicit TimelineLayout(const model::LoadedModel& model);

    /// Sets one non-negative price per operator. If all are 0, they count as 1, so that there is something to see.
    /// Linear time.
    void set_prices(const std::vector<double>& prices);

    std::int32_t count() const { return static_cast<std::int32_t>(lane_.size()); }
    double total() const { return prefix_.empty() ? 0 : prefix_.back(); }
    double start(graph::NodeIndex node) const { return prefix_[static_cast<std::size_t>(node)]; }
    double end(graph::NodeIndex node) const { return prefix_[static_cast<std::size_t>(node) + 1]; }
    /// Returns the position of a cut after that operator.
    double cut_at(graph::NodeIndex after) const { return end(after); }
    /// Returns the operator with a price whose span contains the position, or the first or last operator beyond the
    /// ends; -1 if there are no operators. Binary search.
    graph::NodeIndex node_at(double at) const;
    /// Returns the index into CutList::legal of the cut nearest to a position; -1 if there is none. If several cuts are
    /// equally near, returns the first of them. Binary search.
    std::int32_t nearest_cut(double at) const;

    std::int32_t lanes() const { return static_cast<std::int32_t>(lane_nodes_.size()); }
    std::int32_t lane(graph::NodeIndex node) const { return lane_[static_cast<std::size_t>(node)]; }
    const std::vector<ScoreChain>& chains() const { return chains_; }
    /// Returns the span from the start of a chain's first operator to the start of the last reader of its output.
    std::pair<double, double> span(const ScoreChain& chain) const;
    /// Returns the chains of a lane that touch `from` to `to` and are wider than `pixel`.
    std::vector<const ScoreChain*> chains_between(std::int32_t lane, double from, double to, double pixel) const;

    /// Returns what is visible of a lane between `from` and `to`. A pixel column is `pixel` wide, and the first one
    /// starts at `from`. Operators narrower than a column are merged with others that start in the same column.
    std::vector<ScoreRun> operators(std::int32_t lane, double from, double to, double pixel) const;
    /// Returns the operators of a run, ascending.
    std::span<const graph::NodeIndex> nodes_of(std::int32_t lane, const ScoreRun& run) const;
    /// Returns how deeply scopes are nested.
    std::int32_t depths() const { return static_cast<std::int32_t>(scopes_.size()); }
    /// Returns the same for the scopes at a depth, with the outermost at 0.
    std::vector<ScoreRun> scopes(std::int32_t depth, double from, double to, double pixel) const;

private:
    struct Span {
        std::int32_t first, last;  ///< operators of the scope
        std::int32_t block;
    };

    void find_chains(const model::LoadedModel& model);
    void assign_lanes();
    void find_scopes(const model::LoadedModel& model);

    std::vector<double> prefix_;  ///< prefix_[i] is where operator i starts
    std::vector<std::int32_t> lane_;
    std::vector<graph::NodeIndex> legal_;
    std::vector<ScoreChain> chains_;  ///< ordered by first operator
    std::vector<std::int32_t> chain_of_;
    std::vector<std::vector<graph::NodeIndex>> lane_nodes_;  ///< operators of each lane, ascending
    std::vector<std::vector<double>> lane_sums_;             ///< prefix sums of their prices, by lane
    std::vector<std::vector<std::int32_t>> lane_chains_;  ///< chains of each lane; they overlap only in the last lane
    std::vector<std::vector<Span>> scopes_;               ///< by depth, ascending; spans of one depth do not overlap
};

}  // namespace divisi::graphview
