// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>
#include <functional>

#include "app/model/task_draft.h"
#include "app/shell/choices.h"

namespace divisi::shell {

/// Saves the task, and asks before changes of it are lost. Every question is a dialog of the window; what is to happen
/// after it is called then.
class TaskSaver : public QObject {
    Q_OBJECT
public:
    using Then = std::function<void()>;
    /// `problem` says why the task cannot be saved as it is; empty where it can.
    TaskSaver(model::TaskDraft& draft, std::function<QString()> problem, QWidget& window);

    /// Saves to the task's file; asks for one where it has none, or where `ask_where`. Calls `then` once it is saved.
    void save(bool ask_where, Then then = {});
    /// What is done without asking from now on.
    void set_choice(UnsavedChoice choice) { choice_ = choice; }
    /// Calls `then` once nothing is lost by it: at once, or after the task was saved or its changes were given up.
    void let_go(Then then);

Q_SIGNALS:
    void saved(const QString& path);
    void failed(const QString& message);

private:
    void save_to(const QString& path, const Then& then);
    void ask(Then then);

    model::TaskDraft& draft_;
    std::function<QString()> problem_;
    QWidget& window_;
    UnsavedChoice choice_ = UnsavedChoice::ask;
};

}  // namespace divisi::shell
