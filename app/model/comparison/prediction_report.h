// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

#include "app/model/comparison/run_prediction.h"
#include "app/model/documents/loaded_model.h"
#include "app/model/estimates/measurable.h"
#include "app/model/tracking/stage_loads.h"

namespace divisi::model {

/// The comparison of a run with the prices of its plan.
struct PredictionReport {
    double off = 0;         ///< relative error of the predicted step time; negative: too short
    double measured = 0;    ///< share of the prices that was measured, 0 to 1
    Measurable measurable;  ///< how the other prices can be measured

    bool calls_for_measuring() const { return measured < measured_well && measurable.possible(); }
};

/// Returns the median of the newest counted steps under the current plan; 0 if there are none.
double median_step_ms(const control::TaskView& task);

/// Returns the report; empty if no step was measured (`step_ms` 0), or if the prediction is close enough.
std::optional<PredictionReport> prediction_report(const price::Prediction& prediction, double step_ms,
                                                  const control::ClusterState& cluster);

/// Returns a text such as "Your prices are 60 % too low. They were not measured: ...", and what to do. `on_screen`: the
/// open model, which could be measured now, is the model of the run.
QString report_text(const PredictionReport& report, bool on_screen);

/// Returns whether a task trains this model. Parses the task's text.
bool is_model_of(const control::TaskView& task, const ModelPtr& model);

/// Returns the current plan of a task, with its actual placement.
RunPlan plan_of_run(const control::TaskView& task, const control::ClusterState& cluster);

}  // namespace divisi::model
