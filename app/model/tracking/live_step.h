// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <memory>

#include "app/client/span_book.h"
#include "app/model/tracking/spans.h"

namespace divisi::model {

/// One step as the instances of a task measured it, on a common time axis.
struct LiveStep {
    Timeline timeline;           ///< timeline of this step only, by the orchestrator's clock
    std::size_t machines = 0;    ///< number of machines whose clocks were compared
    std::uint64_t left_out = 0;  ///< number of operations that did not fit into their reports
    Generation generation = 1;   ///< generation of the plan under which the step ran
};

/// Builds the step. `programs` belong to the plan of the step, and are used if they have as many stages as have
/// reported (make_timeline). Times of instances on one machine can be compared exactly. Times on different machines can
/// be compared only as exactly as the orchestrator compares their clocks.
LiveStep live_step(const client::MeasuredStep& step, const plan::Programs* programs);

/// Returns a note on the step; empty if the step needs no note. Says whether the step ran under the current plan, which
/// began with generation `plan_since`, how exact the times are, and what is missing. `lost` is the number of lost
/// reports.
QString live_note(const LiveStep& step, std::uint64_t lost, Generation plan_since = 1);

}  // namespace divisi::model
