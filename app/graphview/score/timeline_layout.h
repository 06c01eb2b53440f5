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

/// A branch of the model: operators each of which reads the output of the previous one. The branch occupies its lane
/// until its output is read for the last time.
struct ScoreChain {
    graph::NodeIndex first = 0, last = 0;    ///< first and last operator; operators of other chains may be between them
    graph::NodeIndex until = 0;              ///< the last operator that reads the chain's output; `last` if none does
    graph::NodeIndex from = graph::no_node;  ///< the operator from which the chain branches off; no_node: the chain
                                             ///< starts with the data
    std::int32_t lane = 0;
};

/// The model as a score: operators in canonical order from left to right, each as wide as its price, with branches in
/// lanes and scopes as spans. A price is any quantity measured along the axis, and positions are sums of prices.
///
/// Independent of pixels and widgets. The caller passes the width of a pixel, and gets at most one run per pixel column
/// and lane. Runs are found by binary search.
class TimelineLayout {
public:
    TimelineLayout() = default;
    /// Computes lanes and scopes in time linear in operators and edges, except for the search of a free lane. All
    /// prices are 1.
    explicit TimelineLayout(const model::LoadedModel& model);

    /// Sets one non-negative price per operator. If all prices are 0, they count as 1, so that the operators are
    /// visible. Linear time.
    void set_prices(const std::vector<double>& prices);

    std::int32_t count() const { return static_cast<std::int32_t>(lane_.size()); }
    double total() const { return prefix_.empty() ? 0 : prefix_.back(); }
    double start(graph::NodeIndex node) const { return prefix_[static_cast<std::size_t>(node)]; }
    double end(graph::NodeIndex node) const { return prefix_[static_cast<std::size_t>(node) + 1]; }
    /// Returns the position of a cut after that operator.
    double cut_at(graph::NodeIndex after) const { return end(after); }
    /// Returns the operator whose span contains the position. Beyond an end, returns the first or the last operator.
    /// Ignores operators without a price. Returns -1 if there are no operators. Binary search.
    graph::NodeIndex node_at(double at) const;
    /// Returns the index into CutList::legal of the cut nearest to a position; -1 if there are no cuts. If several cuts
    /// are equally near, returns the first of them. Binary search.
    std::int32_t nearest_cut(double at) const;

    std::int32_t lanes() const { return static_cast<std::int32_t>(lane_nodes_.size()); }
    std::int32_t lane(graph::NodeIndex node) const { return lane_[static_cast<std::size_t>(node)]; }
    const std::vector<ScoreChain>& chains() const { return chains_; }
    /// Returns the span from the start of a chain's first operator to the start of the last reader of its output.
    std::pair<double, double> span(const ScoreChain& chain) const;
    /// Returns the chains of a lane that touch `from` to `to` and are wider than `pixel`.
    std::vector<const ScoreChain*> chains_between(std::int32_t lane, double from, double to, double pixel) const;

    /// Returns the runs of a lane that are visible between `from` and `to`. A pixel column is `pixel` wide, and the
    /// first one starts at `from`. Operators narrower than a column are merged with others that start in the same
    /// column.
    std::vector<ScoreRun> operators(std::int32_t lane, double from, double to, double pixel) const;
    /// Returns the operators of a run, ascending.
    std::span<const graph::NodeIndex> nodes_of(std::int32_t lane, const ScoreRun& run) const;
    /// Returns the number of nesting depths whose scopes are shown.
    std::int32_t depths() const { return static_cast<std::int32_t>(scopes_.size()); }
    /// Returns the visible runs of scopes at a nesting depth; the outermost depth is 0.
    std::vector<ScoreRun> scopes(std::int32_t depth, double from, double to, double pixel) const;

private:
    struct Span {
        std::int32_t first, last;  ///< first and last operator of the scope
        std::int32_t block;
    };

    void find_chains(const model::LoadedModel& model);
    void assign_lanes();
    void find_scopes(const model::LoadedModel& model);

    std::vector<double> prefix_;  ///< prefix_[i] is the start of operator i
    std::vector<std::int32_t> lane_;
    std::vector<graph::NodeIndex> legal_;
    std::vector<ScoreChain> chains_;  ///< ordered by first operator
    std::vector<std::int32_t> chain_of_;
    std::vector<std::vector<graph::NodeIndex>> lane_nodes_;  ///< operators of each lane, ascending
    std::vector<std::vector<double>> lane_sums_;             ///< for each lane, prefix sums of the prices of its
                                                             ///< operators
    std::vector<std::vector<std::int32_t>> lane_chains_;  ///< chains of each lane; they overlap only in the last lane
    std::vector<std::vector<Span>> scopes_;  ///< spans of scopes by depth, ascending; spans of one depth do not overlap
};

}  // namespace divisi::graphview
