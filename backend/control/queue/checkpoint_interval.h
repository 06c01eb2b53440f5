// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/types/queue_types.h"

namespace divisi::control::inline queue {

// The time between checkpoints of a task whose file says "auto" (task::CheckpointRule).

/// Time to the first checkpoint, while the cost of a checkpoint is unknown. The time is short, because a fault before
/// the first checkpoint takes the task back to its beginning.
inline constexpr Duration first_checkpoint = std::chrono::seconds(10);
/// Minimum interval between checkpoints. A shorter interval gains nothing: repeating a few seconds does not matter, and
/// every checkpoint takes room on two disks.
inline constexpr Duration shortest_checkpoint_interval = std::chrono::seconds(5);
/// Maximum interval between checkpoints: the most work that a user accepts to repeat, however reliable the nodes are.
inline constexpr Duration longest_checkpoint_interval = std::chrono::minutes(10);
/// Assumed time between faults of a node without history: a workstation is restarted, or taken off its network, once a
/// week.
inline constexpr Duration node_fault_prior = std::chrono::hours(7 * 24);

/// Returns the mean time between faults of any of these nodes. A node's fault rate is the prior rate (1 /
/// node_fault_prior) plus the rate that its score implies. Under a constant rate, the decaying score settles at rate *
/// fault_half_life / ln 2. Without nodes, uses the prior of one node.
Duration mean_time_between_faults(const std::vector<NodeFaults>& nodes, TimePoint now);

/// Returns the interval that minimises the time lost to checkpoints and to repeated steps, within the bounds above. The
/// first-order solution is sqrt(2 * cost * mean time between faults) (J. W. Young, A first order approximation to the
/// optimum checkpoint interval, CACM 17(9), 1974). `cost`: how long training waits for a checkpoint. J. T. Daly's
/// refined formula (FGCS 22(3), 2006) gives a different result only if a checkpoint takes about as long as the time
/// between two faults.
Duration checkpoint_interval(Duration cost, Duration between_faults);

}  // namespace divisi::control::inline queue
