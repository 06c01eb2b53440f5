// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/model/documents/graph_document.h"

namespace divisi::model {

/// Estimates how many bytes of the newest checkpoint must be transferred before the task can continue with the stages
/// of `after` instead of `before`. Bytes are in proportion to weights. A new stage is assumed to run on the node of the
/// old stage with most of its operators (control::place_next_plan). If an earlier new stage has this node, all bytes of
/// the stage count. Empty while the current plan has no checkpoint.
std::optional<Bytes> bytes_to_bring(const LoadedModel& model, const control::ClusterState& state,
                                    const control::TaskView& task, const Cuts& before, const Cuts& after);

/// Returns how long training paused when the task last continued in a new generation after a fault. Like the pause of a
/// re-cut, this includes stopping, loading, restoring and starting. Empty if no such pause was observed.
std::optional<double> last_restart_ms(const control::Incidents& incidents, const TaskId& task);

}  // namespace divisi::model
