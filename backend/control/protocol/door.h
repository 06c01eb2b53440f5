// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

// What the orchestrator takes in, held against limits.h before anything is planned or logged. A refusal says which
// field is too large, by how much, and what to do.

Result<void> check_submission(const SubmitTask& message);
/// The task as it would be logged.
Result<void> check_task(const TaskSubmitted& submitted, const TaskPlanned& planned);
/// Whether a task of this size may wait beside those that wait, and those that are being planned for the queue.
Result<void> check_queue(const ClusterState& state, const SubmitTask& message, std::size_t planning,
                         std::size_t most_tasks);
Result<void> check_key(const KeyChanged& change);
Result<void> check_weights(const WeightsStored& weights);
/// What an instance measured of a step: times that can be added up.
Result<void> check_spans(const InstanceSpans& spans);
/// What a node says of its machine: a share of the whole, amounts and rates that can be, a temperature that is one.
Result<void> check_machine(const MachineFigures& machine);
/// What an instance says of the heads of a step.
Result<void> check_heads(const std::vector<HeadRecord>& heads);

/// With words that are cut off where they are no reading any longer, and say so.
std::string clipped(std::string text);
Error clipped(Error error);
Event::Body clipped(Event::Body body);

}  // namespace divisi::control::inline protocol
