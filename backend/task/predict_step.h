// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/price/predict.h"
#include "backend/task/compile.h"

namespace divisi::task {

/// Returns the task's training settings in the form that the cost model needs.
price::TrainingSetup training_setup(const TaskSpec& spec);

/// Returns a placement for prices without a known cluster or profile. Every stage has the task's device and threads and
/// its own host, with default rates and links. Each data instance is separate, and so is the data unit if the task
/// requests it.
price::Placement default_placement(const CompiledPlan& compiled);

/// Predicts a step of a compiled plan. divisictl, the orchestrator and the console all call this function, so that they
/// show the same figures. Fails as price::predict() does.
Result<price::Prediction> predict_step(const CompiledPlan& compiled, const price::Placement& placement,
                                       const price::SimulateOptions& options = {});

}  // namespace divisi::task
