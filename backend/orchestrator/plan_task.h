// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::orchestrator {

/// Compiles a submission with the zoo or its model's skeleton; the SIDs begin with control::unnamed_task. Operators
/// that the task marks as sensitive run on `secure_nodes` alone. `before`: the task file of a plan that this one
/// follows, which says what its stages inherit; empty: of none. Fails as task::compile() does.
Result<control::PlanSummary> plan_task(const control::SubmitTask& submission,
                                       const std::vector<std::string>& secure_nodes, const std::string& before = {});

}  // namespace divisi::orchestrator
