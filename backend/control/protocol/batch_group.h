// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline protocol {

/// Names the skeleton of an imported model by its content, so that it can be checked when it is read again. Empty if
/// `bytes` is: models of the zoo have no skeleton.
std::string skeleton_name(const std::string& bytes);

// Batches of one submitter whose model, weights, cuts and input shapes are the same form a group: the processes of one
// can go on with the next (kept_processes.h). Each stays a task of its own, with its turn, its progress, its file, its
// receipts and its end.

/// The name of the group of a batch that was submitted so: 16 hexadecimal digits over `plan_group`
/// (task::group_hash()), the model's skeleton and its weights. Empty where `plan_group` is. It only says what is worth
/// trying: an instance compares the model itself before it goes on with one.
std::string batch_group(const std::string& plan_group, const SubmitTask& submission);

/// Whether the processes of the one can do the other.
bool are_grouped(const TaskView& one, const TaskView& other);
/// Those that are grouped with `task` and not over, as they were submitted.
std::vector<TaskId> grouped_with(const ClusterState& state, const TaskView& task);
/// "one group with score-1, score-2": for people; empty where it is grouped with none that is not over.
std::string group_text(const ClusterState& state, const TaskView& task);

}  // namespace divisi::control::inline protocol
