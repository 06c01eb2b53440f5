// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <set>

#include "app/client/client.h"

namespace divisi::shell {

/// Tells when a task ends that this window has submitted or follows, whoever looks at another view then.
class TaskEnds : public QObject {
    Q_OBJECT
public:
    TaskEnds(client::Client* client, QObject* parent);

    /// A task that is over already is not told of.
    void watch(const TaskId& task);

Q_SIGNALS:
    void ended(const QString& task, const QString& how);
    /// After ended(), with the reason.
    void failed(const QString& task, const QString& why);

private:
    void look();
    void tell(const control::TaskView& task);

    client::Client* client_;
    std::set<TaskId> watched_;
};

}  // namespace divisi::shell
