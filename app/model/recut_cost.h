// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/model/graph_document.h"

namespace divisi::model {

/// Bytes of snapshots that nodes lack for the stages of `after`, where the task trains by the stages of `before`: of
/// its newest checkpoint what belongs to operators that move, in the share that they have of their stage's weights, and
/// with each stage on the node of the old stage that has most of its operators (control::place_next_plan). Empty while
/// the plan in force has no checkpoint.
std::optional<Bytes> bytes_to_bring(const LoadedModel& model, const control::ClusterState& state,
                                    const control::TaskView& task, const Cuts& before, const Cuts& after);

/// For how long nothing was trained when the task last went on as another generation after a fault: it is stopped,
/// loaded, restored and begun as in a re-cut. Empty while that was not seen.
std::optional<double> last_restart_ms(const control::Incidents& incidents, const TaskId& task);

}  // namespace divisi::model
