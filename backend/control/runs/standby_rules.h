// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/base/clock.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline runs {

/// Delay from the start of training to the start of missing standbys. Loading a program occupies a processor for a
/// second, and the first steps of training need the processor.
inline constexpr Duration standby_delay = std::chrono::seconds(1);
/// Interval at which a node is sought again if none had room.
inline constexpr Duration standby_retry = std::chrono::seconds(5);

/// Returns whether the task file, or the planner that completed it, names the nodes of its stages. A standby on another
/// node is then no reason to leave the named nodes.
inline bool places_stages(const task::TaskSpec& spec) {
    return !spec.place.stages.empty() || !spec.place.pins.empty() ||
           std::ranges::any_of(spec.split.segments, [](const auto& segment) { return !segment.place.empty(); });
}

}  // namespace divisi::control::inline runs
