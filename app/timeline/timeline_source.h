// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/client/client.h"
#include "app/model/documents/task_draft.h"
#include "app/model/estimates/planning.h"
#include "app/model/tracking/spans.h"
#include "backend/price/predict.h"

namespace divisi::timeline {

/// A simulated plan.
struct PredictedRun {
    price::Prediction prediction;
    std::shared_ptr<const plan::Programs> programs;
    model::Timeline timeline;
    std::int64_t step = 0;  ///< number of the predicted step; the length of this step is the predicted step time
    Generation since = 0;   ///< first generation of the task's plan; 0: the plan on screen
};

/// Simulates the plan on screen, or a task's plan with its placement, on a worker thread. Repeats this when the plan
/// changes. Works only while the view is visible.
class TimelineSource : public QObject {
    Q_OBJECT
public:
    TimelineSource(model::GraphDocument& document, model::TaskDraft& draft, client::Client* client,
                   model::PlanningService& planning, QObject* parent = nullptr);

    /// Sets the task whose plan is simulated; empty: the plan on screen.
    void set_task(const TaskId& task);
    const TaskId& task() const { return task_; }
    /// Starts to simulate, because the view has become visible. Changes are simulated only while `seen` returns true.
    /// If `seen` has returned false, the view must call watch() again.
    void watch(std::function<bool()> seen);
    bool watched() const { return seen_ != nullptr; }

    /// Returns the run; null while it is being computed, or if there is none, see problem().
    const std::shared_ptr<const PredictedRun>& run() const { return run_; }
    const QString& problem() const { return problem_; }

Q_SIGNALS:
    void changed();

private:
    /// The inputs of a simulation. Nodes that join or leave the cluster are not compared.
    struct Question {
        TaskId task;
        std::string text;                ///< text of the task file
        std::string folder;              ///< folder to which the task's paths are relative
        std::vector<std::string> cuts;   ///< names of the cuts of the task's current plan
        std::vector<std::string> nodes;  ///< node of each stage of the task
        Generation since = 0;            ///< first generation of the task's current plan
        /// model on screen: simulated itself or, if the task has the same model, used so that it is not read again
        model::ModelPtr shown;
        bool operator==(const Question&) const = default;
    };
    static Result<PredictedRun> play(const Question& question, const control::ClusterState& cluster,
                                     const model::JobContext& context);
    std::optional<Question> question();
    QString why_no_plan(const control::TaskView& task) const;
    void poll();
    void fail(const QString& why);

    model::GraphDocument& document_;
    model::TaskDraft& draft_;
    client::Client* client_;
    TaskId task_;
    std::function<bool()> seen_;
    std::optional<Question> asked_;
    std::shared_ptr<const PredictedRun> run_;
    QString problem_;
    QTimer later_;  ///< combines several changes in a row into one simulation
    model::PlanningLine line_;
};

}  // namespace divisi::timeline
