// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/graph_document.h"
#include "backend/plan/landscape.h"
#include "backend/plan/predict.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// Where a plan of so many stages would run.
using PlacementOf = std::function<plan::Placement(std::int32_t stages)>;

/// What the views want to know of a choice of cuts.
struct PriceQuestion {
    ModelPtr model;
    task::TaskSpec spec;  ///< batch, loss, optimizer, schedule; its own cuts do not count
    Cuts cuts;
    int moving = -1;            ///< cut whose landscape is wanted, -1 for none
    bool optimum = false;       ///< also the fastest plan of as many stages
    PlacementOf placement;      ///< called in the worker thread: must own what it reads
    std::uint64_t cluster = 0;  ///< changes with what `placement` would say
};

/// The answer. Where there is none, `problem` says why and what to do.
struct Prices {
    Cuts cuts;
    QString problem;
    plan::Prediction prediction;
    plan::Placement placement;
    int moving = -1;
    std::optional<plan::Landscape> landscape;
    std::vector<QString> obstacles;  ///< with a landscape: why the cut cannot lie there, by legal position
    std::optional<Cuts> optimum;     ///< the fastest plan found of as many stages
    double optimum_ms = 0;

    bool ok() const { return problem.isEmpty(); }
};

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
