// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/state/state.h"
#include "backend/control/types/span_types.h"

namespace divisi::control::inline protocol {

// Checks the orchestrator's input against limits.h before anything is planned or logged. An error says which field is
// too large, by how much, and what to do.

Result<void> check_submission(const SubmitTask& message);
/// Checks the size of the task in the form in which it would be logged.
Result<void> check_task(const TaskSubmitted& submitted, const TaskPlanned& planned);
/// Checks whether the queue has room for a task of this size, in addition to the waiting tasks and those being planned.
Result<void> check_queue(const ClusterState& state, const SubmitTask& message, std::size_t planning,
                         std::size_t most_tasks);
Result<void> check_key(const KeyChanged& change);
Result<void> check_weights(const WeightsStored& weights);
/// Checks an instance's measurements of a step: the sum of the times must not overflow.
Result<void> check_spans(const InstanceSpans& spans);
/// Checks a node's report about its machine. A share must be at most 1, amounts and rates must not be negative, and the
/// temperature must not be below absolute zero.
Result<void> check_machine(const MachineFigures& machine);
/// Checks an instance's report about the heads of a step.
Result<void> check_heads(const std::vector<HeadRecord>& heads);

/// Truncates a text that is longer than longest_detail, and appends the number of bytes left out.
std::string clipped(std::string text);
Error clipped(Error error);
Event::Body clipped(Event::Body body);

}  // namespace divisi::control::inline protocol
