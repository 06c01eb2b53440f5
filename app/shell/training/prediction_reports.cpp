// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/prediction_reports.h"

#include "app/client/embedded_host.h"
#include "app/panels/cutting/plans_panel.h"
#include "backend/submit/placement.h"

namespace divisi::shell {

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

#include "moc_prediction_reports.cpp"
