// SPDX-License-Identifier: GPL-3.0-or-later
// The window's views of what the cluster keeps: state stores, model versions, alerts; and advice about it.
#include <QStatusBar>

#include "app/shell/alert_button.h"
#include "app/shell/main_window.h"

namespace divisi::shell {

void MainWindow::add_state_docks(QDockWidget* beside) {
    stores_ = new panels::StoresView(client_, this);
    versions_ = new panels::VersionsView(client_, this);
    alerts_ = new panels::AlertsView(client_, this);
    for (QDockWidget* dock : {add_dock(QT_TR_NOOP("State stores"), stores_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Model versions"), versions_, Qt::BottomDockWidgetArea),
                              add_dock(QT_TR_NOOP("Alerts"), alerts_, Qt::BottomDockWidgetArea)})
        tabifyDockWidget(beside, dock);
}

void MainWindow::connect_state() {
    connect(versions_, &panels::VersionsView::startRequested, this,
            [this](const QString& text, const QString& folder) { edit_failed(0, text, folder); });
    connect(alerts_, &panels::AlertsView::subjectRequested, this, &MainWindow::show_subject);
    auto* button = new AlertButton(client_, this);
    statusBar()->insertPermanentWidget(0, button);
    connect(button, &QToolButton::clicked, this, [this] { show_dock(alerts_); });
    on("advice", [this] {
        if (document_.model()) show_view(graph_page_);  // where it is shown
        hint_->setText(tr("Looking for better cuts\u2026"));
        recut_.ask_advice();
    });
    connect(&recut_, &model::LiveRecut::advised, hint_, &QLabel::setText);
    const auto enable = [this] { actions_.get("advice")->setEnabled(recut_.can_ask_advice()); };
    connect(&recut_, &model::LiveRecut::changed, this, enable);
    if (client_) {
        connect(client_, &client::Client::statusChanged, this, enable);
        connect(client_, &client::Client::dataChanged, this, enable);
    }
    enable();
}

/// What an alert is about: a task, a node, the queue, or the orchestrator, whose lines are in the log.
void MainWindow::show_subject(const control::Alert& alert) {
    if (!alert.task.value().empty()) {
        tasks_->select(alert.task);
        follow_task(alert.task);
        show_dock(tasks_);
    } else if (!alert.node.value().empty()) {
        show_dock(nodes_);
        // Once it is shown: the tree is filled then.
        QMetaObject::invokeMethod(
            nodes_, [this, node = alert.node] { nodes_->select(node); }, Qt::QueuedConnection);
    } else if (alert.rule == control::AlertRule::queue_long) {
        show_dock(tasks_);
    } else {
        logs_->show_task({});
        show_dock(logs_);
    }
}

}  // namespace divisi::shell
