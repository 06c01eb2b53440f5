// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "app/model/comparison/run_lesson.h"
#include "app/model/comparison/run_prediction.h"
#include "app/shell/basics/desk.h"
#include "app/shell/basics/message_bar.h"
#include "app/shell/docks/workbench.h"
#include "app/shell/training/task_ends.h"

namespace divisi::shell {

/// Notifies the user, in any view, when an ended task's steps took far more or far less time than its plan was priced
/// at. The notice has a button for a remedy.
class RunLessons : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object.
    RunLessons(Desk& desk, Workbench& bench, const TaskEnds& ends, MessageBar& messages, QObject* parent);

private:
    void look(const TaskId& task);
    void tell();
    void show_run();

    Desk& desk_;
    Workbench& bench_;
    MessageBar& messages_;
    model::RunPrediction prediction_;
    TaskId task_;  ///< task that the prediction belongs to
};

}  // namespace divisi::shell
