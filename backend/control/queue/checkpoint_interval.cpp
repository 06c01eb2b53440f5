// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/checkpoint_interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "backend/control/state/faults.h"

namespace divisi::control::inline queue {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

Duration mean_time_between_faults(const std::vector<NodeFaults>& nodes, TimePoint now) {
    const double prior = 1 / Seconds(node_fault_prior).count();
    const double per_score = std::numbers::ln2 / Seconds(fault_half_life).count();
    double rate = nodes.empty() ? prior : 0;  // faults per second
    for (const NodeFaults& node : nodes) rate += prior + per_score * fault_score(node, now);
    return std::chrono::duration_cast<Duration>(Seconds(1 / rate));
}

Duration checkpoint_interval(Duration cost, Duration between_faults) {
    const double costs = std::max(Seconds(cost).count(), 0.0);
    const Seconds best(std::sqrt(2 * costs * Seconds(between_faults).count()));
    const Seconds bounded =
        std::clamp(best, Seconds(shortest_checkpoint_interval), Seconds(longest_checkpoint_interval));
    return std::chrono::duration_cast<Duration>(bounded);
}

}  // namespace divisi::control::inline queue
