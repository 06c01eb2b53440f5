// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "agents/segment/executor.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Returns the executor's configuration for one stage of a plan.
segment::SegmentConfig segment_config(const task::CompiledPlan& plan, std::int32_t stage);

}  // namespace divisi::instance
