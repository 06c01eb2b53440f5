// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/model/documents/graph_document.h"

namespace divisi::model {

/// Returns how many bytes of snapshots the nodes lack for the stages of `after`, if the task now trains by the stages
/// of `before`. Counts the parts of the newest checkpoint whose operators move, in proportion to their share of the
/// stage's weights. Each new stage is assumed on the node of the old stage with most of its operators
/// (control::place_next_plan). Empty while the plan in force has no checkpoint.
std::optional<Bytes> bytes_to_bring(const LoadedModel& model, const control::ClusterState& state,
                                    const control::TaskView& task, const Cuts& before, const Cuts& after);

/// Returns how long training paused when the task last continued in a new generation after a fault. Like the pause of a
/// re-cut, this includes stopping, loading, restoring and starting. Empty if no such pause was observed.
std::optional<double> last_restart_ms(const control::Incidents& incidents, const TaskId& task);

}  // namespace divisi::model
