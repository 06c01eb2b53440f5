// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/training/task_controller.h"

#include <QApplication>
#include <QFileInfo>
#include <utility>

#include "app/charts/telemetry_view.h"
#include "app/shell/training/task_ends.h"

namespace divisi::shell {
namespace {

QString train_key() { return QStringLiteral("go_to_train"); }

}  // namespace

TaskController::TaskController(AppContext& context, Workbench& bench, MessageBar& messages, QWidget& window)
    : QObject(&window),
      context_(context),
      bench_(bench),
      messages_(messages),
      form_(bench.view<panels::TaskForm>()),
      tasks_(bench.view<panels::TasksPanel>()),
      saver_(new TaskSaver(
          context.draft, [this] { return form_.problem(); }, window)),
      ends_(new TaskEnds(context.client, this)) {
    connect_form();
    if (context_.client) connect_client();
    connect(&context_, &AppContext::editRequested, this, &TaskController::edit_failed);
    connect(&context_, &AppContext::taskFollowed, ends_, &TaskEnds::watch);
    connect(&context_, &AppContext::taskFollowed, this, &TaskController::changed);
    connect(saver_, &TaskSaver::saved, this,
            [this](const QString& path) { Q_EMIT context_.hint(tr("Saved %1").arg(path)); });
    connect(saver_, &TaskSaver::failed, &messages_, &MessageBar::show_error);
}

void TaskController::connect_form() {
    connect(&form_, &panels::TaskForm::modelChosen, &context_.opener, &model::DocumentOpener::show_chosen);
    connect(&form_, &panels::TaskForm::saveRequested, this, [this] { saver_->save(false); });
    connect(&form_, &panels::TaskForm::runRequested, this, &TaskController::run);
    connect(&form_, &panels::TaskForm::validityChanged, this, &TaskController::changed);
}

void TaskController::connect_client() {
    const client::Client* client = context_.client;
    connect(client, &client::Client::submitted, this,
            [this](const QString& task) { take_submitted(TaskId(task.toStdString())); });
    connect(client, &client::Client::resultsSaved, this,
            [this](const QString& file) { Q_EMIT context_.hint(tr("Results were written to %1").arg(file)); });
    connect(client, &client::Client::refused, this, [this](const QString& why) {
        run_in_split_ = false;
        messages_.show_error(why);
    });
    connect(ends_, &TaskEnds::ended, this, [this](const QString&, const QString& how) {
        Q_EMIT context_.hint(how);
        QApplication::alert(bench_.window());  // has no effect while the window is active
    });
    new PredictionReports(context_, bench_, *ends_, messages_, this);
    connect(ends_, &TaskEnds::failed, this,
            [this](const QString& task, const QString& why) { tell_failed(TaskId(task.toStdString()), why); });
}

void TaskController::open_model(model::ModelSource source) {
    saver_->let_go([this, source = std::move(source)] { context_.opener.open_model(source); });
}

void TaskController::open_path(const QString& path) {
    if (path.endsWith(QStringLiteral(".toml"), Qt::CaseInsensitive))
        return saver_->let_go([this, path] { context_.opener.open_task(path); });
    model::ModelSource source;
    source.onnx = QFileInfo(path).absoluteFilePath().toStdString();
    open_model(std::move(source));
}

void TaskController::close_model() {
    saver_->let_go([this] { context_.opener.close(); });
}

void TaskController::show_form() {
    bench_.show_view(form_);
    form_.begin();
}

void TaskController::begin() {
    saver_->let_go([this] {
        context_.opener.new_task();
        show_form();
    });
}

void TaskController::run() {
    context_.document.settle();
    if (!context_.client || !form_.can_run()) return;
    run_in_split_ = bench_.workspace() == Workspace::split;
    client::SubmitText order{context_.draft.text(), context_.draft.folder()};
    const std::uint64_t failed = context_.draft.exception();
    if (context_.client->data().state.exceptions.contains(failed)) order.exception = failed;
    context_.client->order(order);
}

bool TaskController::goes_to_train() const { return context_.settings.value(train_key(), true).toBool(); }

void TaskController::set_goes_to_train(bool goes) { context_.settings.setValue(train_key(), goes); }

/// Follows a submitted task. Goes to the Train workspace only if the user is still in Split, so that another view that
/// the user reads stays on screen.
void TaskController::take_submitted(const TaskId& task) {
    const bool along = std::exchange(run_in_split_, false) && bench_.workspace() == Workspace::split;
    Q_EMIT context_.hint(tr("Task %1 was submitted").arg(QString::fromStdString(task.value())));
    tasks_.select(task);
    context_.follow(task);
    if (along && goes_to_train()) bench_.set_workspace(Workspace::train);
    bench_.raise_view(bench_.view<charts::TelemetryView>());
}

void TaskController::tell_failed(const TaskId& task, const QString& why) {
    if (context_.client->status().role == control::Role::viewer) return messages_.show_error(why);
    messages_.show_failure(why, tr("Edit and resubmit\u2026"), [this, task] { edit_again(task); });
}

/// Opens a task of the exception queue for editing and resubmitting.
void TaskController::edit_failed(std::uint64_t exception, const QString& text, const QString& folder) {
    saver_->let_go([this, exception, text, folder] {
        context_.opener.open_failed(exception, text, folder, tr("the failed task"));
        show_form();
    });
}

/// Opens a task of the cluster for editing. If the task is in the exception queue, resubmitting removes it from there.
void TaskController::edit_again(const TaskId& task) {
    const control::ClusterState& cluster = context_.client->data().state;
    const auto found = cluster.tasks.find(task);
    if (found == cluster.tasks.end()) return;
    const control::ExceptionEntry* entry = control::exception_of(cluster, task);
    edit_failed(entry ? entry->number : 0, QString::fromStdString(found->second.text),
                QString::fromStdString(found->second.folder));
}

}  // namespace divisi::shell

#include "moc_task_controller.cpp"
