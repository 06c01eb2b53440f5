// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/close_guard.h"

#include <QMessageBox>
#include <QPushButton>
#include <utility>

#include "backend/control/protocol/task_messages.h"

namespace divisi::shell {

namespace {

/// Time limit for stopped tasks to end, after which the window closes even if the cluster does not respond. Tasks
/// normally end much sooner.
constexpr std::chrono::seconds stop_patience{15};

}  // namespace

CloseGuard::CloseGuard(client::Client* client, QWidget& window) : QObject(&window), client_(client), window_(window) {
    if (client_) {
        connect(client_, &client::Client::dataChanged, this, &CloseGuard::refresh);
        connect(client_, &client::Client::uploadChanged, this, &CloseGuard::refresh);
    }
    give_up_.setSingleShot(true);
    connect(&give_up_, &QTimer::timeout, this, [this] {
        if (then_) std::exchange(then_, nullptr)();
    });
}

std::vector<TaskId> CloseGuard::unfinished() const {
    std::vector<TaskId> tasks;
    if (client_ && client_->status().hosted)
        for (const auto& [id, task] : client_->data().state.tasks)
            if (!task.over()) tasks.push_back(id);
    return tasks;
}

void CloseGuard::let_go(std::function<void()> then) {
    const std::vector<TaskId> tasks = unfinished();
    if (!needed()) return then();
    if (choice_ == TasksChoice::wait && !waited_) return outlast(std::move(then));
    if (choice_ == TasksChoice::stop) return stop(std::move(then));
    ask(tasks, std::move(then));
}

void CloseGuard::ask(const std::vector<TaskId>& tasks, std::function<void()> then) {
    QStringList names;
    for (const TaskId& task : tasks) names << QString::fromStdString(task.value());
    constexpr qsizetype most_names = 5;
    const qsizetype more = names.size() - most_names;
    QString list = names.mid(0, most_names).join(QStringLiteral(", "));
    if (more > 0) list = tr("%1 and %2 more").arg(list).arg(more);
    const QString text = tasks.empty() ? tr("Files of a task are on their way to the cluster.")
                                       : tr("Running or queued on the cluster of this window: %1").arg(list);
    auto* box =
        new QMessageBox(QMessageBox::Warning, tr("Tasks are not finished"), text, QMessageBox::Cancel, &window_);
    box->setObjectName(QStringLiteral("tasksDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(
        tasks.empty() ? tr("The task is submitted when all files have arrived.")
                      : tr("This cluster and these tasks would end with the window, and their completed steps would be "
                           "lost."));
    QPushButton* later = box->addButton(tr("Close when they have ended"), QMessageBox::AcceptRole);
    QPushButton* now = box->addButton(tasks.empty() ? tr("End the transfer and close") : tr("Stop them and close"),
                                      QMessageBox::DestructiveRole);
    later->setObjectName(QStringLiteral("closeLater"));
    now->setObjectName(QStringLiteral("closeNow"));
    box->setDefaultButton(QMessageBox::Cancel);
    connect(box, &QMessageBox::finished, this, [this, box, later, now, then = std::move(then)] {
        if (box->clickedButton() == later) outlast(then);
        else if (box->clickedButton() == now) stop(then);
    });
    box->open();
}

void CloseGuard::outlast(std::function<void()> then) {
    wait(std::move(then), tr("The window closes when its tasks have ended. To choose differently, close the window "
                             "again."));
}

void CloseGuard::stop(std::function<void()> then) {
    if (client_->upload()) client_->order(client::CancelUpload{});
    for (const TaskId& task : unfinished()) client_->order(control::StopTask{task, client::stop_reason});
    give_up_.start(stop_patience);
    wait(std::move(then), tr("Stopping the tasks; then the window closes."));
}

void CloseGuard::wait(std::function<void()> then, const QString& text) {
    then_ = std::move(then);
    Q_EMIT hint(text);
    refresh();
}

void CloseGuard::stay() {
    waited_ = then_ != nullptr;
    then_ = nullptr;
    give_up_.stop();
}

void CloseGuard::refresh() {
    if (then_ && unfinished().empty() && !client_->upload()) std::exchange(then_, nullptr)();
}

}  // namespace divisi::shell

#include "moc_close_guard.cpp"
