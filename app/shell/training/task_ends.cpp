// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/task_ends.h"

#include <vector>

#include "app/client/embedded_host.h"
#include "app/client/refusal_text.h"
#include "app/panels/cutting/plans_panel.h"
#include "backend/submit/placement.h"

namespace divisi::shell {

TaskEnds::TaskEnds(client::Client* client, QObject* parent) : QObject(parent), client_(client) {
    if (client_) connect(client_, &client::Client::dataChanged, this, &TaskEnds::refresh);
}

void TaskEnds::watch(const TaskId& task) {
    if (!client_ || task == TaskId()) return;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(task);
    if (found == tasks.end() || !found->second.over()) watched_.insert(task);
}

void TaskEnds::refresh() {
    std::vector<control::TaskView> over;  // copies, because receivers may change the watched tasks
    for (const TaskId& id : watched_) {
        const auto found = client_->data().state.tasks.find(id);
        if (found != client_->data().state.tasks.end() && found->second.over()) over.push_back(found->second);
    }
    for (const control::TaskView& task : over) {
        watched_.erase(task.id);
        tell(task);
    }
}

void TaskEnds::tell(const control::TaskView& task) {
    const QString id = QString::fromStdString(task.id.value());
    if (task.outcome == control::Outcome::succeeded) return ended(id, tr("Task %1 has succeeded").arg(id));
    if (task.outcome == control::Outcome::stopped) return ended(id, tr("Task %1 was stopped").arg(id));
    Q_EMIT ended(id, tr("Task %1 has failed").arg(id));
    const QString why = task.error ? client::quoted(*task.error) : tr("the cluster gave no reason");
    Q_EMIT failed(id, tr("Task %1 has failed: %2").arg(id, why));
}

PredictionReports::PredictionReports(AppContext& context, Workbench& bench, const TaskEnds& ends, MessageBar& messages,
                                     QObject* parent)
    : QObject(parent),
      context_(context),
      bench_(bench),
      messages_(messages),
      prediction_(context.planning, client::default_data_folder()) {
    connect(&ends, &TaskEnds::ended, this, [this](const QString& task) { ask_prediction(TaskId(task.toStdString())); });
    connect(&prediction_, &model::RunPrediction::changed, this, &PredictionReports::tell);
}

/// Compares an ended run with its prediction. A failed task is not compared, because only the reason of its failure is
/// shown.
void PredictionReports::ask_prediction(const TaskId& task) {
    const control::ClusterState& cluster = context_.client->data().state;
    const auto found = cluster.tasks.find(task);
    if (found == cluster.tasks.end() || found->second.outcome == control::Outcome::failed) return;
    if (found->second.generation == 0 || model::median_step_ms(found->second) <= 0) return;
    task_ = task;
    prediction_.ask(model::plan_of_run(found->second, cluster), context_.document.model(),
                    submit::nodes_and_links(cluster));
}

void PredictionReports::tell() {
    const control::ClusterState& cluster = context_.client->data().state;
    const auto found = cluster.tasks.find(task_);
    if (!prediction_.prediction() || found == cluster.tasks.end() || messages_.shows_error()) return;
    const auto report =
        model::prediction_report(*prediction_.prediction(), model::median_step_ms(found->second), cluster);
    if (!report) return;
    const bool on_screen = model::is_model_of(found->second, context_.document.model());
    const QString text =
        tr("Task %1: %2").arg(QString::fromStdString(task_.value()), model::report_text(*report, on_screen));
    if (on_screen && report->calls_for_measuring())
        messages_.show_notice(text, tr("Measure\u2026"), [this] { context_.actions.get("measure")->trigger(); });
    else messages_.show_notice(text, tr("Show"), [this] { show_run(); });
}

/// Shows the view that compares the figures of the run with the prediction for every stage.
void PredictionReports::show_run() {
    auto& plans = bench_.view<panels::PlansPanel>();
    plans.show_task(task_);
    bench_.show_view(plans);
}

}  // namespace divisi::shell

#include "moc_task_ends.cpp"
