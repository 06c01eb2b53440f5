// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "agents/instance/engine/result_keys.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Returns the keys under which a stage of a batch task offers its results to routers: see DeferredOperations. Returns
/// none unless the stage's weights never change and all of its consumers are behind gateways. `far_channels`: the
/// channels whose consumers are behind gateways.
Result<std::optional<ResultKeys>> find_result_keys(const task::CompiledPlan& plan, std::int32_t stage,
                                                   const std::set<std::int32_t>& far_channels,
                                                   const segment::Executor& executor, const std::string& fingerprint);

}  // namespace divisi::instance
