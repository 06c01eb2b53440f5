// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "app/panels/forms/task_form.h"
#include "app/panels/training/tasks_panel.h"
#include "app/shell/basics/app_context.h"
#include "app/shell/basics/message_bar.h"
#include "app/shell/docks/workbench.h"
#include "app/shell/training/task_ends.h"
#include "app/shell/training/task_saver.h"

namespace divisi::shell {

/// Manages tasks: opens, creates, saves, runs and resubmits them, and follows them until they end. Asks the user first
/// if changes would be lost.
class TaskController : public QObject {
    Q_OBJECT
public:
    /// All arguments must exist as long as this object is used; its destructor does not use them. `window` is the
    /// parent.
    TaskController(AppContext& context, Workbench& bench, MessageBar& messages, QWidget& window);

    TaskSaver& saver() { return *saver_; }

    void open_model(model::ModelSource source);
    /// Opens an .onnx model or a .toml task file, according to its name.
    void open_path(const QString& path);
    void close_model();
    void begin();
    /// Submits the task on screen, if it can run. A task opened from the exception queue replaces the failed one.
    void run();
    /// Sets whether to go to the Train workspace when a task run from Split was accepted. Saved in the settings.
    void set_goes_to_train(bool goes);
    bool goes_to_train() const;

Q_SIGNALS:
    /// The available task actions have changed.
    void changed();

private:
    void connect_form();
    void connect_client();
    void edit_failed(std::uint64_t exception, const QString& text, const QString& folder);
    void edit_again(const TaskId& task);
    void take_submitted(const TaskId& task);
    void tell_failed(const TaskId& task, const QString& why);
    void show_form();

    AppContext& context_;
    Workbench& bench_;
    MessageBar& messages_;
    panels::TaskForm& form_;
    panels::TasksPanel& tasks_;
    TaskSaver* saver_;
    TaskEnds* ends_;
    bool run_in_split_ = false;  ///< whether the last task was submitted from the Split workspace
};

}  // namespace divisi::shell
