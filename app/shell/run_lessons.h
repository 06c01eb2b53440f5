// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "app/model/run_lesson.h"
#include "app/model/run_prediction.h"
#include "app/shell/desk.h"
#include "app/shell/message_bar.h"
#include "app/shell/task_ends.h"
#include "app/shell/workbench.h"

namespace divisi::shell {

/// Tells when a task has ended whose steps took far more or less than its plan was priced at, whoever looks at another
/// view then, with a button for what can be done about it.
class RunLessons : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it.
    RunLessons(Desk& desk, Workbench& bench, const TaskEnds& ends, MessageBar& messages, QObject* parent);

private:
    void look(const TaskId& task);
    void tell();
    void show_run();

    Desk& desk_;
    Workbench& bench_;
    MessageBar& messages_;
    model::RunPrediction prediction_;
    TaskId task_;  ///< that the prediction is of
};

}  // namespace divisi::shell
