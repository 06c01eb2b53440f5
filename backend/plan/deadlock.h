// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/plan/program.h"

namespace divisi::plan {

/// Freedom from deadlock, found without playing the plan. Every operation waits for the one before it in its
/// program, for the tensors that it takes, and, when it sends the k-th tensor of a channel with s slots, for
/// the operation that takes the (k - s)-th one. A run comes to a standstill if and only if these waits form a
/// cycle, or a tensor is taken that is never sent, or sent and never taken.
///
/// One step and one micro-batch of an evaluation say all: where every channel gives as many tensors a step as
/// it takes, no wait leads to a later step, nor does one of an evaluation lead to a later micro-batch, so that
/// a cycle lies within one of them, and all steps are alike.
///
/// Fails (invalid_input) with the cycle, wait by wait; `graph` gives names to values and may be null. Also
/// fails for a channel without a slot and for tensors taken in another than ascending order, which the
/// interpreter counts on. Time and memory are linear in the operations and their tensors.
Result<void> check_deadlock(const Programs& programs, const graph::Graph* graph = nullptr);

}  // namespace divisi::plan
