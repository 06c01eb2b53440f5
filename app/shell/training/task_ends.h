// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <set>

#include "app/client/client.h"
#include "app/model/comparison/run_prediction.h"
#include "app/shell/basics/app_context.h"
#include "app/shell/basics/message_bar.h"
#include "app/shell/docks/workbench.h"

namespace divisi::shell {

/// Notifies the user, in any view, when a task ends that this window submitted or follows.
class TaskEnds : public QObject {
    Q_OBJECT
public:
    TaskEnds(client::Client* client, QObject* parent);

    /// Watches a task. A task that has already ended is not reported.
    void watch(const TaskId& task);

Q_SIGNALS:
    void ended(const QString& task, const QString& how);
    /// A task has failed; emitted after ended(), with the reason.
    void failed(const QString& task, const QString& why);

private:
    void refresh();
    void tell(const control::TaskView& task);

    client::Client* client_;
    std::set<TaskId> watched_;
};

/// Notifies the user, in any view, when the steps of an ended task took far more or far less time than predicted. The
/// notice has a button for a remedy.
class PredictionReports : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object.
    PredictionReports(AppContext& context, Workbench& bench, const TaskEnds& ends, MessageBar& messages,
                      QObject* parent);

private:
    void ask_prediction(const TaskId& task);
    void tell();
    void show_run();

    AppContext& context_;
    Workbench& bench_;
    MessageBar& messages_;
    model::RunPrediction prediction_;
    TaskId task_;  ///< task that the prediction belongs to
};

}  // namespace divisi::shell
