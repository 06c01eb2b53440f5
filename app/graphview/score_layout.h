// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/model/loaded_model.h"

namespace divisi::graphview {

/// What is drawn as one: an operator or a scope, or several that are narrower than a column of pixels together.
struct ScoreRun {
    double start = 0, end = 0;  ///< on the axis
    std::int32_t first = 0;     ///< the first of them: an operator, or a block of the BlockTree
    std::int32_t count = 1;
    double density = 1;  ///< how much of start to end they take, 0 to 1
};

/// Operators that follow each other, each made from the one before: one branch of the model. It keeps its lane until
/// what it makes is read for the last time.
struct ScoreChain {
    graph::NodeIndex first = 0, last = 0;    ///< operators; those of other chains may lie between them
    graph::NodeIndex until = 0;              ///< the last operator that reads what it makes; `last` where nothing does
    graph::NodeIndex from = graph::no_node;  ///< the operator that it branches off; no_node: it begins with the data
    std::int32_t lane = 0;
};

/// The model as a score: operators in canonical order from left to right, each as wide as its price; branches in
/// lanes, scopes as spans. Prices are whatever is measured along the axis; positions are sums of prices. Knows no
/// pixels and no widget: who draws says how wide a pixel is, and gets what there is to draw, at most one run a pixel
/// column and lane, found by binary search.
class ScoreLayout {
public:
    ScoreLayout() = default;
    /// Lanes and scopes: linear in operators and edges, but for the search of a free lane. All prices are 1.
    explicit ScoreLayout(const model::LoadedModel& model);

    /// One price an operator, not negative. All 0 counts as all 1, so that there is something to see. Linear time.
    void set_prices(const std::vector<double>& prices);

    std::int32_t count() const { return static_cast<std::int32_t>(lane_.size()); }
    double total() const { return prefix_.empty() ? 0 : prefix_.back(); }
    double start(graph::NodeIndex node) const { return prefix_[static_cast<std::size_t>(node)]; }
    double end(graph::NodeIndex node) const { return prefix_[static_cast<std::size_t>(node) + 1]; }
    /// Where a cut after that operator stands.
    double cut_at(graph::NodeIndex after) const { return end(after); }
    /// The operator at a place of the axis: the one with a price whose span has it, the first or last beyond the ends;
    /// -1 without operators. Binary search.
    graph::NodeIndex node_at(double at) const;
    /// Index into CutList::legal of the cut nearest to a place, the first of several; -1 where there is none. Binary
    /// search.
    std::int32_t nearest_cut(double at) const;

    std::int32_t lanes() const { return static_cast<std::int32_t>(lane_nodes_.size()); }
    std::int32_t lane(graph::NodeIndex node) const { return lane_[static_cast<std::size_t>(node)]; }
    const std::vector<ScoreChain>& chains() const { return chains_; }
    /// From where its first operator begins to where the last reader of its value does.
    std::pair<double, double> span(const ScoreChain& chain) const;
    /// Chains of a lane that touch `from` to `to`, wider than `pixel`.
    std::vector<const ScoreChain*> chains_between(std::int32_t lane, double from, double to, double pixel) const;

    /// What shows of a lane between `from` and `to`, where a column of pixels is `pixel` wide and one begins at `from`.
    /// Operators narrower than a column are merged with those that begin in the same one.
    std::vector<ScoreRun> operators(std::int32_t lane, double from, double to, double pixel) const;
    /// The operators of one of them, ascending.
    std::span<const graph::NodeIndex> nodes_of(std::int32_t lane, const ScoreRun& run) const;
    /// How deep scopes lie in each other.
    std::int32_t depths() const { return static_cast<std::int32_t>(scopes_.size()); }
    /// The same for the scopes at a depth, the outermost at 0.
    std::vector<ScoreRun> scopes(std::int32_t depth, double from, double to, double pixel) const;

private:
    struct Span {
        std::int32_t first, last;  ///< operators
        std::int32_t block;
    };

    void find_chains(const model::LoadedModel& model);
    void assign_lanes();
    void find_scopes(const model::LoadedModel& model);

    std::vector<double> prefix_;  ///< prefix_[i]: where operator i begins
    std::vector<std::int32_t> lane_;
    std::vector<graph::NodeIndex> legal_;
    std::vector<ScoreChain> chains_;  ///< by their first operators
    std::vector<std::int32_t> chain_of_;
    std::vector<std::vector<graph::NodeIndex>> lane_nodes_;  ///< by lane, ascending
    std::vector<std::vector<double>> lane_sums_;             ///< by lane: sums of their prices
    std::vector<std::vector<std::int32_t>> lane_chains_;     ///< by lane; they do not overlap but in the last
    std::vector<std::vector<Span>> scopes_;                  ///< by depth, ascending; they do not overlap
};

}  // namespace divisi::graphview
