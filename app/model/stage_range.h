// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "app/model/loaded_model.h"
#include "backend/control/state/state.h"

namespace divisi::model {

/// Operators of the canonical order, both inclusive.
struct OperatorRange {
    graph::NodeIndex first = 0, last = 0;
    bool operator==(const OperatorRange&) const = default;
};

/// What a stage computes where a model is cut at these legal positions (CutList::legal), ascending; none where there is
/// no such stage.
std::optional<OperatorRange> range_of_stage(const LoadedModel& model, const std::vector<std::int32_t>& cuts,
                                            std::int32_t stage);
/// The stage that computes all operators of a block; -1 where several do, or where these are no cuts
/// of the model.
std::int32_t stage_of_block(const LoadedModel& model, const std::vector<std::int32_t>& cuts, const Block& block);
/// The instance of a task that runs a stage, of replicas the first; empty where none does.
InstanceId instance_of_stage(const control::ClusterState& cluster, const TaskId& task, std::int32_t stage);
/// The block of that path, an operator's before a scope's; -1 where there is none.
std::int32_t block_of_path(const LoadedModel& model, const std::string& path);

}  // namespace divisi::model
