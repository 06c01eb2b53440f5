// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/model/graph_document.h"
#include "app/model/operator_times.h"
#include "app/model/priced_task.h"
#include "backend/price/landscape.h"

namespace divisi::model {

/// What the views want to know of a division: of `task.spec` batch, loss, optimizer and schedule count, not its cuts.
struct PriceQuestion {
    TaskToPrice task;
    Cuts cuts;
    std::optional<Painting> painting = {};  ///< instead of cuts
    int moving = -1;                        ///< cut whose landscape is wanted, -1 for none
    std::int32_t probe = -1;  ///< legal position of that cut which is wanted by full simulation too, -1 for none
};

/// The answer. Where there is none, `problem` says why and what to do.
struct Prices {
    ModelPtr model;
    Cuts cuts;
    std::optional<Painting> painting;    ///< instead of cuts
    std::vector<std::int32_t> stage_of;  ///< painted: by segment, the stage that it runs as; -1 for an empty one
    QString problem;
    price::Prediction prediction;
    price::Placement placement;
    int moving = -1;
    std::optional<price::Landscape> landscape;
    std::int32_t probe = -1;  ///< legal position of that cut, where it could lie
    double probe_ms = 0;      ///< step time there, by full simulation
    /// With a landscape, by legal position: why the cut cannot lie there, as price::explain() says it in English.
    std::vector<QString> obstacles;
    /// Of every operator where it runs; the same object while nothing of it changes. Null where a device has no price.
    std::shared_ptr<const OperatorTimes> times;

    bool ok() const { return problem.isEmpty(); }
    /// Whether they are of this division, and not of one shown before.
    bool are_of(const Split& split) const { return cuts == split.cuts && painting == split.painting; }
    /// The stage that a segment runs as, both from 0; -1 where it does not run.
    std::int32_t stage(std::size_t segment) const {
        if (!painting) return static_cast<std::int32_t>(segment);
        return segment < stage_of.size() ? stage_of[segment] : -1;
    }
    /// One of `obstacles` in the program's language; empty where the cut can lie.
    QString obstacle(std::int32_t legal) const;
};

/// Prices painted segments as compile() makes them, so that the price is that of what would run. `training` is the
/// model with its loss. Fails where the segments wait for each other, and as compile() does.
Result<void> price_painting(const PriceQuestion& question, const plan::TrainingGraph& training,
                            const price::TrainingSetup& setup, Prices& prices);

/// Answers price questions one after the other; keeps what they have in common (the loss, the operators' prices).
/// Slow where the model or the task is new. Not thread-safe.
class Pricer {
public:
    Prices answer(const PriceQuestion& question);

private:
    Result<void> add_landscape(const PriceQuestion& question, Prices& prices);
    void add_times(const PriceQuestion& question, Prices& prices);

    std::unique_ptr<PricedTask> kept_;
    std::shared_ptr<const OperatorTimes> times_;  ///< of `timed_`
    struct Timed {
        ModelPtr model;
        std::string task;
        std::vector<std::shared_ptr<const price::DeviceProfile>> devices;  ///< by operator's stage, one where all equal
        Cuts cuts;                                                         ///< where devices differ
        std::optional<Painting> painting;                                  ///< likewise
        bool operator==(const Timed&) const = default;
    };
    Timed timed_;
};

}  // namespace divisi::model
