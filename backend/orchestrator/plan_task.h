// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::orchestrator {

/// Compiles a submission. Its model is from the zoo or is given as a skeleton. SIDs begin with control::unnamed_task.
/// Sensitive operators run only on `secure_nodes`. `before`: the task file of the previous plan, from which stages
/// inherit; empty: no previous plan. Fails as task::compile() does.
Result<control::PlanSummary> plan_task(const control::SubmitTask& submission,
                                       const std::vector<std::string>& secure_nodes, const std::string& before = {});

}  // namespace divisi::orchestrator
