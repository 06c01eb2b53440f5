// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>
#include <functional>

#include "app/model/documents/task_draft.h"
#include "app/shell/basics/choices.h"

namespace divisi::shell {

/// Saves the task, and asks the user before changes are lost. Every question is a dialog of the window. Functions do
/// not wait for the answer; the callback `then` is called after the answer.
class TaskSaver : public QObject {
    Q_OBJECT
public:
    using Then = std::function<void()>;
    /// `problem` returns why the task cannot be saved as it is; empty if it can.
    TaskSaver(model::TaskDraft& draft, std::function<QString()> problem, QWidget& window);

    /// Saves to the task's file. Asks for a file if the task has none or `ask_where` is set. Calls `then` when the task
    /// is saved.
    void save(bool ask_where, Then then = {});
    /// Sets the answer that is used without asking.
    void set_choice(UnsavedChoice choice) { choice_ = choice; }
    /// Calls `then` when no changes can be lost: immediately, or after the task was saved or its changes were
    /// discarded.
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
