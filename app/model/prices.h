// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/graph_document.h"
#include "backend/plan/landscape.h"
#include "backend/plan/node_pool.h"
#include "backend/plan/predict.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// What the views want to know of a choice of cuts.
struct PriceQuestion {
    ModelPtr model;
    task::TaskSpec spec;  ///< batch, loss, optimizer, schedule; its own cuts do not count
    Cuts cuts;
    std::optional<Painting> painting;  ///< instead of cuts
    int moving = -1;                   ///< cut whose landscape is wanted, -1 for none
    bool optimum = false;              ///< also the fastest plan of as many stages
    plan::NodePool pool;               ///< where it would run
    std::uint64_t cluster = 0;         ///< changes with `pool`
};

/// The answer. Where there is none, `problem` says why and what to do.
struct Prices {
    Cuts cuts;
    std::optional<Painting> painting;    ///< instead of cuts
    std::vector<std::int32_t> stage_of;  ///< painted: by segment, the stage that it runs as; -1 for an empty one
    QString problem;
    plan::Prediction prediction;
    plan::Placement placement;
    int moving = -1;
    std::optional<plan::Landscape> landscape;
    std::vector<QString> obstacles;  ///< with a landscape: why the cut cannot lie there, by legal position
    std::optional<Cuts> optimum;     ///< the fastest plan found of as many stages
    double optimum_ms = 0;

    bool ok() const { return problem.isEmpty(); }
    /// Whether they are of this division, and not of one shown before.
    bool are_of(const Split& split) const { return cuts == split.cuts && painting == split.painting; }
    /// The stage that a segment runs as, both from 0; -1 where it does not run.
    std::int32_t stage(std::size_t segment) const {
        if (!painting) return static_cast<std::int32_t>(segment);
        return segment < stage_of.size() ? stage_of[segment] : -1;
    }
};

/// Prices painted segments as compile() makes them, so that the price is that of what would run. `training` is the
/// model with its loss. Fails where the segments wait for each other, and as compile() does.
Result<void> price_painting(const PriceQuestion& question, const plan::TrainingGraph& training,
                            const plan::TrainingSetup& setup, Prices& prices);

/// Answers price questions one after the other; keeps what they have in common (the loss, the operators' prices, the
/// optimum by number of stages). Slow where the model or the task is new. Not thread-safe.
class Pricer {
public:
    Pricer();
    ~Pricer();
    Prices answer(const PriceQuestion& question);

private:
    struct Kept;
    Result<Kept*> keep(const PriceQuestion& question);
    Result<void> find_optimum(const PriceQuestion& question, Kept& kept, Prices& prices);

    std::unique_ptr<Kept> kept_;
};

}  // namespace divisi::model
