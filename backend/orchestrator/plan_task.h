// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/control/protocol/jobs.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/protocol/plan_summary.h"
#include "backend/search/node_chain.h"

namespace divisi::orchestrator {

/// Compiles a submission. Its model is from the zoo or is given as a skeleton. SIDs begin with control::unnamed_task.
/// Sensitive operators run only on `secure_nodes`. `before`: the task file of the previous plan, from which stages
/// inherit; empty: no previous plan. Fails as task::compile() does.
Result<control::PlanSummary> plan_task(const control::SubmitTask& submission,
                                       const std::vector<std::string>& secure_nodes, const std::string& before = {});

/// Answers SegmentModel: returns the plan that the task would get on the ready nodes of `asked`, and its price
/// according to the measurements in the folder `data`. `stop` ends a long search. Fails as task::parse_task(),
/// load_skeleton() or import_bytes(), task::compile() and control::place_plan() do.
Result<control::ModelSegmented> segment_model(const control::Segmentation& asked, const std::filesystem::path& data,
                                              const search::StopSearch& stop);

}  // namespace divisi::orchestrator
