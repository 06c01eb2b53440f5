// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <memory>

#include "app/client/span_book.h"
#include "app/model/tracking/spans.h"

namespace divisi::model {

/// One step on a single axis, as the instances of a task measured it.
struct LiveStep {
    Timeline timeline;           ///< of this step only, by the orchestrator's clock
    std::size_t machines = 0;    ///< number of machines whose clocks were compared
    std::uint64_t left_out = 0;  ///< operations that did not fit into their reports
    Generation generation = 1;   ///< generation of the plan the step ran by
};

/// Builds the step. `programs` belong to the plan it ran by, and are used if they have as many stages as have reported
/// (make_timeline). Times of instances on one machine are exact relative to each other. Across machines they are as
/// exact as the orchestrator's comparison of the clocks.
LiveStep live_step(const client::MeasuredStep& step, const plan::Programs* programs);

/// Returns a note on the step; empty if there is nothing to say. Tells whether the step ran by the plan in force, which
/// began with generation `plan_since`, how exact the times are, and what is missing. `lost` is the number of lost
/// reports.
QString live_note(const LiveStep& step, std::uint64_t lost, Generation plan_since = 1);

}  // namespace divisi::model
