// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <memory>

#include "app/client/span_book.h"
#include "app/model/spans.h"

namespace divisi::model {

/// One step as the instances of a task measured it, on one axis.
struct LiveStep {
    Timeline timeline;           ///< of this one step; by the orchestrator's clock
    std::size_t machines = 0;    ///< whose clocks were compared
    std::uint64_t left_out = 0;  ///< operations that found no room in their reports
    Generation generation = 1;   ///< of the plan that it ran by
};

/// `programs`: of the plan that the step ran by; used where they have as many stages as have reported (make_timeline).
/// Instances of one machine stand exactly to each other; those of two as the orchestrator compared the clocks.
LiveStep live_step(const client::MeasuredStep& step, const plan::Programs* programs);

/// What is to be said beside it: whether it ran by the plan in force, which began with generation `plan_since`, how
/// exact it is, and what is missing; empty where there is nothing. `lost`: reports that did not arrive.
QString live_note(const LiveStep& step, std::uint64_t lost, Generation plan_since = 1);

}  // namespace divisi::model
