// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "app/shell/basics/app_context.h"

namespace divisi::shell {

/// Returns the instances that now run a stage of the followed task, including all replicas.
std::vector<model::Selected> about_stage(const AppContext& context, std::int32_t stage);
/// Returns the subjects of a segment in the plan on screen. If the followed task runs that plan, these are the
/// instances that run the segment. The selected operator or scope is added if a part of it is in the segment.
std::vector<model::Selected> about_segment(const AppContext& context, std::int32_t segment);

}  // namespace divisi::shell
