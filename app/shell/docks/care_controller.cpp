// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/care_controller.h"

#include "app/panels/faults/alerts_view.h"
#include "app/panels/faults/logs_panel.h"
#include "app/panels/training/tasks_panel.h"
#include "app/shell/cutting/graph_page.h"
#include "app/topology/topology_view.h"

namespace divisi::shell {

CareController::CareController(Desk& desk, Workbench& bench, QObject* parent)
    : QObject(parent), desk_(desk), bench_(bench) {
    connect(&bench.view<panels::AlertsView>(), &panels::AlertsView::subjectRequested, this,
            &CareController::show_subject);
    connect_advice();
}

void CareController::show_alerts() { bench_.show_view(bench_.view<panels::AlertsView>()); }

void CareController::connect_advice() {
    model::LiveRecut& recut = desk_.recut;
    QAction* advice = desk_.actions.get("advice");
    connect(advice, &QAction::triggered, this, [this] {
        if (desk_.document.model()) bench_.show_view(bench_.view<GraphPage>());  // shows the advice
        Q_EMIT desk_.hint(tr("Looking for better cuts\u2026"));
        desk_.recut.ask_advice();
    });
    connect(&recut, &model::LiveRecut::advised, &desk_, &Desk::hint);
    connect(&recut, &model::LiveRecut::changed, this, &CareController::update_advice);
    if (desk_.client) {
        connect(desk_.client, &client::Client::statusChanged, this, &CareController::update_advice);
        connect(desk_.client, &client::Client::dataChanged, this, &CareController::update_advice);
    }
    update_advice();
}

void CareController::update_advice() { desk_.actions.allow("advice", desk_.recut.why_no_advice()); }

/// Shows the subject of an alert: a task, a node, the queue, or the orchestrator, whose lines are in the log.
void CareController::show_subject(const control::Alert& alert) {
    auto& tasks = bench_.view<panels::TasksPanel>();
    if (!alert.task.value().empty()) {
        tasks.select(alert.task);
        desk_.follow(alert.task);
        bench_.show_view(tasks);
    } else if (!alert.node.value().empty()) {
        auto& nodes = bench_.view<topology::TopologyView>();
        bench_.show_view(nodes);
        // Queue the call: the tree is filled only when it is shown.
        QMetaObject::invokeMethod(
            &nodes, [&nodes, node = alert.node] { nodes.select(node); }, Qt::QueuedConnection);
    } else if (alert.rule == control::AlertRule::queue_long) {
        bench_.show_view(tasks);
    } else {
        auto& logs = bench_.view<panels::LogsPanel>();
        logs.show_task({});
        bench_.show_view(logs);
    }
}

}  // namespace divisi::shell
