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
#include "app/model/planning.h"
#include "app/model/spans.h"
#include "app/model/task_draft.h"
#include "backend/price/predict.h"

namespace divisi::timeline {

/// A plan as the simulator plays it.
struct PredictedRun {
    price::Prediction prediction;
    std::shared_ptr<const plan::Programs> programs;
    model::Timeline timeline;
    std::int64_t step = 0;  ///< the one that was measured: its length is the prediction
    Generation since = 0;   ///< from which a task runs by it; 0: it is the plan on screen
};

/// Plays the plan on screen, or that of a task where its stages were put, beside the GUI thread, and anew when it
/// changes; only while somebody looks.
class TimelineSource : public QObject {
    Q_OBJECT
public:
    TimelineSource(model::GraphDocument& document, model::TaskDraft& draft, client::Client* client,
                   model::PlanningService& planning, QObject* parent = nullptr);

    /// Whose plan it is from now on; empty: that on screen.
    void set_task(const TaskId& task);
    const TaskId& task() const { return task_; }
    /// Somebody looks. What changes is played as long as `seen` says so; then this is to be called again.
    void watch(std::function<bool()> seen);
    bool watched() const { return seen_ != nullptr; }

    /// Null while it is being found, and where problem() says why there is none.
    const std::shared_ptr<const PredictedRun>& run() const { return run_; }
    const QString& problem() const { return problem_; }

Q_SIGNALS:
    void changed();

private:
    /// What the answer depends on, but for nodes that come and go.
    struct Question {
        TaskId task;
        std::string text;                ///< of the task file
        std::string folder;              ///< that its paths are relative to
        std::vector<std::string> cuts;   ///< of a task's plan in force, by name
        std::vector<std::string> nodes;  ///< of each stage, as a task's were put
        Generation since = 0;            ///< of a task's plan in force
        model::ModelPtr shown;           ///< for the plan on screen, and to spare reading a task's model
        bool operator==(const Question&) const = default;
    };
    static Result<PredictedRun> play(const Question& question, const control::ClusterState& cluster,
                                     const model::Beside& beside);
    std::optional<Question> question();
    QString why_no_plan(const control::TaskView& task) const;
    void look();
    void fail(const QString& why);

    model::GraphDocument& document_;
    model::TaskDraft& draft_;
    client::Client* client_;
    TaskId task_;
    std::function<bool()> seen_;
    std::optional<Question> asked_;
    std::shared_ptr<const PredictedRun> run_;
    QString problem_;
    QTimer later_;  ///< several changes in a row are one question
    model::PlanningLine line_;
};

}  // namespace divisi::timeline
