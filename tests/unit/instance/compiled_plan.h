// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backend/task/compile.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace divisi::testing {

/// Returns a task with a small model of four classes in six steps of two micro-batches with four samples each.
inline TaskFile small_task() {
    return TaskFile()
        .section("model", {{"inputs", 12}, {"layers", 2}, {"width", 16}, {"classes", 4}})
        .section("data", {{"samples", 96}, {"validation_share", 0.25}})
        .section("train", {{"steps", 6}, {"eval_every", 2}});
}

/// Compiles a task.
inline std::shared_ptr<const task::CompiledPlan> small_plan(const TaskFile& file = small_task()) {
    const auto spec = task::parse_task(file.text(), "t.toml");
    if (!spec) qFatal("%s", spec.error().message().c_str());
    auto plan = task::compile(*spec, task::load_model(*spec, {}).value());
    if (!plan) qFatal("%s", plan.error().message().c_str());
    return std::make_shared<const task::CompiledPlan>(std::move(plan).value());
}

}  // namespace divisi::testing
