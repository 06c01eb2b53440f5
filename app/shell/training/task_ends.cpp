// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/task_ends.h"

#include <vector>

#include "app/client/refusal_text.h"

namespace divisi::shell {

TaskEnds::TaskEnds(client::Client* client, QObject* parent) : QObject(parent), client_(client) {
    if (client_) connect(client_, &client::Client::dataChanged, this, &TaskEnds::refresh);
}

void TaskEnds::watch(const TaskId& task) {
    if (!client_ || task == TaskId()) return;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(task);
    if (found == tasks.end() || !found->second.over()) watched_.insert(task);
}

void TaskEnds::refresh() {
    std::vector<control::TaskView> over;  // copies, because receivers may change the watched tasks
    for (const TaskId& id : watched_) {
        const auto found = client_->data().state.tasks.find(id);
        if (found != client_->data().state.tasks.end() && found->second.over()) over.push_back(found->second);
    }
    for (const control::TaskView& task : over) {
        watched_.erase(task.id);
        tell(task);
    }
}

void TaskEnds::tell(const control::TaskView& task) {
    const QString id = QString::fromStdString(task.id.value());
    if (task.outcome == control::Outcome::succeeded) return ended(id, tr("Task %1 has succeeded").arg(id));
    if (task.outcome == control::Outcome::stopped) return ended(id, tr("Task %1 was stopped").arg(id));
    Q_EMIT ended(id, tr("Task %1 has failed").arg(id));
    const QString why = task.error ? client::quoted(*task.error) : tr("the cluster gave no reason");
    Q_EMIT failed(id, tr("Task %1 has failed: %2").arg(id, why));
}

}  // namespace divisi::shell

#include "moc_task_ends.cpp"
