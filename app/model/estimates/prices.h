// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/model/documents/graph_document.h"
#include "app/model/estimates/figures.h"
#include "app/model/estimates/priced_task.h"
#include "backend/price/landscape.h"

namespace divisi::model {

/// A question for the prices of a split. Its cuts or painting replace the division in `task.spec`, whose batch, loss,
/// optimizer and schedule apply.
struct PriceQuestion {
    TaskToPrice task;
    Cuts cuts;
    std::optional<Painting> painting = {};  ///< if set, replaces the cuts
    int moving = -1;                        ///< cut whose landscape is requested; -1 for none
    std::int32_t probe = -1;                ///< legal position of cut `moving` that is also fully simulated; -1: none
};

/// The answer. If there is no price, `problem` says why and what to do.
struct Prices {
    ModelPtr model;
    Cuts cuts;
    std::optional<Painting> painting;    ///< if set, replaces the cuts
    std::vector<std::int32_t> stage_of;  ///< for a painting: the stage of each segment; -1 for an empty one
    QString problem;
    price::Prediction prediction;
    price::Placement placement;
    int moving = -1;
    std::optional<price::Landscape> landscape;
    std::int32_t probe = -1;  ///< fully simulated legal position of the cut `moving`; -1: none
    double probe_ms = 0;      ///< fully simulated step time with the cut at `probe`
    /// If there is a landscape: for each legal position, the reason why the cut cannot be at this position, in the
    /// English of price::explain().
    std::vector<QString> obstacles;
    /// Times of every operator on its device. The pointer stays the same as long as nothing changes. Null if a device
    /// has no price.
    std::shared_ptr<const OperatorTimes> times;

    bool ok() const { return problem.isEmpty(); }
    /// Returns whether the prices belong to this division rather than to an earlier one.
    bool are_of(const Split& split) const { return cuts == split.cuts && painting == split.painting; }
    /// Returns the stage of a segment, both from 0; -1 if it does not run.
    std::int32_t stage(std::size_t segment) const {
        if (!painting) return static_cast<std::int32_t>(segment);
        return segment < stage_of.size() ? stage_of[segment] : -1;
    }
    /// Returns an element of `obstacles` in the program's language; empty if the cut can be at the position.
    QString obstacle(std::int32_t legal) const;
};

/// Prices painted segments in the plan to which compile() would convert them. `training` is the model with its loss.
/// Fails as compile() does. If segments wait for each other, does not fail but sets `prices.problem`.
Result<void> price_painting(const PriceQuestion& question, const plan::TrainingGraph& training,
                            const price::TrainingSetup& setup, Prices& prices);

/// Answers price questions one after another. Keeps the data that all questions share: the loss and the prices of the
/// operators. Slow for a new model or task. Not thread-safe.
class Pricer {
public:
    Prices answer(const PriceQuestion& question);

private:
    Result<void> add_landscape(const PriceQuestion& question, Prices& prices);
    void add_times(const PriceQuestion& question, Prices& prices);

    std::unique_ptr<PricedTask> kept_;
    std::shared_ptr<const OperatorTimes> times_;  ///< times for `timed_`
    struct Timed {
        ModelPtr model;
        std::string task;
        /// device of each stage; a single entry if all are equal
        std::vector<std::shared_ptr<const price::DeviceProfile>> devices;
        Cuts cuts;                         ///< set only if the devices of stages differ
        std::optional<Painting> painting;  ///< set only if the devices of stages differ
        bool operator==(const Timed&) const = default;
    };
    Timed timed_;
};

}  // namespace divisi::model
