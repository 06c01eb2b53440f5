// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/documents/loaded_model.h"
#include "app/model/estimates/measurable.h"
#include "app/model/estimates/planning.h"
#include "app/model/tracking/stage_loads.h"
#include "backend/control/state/state.h"
#include "backend/price/predict.h"

namespace divisi::model {

/// A submitted task, and the nodes of its stages.
struct RunPlan {
    std::string text;                ///< text of the current task file
    std::string folder;              ///< folder to which its paths are relative
    std::vector<std::string> cuts;   ///< names of the current plan's cuts; none for one stage or a block plan
    std::vector<std::string> nodes;  ///< node on which each stage is placed
    bool operator==(const RunPlan&) const = default;
};

/// Predicts the time of a run with the library used by divisictl plan, one run at a time. Nodes that join or leave the
/// cluster during the computation do not affect the prediction.
class RunPrediction : public QObject {
    Q_OBJECT
public:
    /// `data` stores the prices of this machine's devices.
    RunPrediction(PlanningService& planning, std::filesystem::path data, QObject* parent = nullptr)
        : QObject(parent), data_(std::move(data)), line_(planning) {}

    bool is_of(const RunPlan& plan) const { return asked_ == plan; }
    /// Starts a prediction. If `shown` is the task's model, it is not read again. Only the nodes and links of `cluster`
    /// matter.
    void ask(RunPlan plan, ModelPtr shown, control::ClusterState cluster);
    void clear();
    /// Returns the prediction; empty while it is being computed, or if `problem` gives the reason why there is none.
    const std::optional<price::Prediction>& prediction() const { return prediction_; }
    const QString& problem() const { return problem_; }

Q_SIGNALS:
    void changed();

private:
    void take(const Result<price::Prediction>& answer);

    std::filesystem::path data_;
    std::optional<RunPlan> asked_;
    std::optional<price::Prediction> prediction_;
    QString problem_;
    PlanningLine line_;
};

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
