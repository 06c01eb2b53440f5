// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <QWidget>
#include <functional>

#include "app/client/client.h"
#include "app/shell/basics/choices.h"

namespace divisi::shell {

/// Asks before closing the window would end running work: tasks of a cluster that this program hosts, and file
/// transfers to a cluster.
class CloseGuard : public QObject {
    Q_OBJECT
public:
    CloseGuard(client::Client* client, QWidget& window);

    /// Returns whether closing would lose anything.
    bool needed() const { return !unfinished().empty() || (client_ && client_->upload()); }
    /// Calls `then` when the window may close: at once if nothing runs. Otherwise the user decides: after the tasks
    /// have ended, after they were stopped, or not at all.
    void let_go(std::function<void()> then);
    /// Sets the answer that is used without asking.
    void set_choice(TasksChoice choice) { choice_ = choice; }
    /// Cancels a pending close.
    void stay();

Q_SIGNALS:
    void hint(const QString& text);

private:
    std::vector<TaskId> unfinished() const;
    void ask(const std::vector<TaskId>& tasks, std::function<void()> then);
    void outlast(std::function<void()> then);
    void stop(std::function<void()> then);
    void wait(std::function<void()> then, const QString& text);
    void refresh();

    client::Client* client_;
    QWidget& window_;
    std::function<void()> then_;
    QTimer give_up_;
    TasksChoice choice_ = TasksChoice::ask;
    bool waited_ = false;  ///< the user closes a window that is already waiting, so ask again
};

}  // namespace divisi::shell
