// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/plan/cut_choice.h"
#include "backend/price/predict.h"

namespace divisi::price {

/// One figure at every candidate position of a moving cut.
class Series {
public:
    explicit Series(std::size_t columns) : values_(columns + 1) {}

    /// Before sum(): adds to the columns first <= k < last.
    void add(std::size_t first, std::size_t last, double amount) {
        values_[first] += amount;
        values_[last] -= amount;
    }
    /// Turns what was added into the values.
    void sum();
    double operator[](std::size_t column) const { return values_[column]; }

private:
    std::vector<double> values_;
};

/// What a plan by cuts costs as one of its cuts moves between its neighbours: everything that price_plan() would
/// find at each position, found for all of them in one sweep over the graph. Values are relayed and weights shared
/// as make_partition() has it.
struct CutSeries {
    using Ends = std::pair<std::int32_t, std::int32_t>;  ///< (from, to), stages

    struct Hop {
        explicit Hop(std::size_t columns)
            : occupancy(columns), relayed(columns), relayed_squares(columns), tensors(columns) {}
        Series occupancy;  ///< s of the link
        Series relayed;    ///< s that devices on the way add to the latency of each tensor
        Series relayed_squares;
        Series tensors;  ///< 0: nothing goes this way
        /// What they add to that of all tensors together, about as much as to that of the largest. What rounding left
        /// of sums of nothing stays next to nothing.
        double relays_add(std::size_t column) const {
            const double all = relayed[column];
            return all > 0 ? std::clamp(relayed_squares[column] / all, 0.0, all) : 0;
        }
    };

    std::int32_t left = 0, right = 1;  ///< the stages on both sides of the moving cut
    std::int32_t first_legal = 0;      ///< index into CutList::legal of column 0
    std::size_t columns = 0;

    std::vector<StageSeconds> fixed;              ///< per stage; not of left and right
    std::vector<StageSeconds> at_left, at_right;  ///< per column
    std::map<Ends, Hop> hops;                     ///< of a micro-batch; gradients go from > to
    std::vector<Series> fed;                      ///< s of the link from the data unit, one micro-batch, per stage
    std::map<Ends, Hop> shared;                   ///< gradients of shared weights, once a step
    std::vector<Series> trainable;                ///< bytes, per stage
    std::vector<Series> parameters;               ///< bytes, per stage
    std::vector<Series> inputs;                   ///< bytes that arrive for a micro-batch, per stage
    std::vector<double> activations_left, activations_right;  ///< bytes of one micro-batch, per column
};

/// The cut in hand.
struct MovingCut {
    const graph::CutList& cuts;     ///< of the model
    const plan::CutChoice& choice;  ///< ascending indices into cuts.legal
    std::int32_t moving = 0;        ///< position in `choice`
};

/// O(nodes + edges + positions * stages). Fails as Pricing::on() does.
Result<CutSeries> make_cut_series(Pricing& pricing, const MovingCut& cut, const Placement& placement,
                                  const TrainingSetup& setup);

}  // namespace divisi::price
