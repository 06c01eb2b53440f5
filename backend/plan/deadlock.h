// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/plan/program.h"

namespace divisi::plan {

/// Checks that the plan cannot deadlock, without simulating it. Every operation waits for the previous operation of its
/// program and for the tensors that it consumes. An operation that sends the k-th tensor of a channel with s slots also
/// waits for the operation that consumes tensor k - s. A run deadlocks if and only if these waits form a cycle, or some
/// tensor is consumed but never sent, or sent but never consumed.
///
/// Checking one step and one micro-batch of an evaluation suffices. In each step, every channel delivers as many
/// tensors as are consumed from it. So no wait leads to another step, and no wait of an evaluation leads to another
/// micro-batch. A cycle therefore lies within one step or one micro-batch of an evaluation, and all steps are alike.
///
/// Fails (invalid_input); the error lists the waits of the cycle. `graph` provides value names and may be null. Also
/// fails for a channel without a slot, and for tensors that are not consumed in ascending order, because the
/// interpreter relies on this order. Time and memory are linear in the operations and their tensors.
Result<void> check_deadlock(const Programs& programs, const graph::Graph* graph = nullptr);

}  // namespace divisi::plan
