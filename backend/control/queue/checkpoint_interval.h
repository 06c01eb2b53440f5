// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/types/queue_types.h"

namespace divisi::control::inline queue {

// How often a task makes a checkpoint of itself whose file says "auto" (task::CheckpointRule).

/// Before anything is known of what a checkpoint costs: soon, since until then a fault takes the task to its beginning.
inline constexpr Duration first_checkpoint = std::chrono::seconds(10);
/// Nobody waits for a few seconds that are done again, and every checkpoint takes room on two disks.
inline constexpr Duration shortest_checkpoint_interval = std::chrono::seconds(5);
/// What a person accepts to see done again, however reliable the nodes were.
inline constexpr Duration longest_checkpoint_interval = std::chrono::minutes(10);
/// Of a node of which nothing is known: a workstation is restarted, or taken off its network, once a week.
inline constexpr Duration node_fault_prior = std::chrono::hours(7 * 24);

/// Mean time between two faults of any of these nodes, that of each counted once. A node's rate is node_fault_prior's
/// and, beside it, that of which its score is what is left: a constant rate keeps it at rate * fault_half_life / ln 2.
/// Without a node as of one.
Duration mean_time_between_faults(const std::vector<NodeFaults>& nodes, TimePoint now);

/// The time from one checkpoint to the next that loses least to checkpoints and to steps done again, to first order:
/// sqrt(2 * cost * mean time between faults) (J. W. Young, A first order approximation to the optimum checkpoint
/// interval, CACM 17(9), 1974), within the bounds above. `cost`: that training waits for a checkpoint. The refinement
/// of J. T. Daly (FGCS 22(3), 2006) differs where a checkpoint costs about as much as passes between two faults.
Duration checkpoint_interval(Duration cost, Duration between_faults);

}  // namespace divisi::control::inline queue
