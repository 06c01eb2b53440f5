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

/// The values of one figure at every candidate position of a moving cut.
class Series {
public:
    explicit Series(std::size_t columns) : values_(columns + 1) {}

    /// Adds `amount` to the columns first <= k < last. Call only before sum().
    void add(std::size_t first, std::size_t last, double amount) {
        values_[first] += amount;
        values_[last] -= amount;
    }
    /// Turns the accumulated differences into values.
    void sum();
    double operator[](std::size_t column) const { return values_[column]; }

private:
    std::vector<double> values_;
};

/// The cost of a plan by cuts while one of its cuts moves between its neighbours. Contains all figures that
/// price_plan() would compute at each position; one sweep over the graph computes them for all positions. Values are
/// relayed and weights are shared as in make_partition().
struct CutSeries {
    using Ends = std::pair<std::int32_t, std::int32_t>;  ///< pair of stages (from, to)

    struct Hop {
        explicit Hop(std::size_t columns)
            : occupancy(columns), relayed(columns), relayed_squares(columns), tensors(columns) {}
        Series occupancy;  ///< seconds of link time
        Series relayed;    ///< seconds by which devices on the path increase the latency, summed over tensors
        Series relayed_squares;
        Series tensors;  ///< number of tensors; 0: the hop is unused
        /// Returns the time that devices on the path add to the latency of all tensors together. The result is close to
        /// the time that they add for the largest tensor alone. Clamping keeps rounding errors of empty sums near zero.
        double relays_add(std::size_t column) const {
            const double all = relayed[column];
            return all > 0 ? std::clamp(relayed_squares[column] / all, 0.0, all) : 0;
        }
    };

    std::int32_t left = 0, right = 1;  ///< the stages on both sides of the moving cut
    std::int32_t first_legal = 0;      ///< index into CutList::legal of column 0
    std::size_t columns = 0;

    std::vector<StageSeconds> fixed;              ///< times per stage; unused for the stages `left` and `right`
    std::vector<StageSeconds> at_left, at_right;  ///< times per column
    std::map<Ends, Hop> hops;                     ///< for one micro-batch; from > to for gradients
    std::vector<Series> fed;         ///< per stage: seconds on the link from the data unit, for one micro-batch
    std::map<Ends, Hop> shared;      ///< gradients of shared weights, once per step
    std::vector<Series> trainable;   ///< bytes, per stage
    std::vector<Series> parameters;  ///< bytes, per stage
    std::vector<Series> inputs;      ///< per stage: bytes that arrive for a micro-batch
    std::vector<double> activations_left, activations_right;  ///< per column: bytes for one micro-batch
};

/// The cuts of a plan, and the index of the moving cut.
struct MovingCut {
    const graph::CutList& cuts;     ///< legal cuts of the model
    const plan::CutChoice& choice;  ///< ascending indices into cuts.legal
    std::int32_t moving = 0;        ///< position in `choice`
};

/// Computes the series in O(nodes + edges + positions * stages). Fails as Pricing::on() does.
Result<CutSeries> make_cut_series(Pricing& pricing, const MovingCut& cut, const Placement& placement,
                                  const TrainingSetup& setup);

}  // namespace divisi::price
