// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "app/model/documents/loaded_model.h"
#include "backend/control/state/state.h"

namespace divisi::model {

/// A range of operators in canonical order, both ends inclusive.
struct OperatorRange {
    graph::NodeIndex first = 0, last = 0;
    bool operator==(const OperatorRange&) const = default;
};

/// Returns the operators of a stage. `cuts` are ascending indices into the model's CutList::legal. Empty if there is no
/// such stage.
std::optional<OperatorRange> range_of_stage(const LoadedModel& model, const std::vector<std::int32_t>& cuts,
                                            std::int32_t stage);
/// Returns the stage that computes all operators of a block; -1 if several stages compute them, or if `cuts` are not
/// cuts of the model.
std::int32_t stage_of_block(const LoadedModel& model, const std::vector<std::int32_t>& cuts, const Block& block);
/// Returns the instance of a task that runs a stage, the first instance if there are replicas; empty if no instance
/// runs it.
InstanceId instance_of_stage(const control::ClusterState& cluster, const TaskId& task, std::int32_t stage);
/// Returns the block with this path, preferring an operator over a scope; -1 if there is none.
std::int32_t block_of_path(const LoadedModel& model, const std::string& path);

}  // namespace divisi::model
