// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/plan/program.h"

namespace divisi::plan {

/// Checks that the plan cannot deadlock, without simulating it. Every operation waits for the one before it in its
/// program and for the tensors that it takes. If it sends the k-th tensor of a channel with s slots, it also waits for
/// the operation that takes the (k - s)-th one. A run deadlocks if and only if these waits form a cycle, or some tensor
/// is taken but never sent, or sent but never taken.
///
/// Checking one step and one micro-batch of an evaluation suffices. Every channel delivers as many tensors per step as
/// it takes, so no wait leads to another step, and no wait of an evaluation to another micro-batch. A cycle thus lies
/// within one of them, and all steps are alike.
///
/// Fails (invalid_input) with the cycle, wait by wait; `graph` provides value names and may be null. Also fails for a
/// channel without a slot, and for tensors not taken in ascending order, which the interpreter relies on. Time and
/// memory are linear in the operations and their tensors.
Result<void> check_deadlock(const Programs& programs, const graph::Graph* graph = nullptr);

}  // namespace divisi::plan
