// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/control/protocol/jobs.h"
#include "backend/search/node_chain.h"

namespace divisi::orchestrator {

/// Answers SegmentModel: returns the plan that the task would get on the ready nodes of `asked`, and its price
/// according to the measurements in the folder `data`. `stop` ends a long search. Fails as task::parse_task(),
/// load_skeleton() or import_bytes(), task::compile() and control::place_plan() do.
Result<control::ModelSegmented> segment_model(const control::Segmentation& asked, const std::filesystem::path& data,
                                              const search::StopSearch& stop);

}  // namespace divisi::orchestrator
