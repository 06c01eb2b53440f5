// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/run_lessons.h"

#include "app/client/embedded_host.h"
#include "app/panels/cutting/plans_panel.h"
#include "backend/submit/placement.h"

namespace divisi::shell {

RunLessons::RunLessons(Desk& desk, Workbench& bench, const TaskEnds& ends, MessageBar& messages, QObject* parent)
    : QObject(parent),
      desk_(desk),
      bench_(bench),
      messages_(messages),
      prediction_(desk.planning, client::default_data_folder()) {
    connect(&ends, &TaskEnds::ended, this, [this](const QString& task) { look(TaskId(task.toStdString())); });
    connect(&prediction_, &model::RunPrediction::changed, this, &RunLessons::tell);
}

/// Compares an ended run with its prediction. A failed task is skipped: only the reason of the failure is shown.
void RunLessons::look(const TaskId& task) {
    const control::ClusterState& cluster = desk_.client->data().state;
    const auto found = cluster.tasks.find(task);
    if (found == cluster.tasks.end() || found->second.outcome == control::Outcome::failed) return;
    if (found->second.generation == 0 || model::median_step_ms(found->second) <= 0) return;
    task_ = task;
    prediction_.ask(model::plan_of_run(found->second, cluster), desk_.document.model(),
                    submit::nodes_and_links(cluster));
}

void RunLessons::tell() {
    const control::ClusterState& cluster = desk_.client->data().state;
    const auto found = cluster.tasks.find(task_);
    if (!prediction_.prediction() || found == cluster.tasks.end() || messages_.shows_error()) return;
    const auto lesson = model::lesson_of(*prediction_.prediction(), model::median_step_ms(found->second), cluster);
    if (!lesson) return;
    const bool on_screen = model::is_model_of(found->second, desk_.document.model());
    const QString text =
        tr("Task %1: %2").arg(QString::fromStdString(task_.value()), model::lesson_text(*lesson, on_screen));
    if (on_screen && lesson->calls_for_measuring())
        messages_.show_notice(text, tr("Measure\u2026"), [this] { desk_.actions.get("measure")->trigger(); });
    else messages_.show_notice(text, tr("Show"), [this] { show_run(); });
}

/// Shows the figures of the run beside the prediction, stage by stage.
void RunLessons::show_run() {
    auto& plans = bench_.view<panels::PlansPanel>();
    plans.show_task(task_);
    bench_.show_view(plans);
}

}  // namespace divisi::shell
