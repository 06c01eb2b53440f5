// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "app/shell/desk.h"

namespace divisi::shell {

/// The instances that run a stage of the followed task now, of replicas all.
std::vector<model::Selected> about_stage(const Desk& desk, std::int32_t stage);
/// What a segment of the plan on screen is about: where that plan is the followed task's, the instances that run it;
/// the selected operator or scope where some of it is in the segment.
std::vector<model::Selected> about_segment(const Desk& desk, std::int32_t segment);

}  // namespace divisi::shell
