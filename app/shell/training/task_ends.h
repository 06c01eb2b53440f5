// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <set>

#include "app/client/client.h"

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

}  // namespace divisi::shell
