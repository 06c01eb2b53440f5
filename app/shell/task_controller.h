// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "app/panels/task_form.h"
#include "app/panels/tasks_panel.h"
#include "app/shell/desk.h"
#include "app/shell/message_bar.h"
#include "app/shell/task_ends.h"
#include "app/shell/task_saver.h"
#include "app/shell/workbench.h"

namespace divisi::shell {

/// What is done with tasks: opened, begun, saved, run, run again otherwise, and followed until they end. Asks first
/// where changes would be lost.
class TaskController : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it, but for what its destructor does not touch; `window` is its parent.
    TaskController(Desk& desk, Workbench& bench, MessageBar& messages, QWidget& window);

    TaskSaver& saver() { return *saver_; }

    void open_model(model::ModelSource source);
    /// An .onnx model or a .toml task file, told by its name.
    void open_path(const QString& path);
    void close_model();
    void begin();
    /// Submits the task on screen, where it can run; one of the exception queue in place of what failed.
    void run();
    /// Goes to the Train workspace when a task that was run from Split has been taken, and keeps that in the settings.
    void set_goes_to_train(bool goes);
    bool goes_to_train() const;

Q_SIGNALS:
    /// What can be done with tasks is another.
    void changed();

private:
    void connect_form();
    void connect_client();
    void edit_failed(std::uint64_t exception, const QString& text, const QString& folder);
    void edit_again(const TaskId& task);
    void take_submitted(const TaskId& task);
    void tell_failed(const TaskId& task, const QString& why);
    void show_form();

    Desk& desk_;
    Workbench& bench_;
    MessageBar& messages_;
    panels::TaskForm& form_;
    panels::TasksPanel& tasks_;
    TaskSaver* saver_;
    TaskEnds* ends_;
    bool run_in_split_ = false;  ///< what was submitted last was run from there
};

}  // namespace divisi::shell
