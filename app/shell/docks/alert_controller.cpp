// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/alert_controller.h"

#include "app/panels/faults/alerts_view.h"
#include "app/panels/faults/logs_panel.h"
#include "app/panels/training/tasks_panel.h"
#include "app/shell/cutting/graph_page.h"
#include "app/topology/topology_view.h"

namespace divisi::shell {

AlertController::AlertController(AppContext& context, Workbench& bench, QObject* parent)
    : QObject(parent), context_(context), bench_(bench) {
    connect(&bench.view<panels::AlertsView>(), &panels::AlertsView::subjectRequested, this,
            &AlertController::show_subject);
    connect_advice();
}

void AlertController::show_alerts() { bench_.show_view(bench_.view<panels::AlertsView>()); }

void AlertController::connect_advice() {
    model::LiveRecut& recut = context_.recut;
    QAction* advice = context_.actions.get("advice");
    connect(advice, &QAction::triggered, this, [this] {
        if (context_.document.model()) bench_.show_view(bench_.view<GraphPage>());  // shows the advice
        Q_EMIT context_.hint(tr("Looking for better cuts\u2026"));
        context_.recut.ask_advice();
    });
    connect(&recut, &model::LiveRecut::advised, &context_, &AppContext::hint);
    connect(&recut, &model::LiveRecut::changed, this, &AlertController::update_advice);
    if (context_.client) {
        connect(context_.client, &client::Client::statusChanged, this, &AlertController::update_advice);
        connect(context_.client, &client::Client::dataChanged, this, &AlertController::update_advice);
    }
    update_advice();
}

void AlertController::update_advice() { context_.actions.allow("advice", context_.recut.why_no_advice()); }

/// Shows the subject of an alert: a task, a node, the queue, or the orchestrator, whose lines are in the log.
void AlertController::show_subject(const control::Alert& alert) {
    auto& tasks = bench_.view<panels::TasksPanel>();
    if (!alert.task.value().empty()) {
        tasks.select(alert.task);
        context_.follow(alert.task);
        bench_.show_view(tasks);
    } else if (!alert.node.value().empty()) {
        auto& nodes = bench_.view<topology::TopologyView>();
        bench_.show_view(nodes);
        // Queue the selection, because the tree is filled only when it is shown.
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

#include "moc_alert_controller.cpp"
