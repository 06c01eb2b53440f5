// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

#include "app/model/loaded_model.h"
#include "app/model/measurable.h"
#include "app/model/run_prediction.h"
#include "app/model/stage_loads.h"

namespace divisi::model {

/// What a run says of the prices of its plan.
struct RunLesson {
    double off = 0;         ///< by which the predicted step is longer than the measured one; below 0: shorter
    double measured = 0;    ///< share of the prices that was measured, 0 to 1
    Measurable measurable;  ///< what can be done about the rest

    bool calls_for_measuring() const { return measured < measured_well && measurable.possible(); }
};

/// The median of the newest steps that count, under the plan in force; 0 where there are none.
double median_step_ms(const control::TaskView& task);

/// Empty where nothing was measured (`step_ms` 0), and where the prediction is near enough.
std::optional<RunLesson> lesson_of(const price::Prediction& prediction, double step_ms,
                                   const control::ClusterState& cluster);

/// "Your prices are 60 % too low. They were not measured: ...", and what to do about it. `on_screen`: the model that
/// can be measured now is that of the run.
QString lesson_text(const RunLesson& lesson, bool on_screen);

/// Whether a model is the one that a task trains. Reads the task's text.
bool is_model_of(const control::TaskView& task, const ModelPtr& model);

/// The plan in force of a task, where it was really put.
RunPlan plan_of_run(const control::TaskView& task, const control::ClusterState& cluster);

}  // namespace divisi::model
