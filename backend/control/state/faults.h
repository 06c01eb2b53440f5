// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/types/queue_types.h"

namespace divisi::control::inline state {

// How stable a node is, from its history (draft 001, 6.3.2): what went wrong on it counts less as time passes.

/// After a day a fault counts half: the nightly restart of a machine is forgotten within the week.
inline constexpr Duration fault_half_life = std::chrono::hours(24);
/// An instance may also fail of its task's own faults, a node vanishes of its own.
inline constexpr double loss_weight = 1, failure_weight = 0.25;

/// NodeFaults::score as it is at `now`.
double fault_score(const NodeFaults& faults, TimePoint now);

void add_loss(NodeFaults& faults, TimePoint now);
void add_failure(NodeFaults& faults, TimePoint now);

}  // namespace divisi::control::inline state
