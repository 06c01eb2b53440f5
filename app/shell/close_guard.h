// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <QWidget>
#include <functional>

#include "app/client/client.h"
#include "app/shell/choices.h"

namespace divisi::shell {

/// Asks before the window takes running work with it: tasks of the cluster that this program hosts, which ends with
/// the window, and files on their way to a cluster.
class CloseGuard : public QObject {
    Q_OBJECT
public:
    CloseGuard(client::Client* client, QWidget& window);

    /// Whether anything would be lost.
    bool needed() const { return !unfinished().empty() || (client_ && client_->upload()); }
    /// Calls `then` when the window can go: at once where nothing runs, else as the user decides: after the tasks have
    /// ended, after they were stopped, or not at all.
    void let_go(std::function<void()> then);
    /// What is done without asking from now on.
    void set_choice(TasksChoice choice) { choice_ = choice; }
    /// Stays open, where it would have closed by itself.
    void stay();

Q_SIGNALS:
    void hint(const QString& text);

private:
    std::vector<TaskId> unfinished() const;
    void ask(const std::vector<TaskId>& tasks, std::function<void()> then);
    void outlast(std::function<void()> then);
    void stop(std::function<void()> then);
    void wait(std::function<void()> then, const QString& text);
    void look();

    client::Client* client_;
    QWidget& window_;
    std::function<void()> then_;
    QTimer give_up_;
    TasksChoice choice_ = TasksChoice::ask;
    bool waited_ = false;  ///< somebody closes a window that waits already: they want something else
};

}  // namespace divisi::shell
