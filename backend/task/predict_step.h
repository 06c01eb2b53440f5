// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/price/predict.h"
#include "backend/task/compile.h"

namespace divisi::task {

/// How a task trains, as the cost model asks for it.
price::TrainingSetup training_setup(const TaskSpec& spec);

/// The task's own device and threads for every stage, each on a host of its own, with default rates and links: for
/// prices while no cluster and no profile is known. The data unit is apart where the task says so, and so is each data
/// instance.
price::Placement default_placement(const CompiledPlan& compiled);

/// Predicts a step of a compiled plan. divisictl, the orchestrator and the console call this one, and so say the
/// same. Fails as price::predict() does.
Result<price::Prediction> predict_step(const CompiledPlan& compiled, const price::Placement& placement,
                                       const price::SimulateOptions& options = {});

}  // namespace divisi::task
