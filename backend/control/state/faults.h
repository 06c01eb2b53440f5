// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/types/queue_types.h"

namespace divisi::control::inline state {

// Estimates the stability of a node from its history (draft 001, 6.3.2). Faults on a node count less as time passes.

/// The weight of a fault halves every day, so less than 1 % of the weight is left after a week.
inline constexpr Duration fault_half_life = std::chrono::hours(24);
/// An instance may also fail because of its own task, so its failure weighs less than the loss of a node.
inline constexpr double loss_weight = 1, failure_weight = 0.25;

/// Returns NodeFaults::score, decayed to `now`.
double fault_score(const NodeFaults& faults, TimePoint now);

void add_loss(NodeFaults& faults, TimePoint now);
void add_failure(NodeFaults& faults, TimePoint now);

}  // namespace divisi::control::inline state
