// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/base/clock.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline runs {

/// From the moment at which a task trains to the start of the standbys that it lacks: loading a program takes a
/// processor for a second, which the first steps need more.
inline constexpr Duration standby_delay = std::chrono::seconds(1);
/// How often a node is looked for again where none had room.
inline constexpr Duration standby_retry = std::chrono::seconds(5);

/// Whether the task file, or the planner that completed it, names the nodes of its stages: they were chosen, and a
/// standby elsewhere is no reason to leave them.
inline bool places_stages(const task::TaskSpec& spec) {
    return !spec.place.stages.empty() || !spec.place.pins.empty() ||
           std::ranges::any_of(spec.split.segments, [](const auto& segment) { return !segment.place.empty(); });
}

}  // namespace divisi::control::inline runs
