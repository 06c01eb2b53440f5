// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <QWidget>
#include <functional>

#include "app/client/client.h"
#include "app/shell/basics/choices.h"

namespace divisi::shell {

/// Asks the user before the window closes, if closing would end running work: tasks on a cluster that this program
/// hosts, or file transfers to a cluster.
class CloseGuard : public QObject {
    Q_OBJECT
public:
    CloseGuard(client::Client* client, QWidget& window);

    /// Returns whether closing would end running work.
    bool needed() const { return !unfinished().empty() || (client_ && client_->upload()); }
    /// Calls `then` when the window may close: immediately if no work is running. Otherwise, the user chooses to wait
    /// until the tasks have ended, to stop them, or not to close.
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
    bool waited_ = false;  ///< whether stay() has cancelled a pending close; the user is then asked again
};

}  // namespace divisi::shell
