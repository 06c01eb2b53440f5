// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline protocol {

/// Returns a name for the skeleton of an imported model. The name is computed from the content, so that the skeleton
/// can be verified when it is read again. Returns an empty name if `bytes` is empty, since models of the zoo have no
/// skeleton.
std::string skeleton_name(const std::string& bytes);

// Batches form a group if they share the submitter, model, weights, cuts and input shapes. The processes of one batch
// can then be reused for the next one (kept_processes.h). Each batch remains a separate task, with its own place in the
// queue, progress, file, receipts and end.

/// Returns the name of the batch's group: 16 hexadecimal digits over `plan_group` (task::group_hash()), the model's
/// skeleton and its weights. Returns an empty name if `plan_group` is empty. The name only suggests reuse: an instance
/// compares the models themselves before it continues with another batch.
std::string batch_group(const std::string& plan_group, const SubmitTask& submission);

/// Returns whether the processes of one batch can run the other.
bool are_grouped(const TaskView& one, const TaskView& other);
/// Returns the unfinished tasks grouped with `task`, in order of submission.
std::vector<TaskId> grouped_with(const ClusterState& state, const TaskView& task);
/// Returns a readable text, for example "one group with score-1, score-2". Returns an empty text if no unfinished task
/// is grouped with `task`.
std::string group_text(const ClusterState& state, const TaskView& task);

}  // namespace divisi::control::inline protocol
