// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/desktop_controller.h"

#include <QApplication>
#include <utility>

#include "app/client/refusal_text.h"
#include "app/shell/desktop/about_dialog.h"
#include "app/shell/desktop/settings_dialog.h"

namespace divisi::shell {

DesktopController::DesktopController(AppContext& context, TaskSaver& saver, CloseGuard& guard, RecentFiles& recent,
                                     MessageBar& messages, QWidget& window)
    : QObject(&window),
      context_(context),
      saver_(saver),
      guard_(guard),
      recent_(recent),
      messages_(messages),
      window_(window) {
    const auto on = [this](const char* id, auto run) {
        connect(context_.actions.get(id), &QAction::triggered, this, run);
    };
    on("help", [this] { show_help(QApplication::focusWidget()); });
    on("about", [this] { (new AboutDialog(&window_))->open(); });
    on("settings", [this] { show_settings(); });
    take_choices();
}

/// Shows the manual page about the focused widget, in a separate window.
void DesktopController::show_help(const QWidget* focus) {
    if (!help_) help_ = new HelpWindow(&window_);
    help_->show_page(page_of(focus));
}

void DesktopController::show_settings() {
    auto* dialog = new SettingsDialog(context_.settings, context_.actions, &window_);
    connect(dialog, &SettingsDialog::choicesChanged, this, &DesktopController::take_choices);
    connect(dialog, &SettingsDialog::recentCleared, &recent_, &RecentFiles::clear);
    dialog->open();
}

void DesktopController::take_choices() {
    const Choices choices(context_.settings);
    saver_.set_choice(choices.unsaved());
    guard_.set_choice(choices.tasks());
}

void DesktopController::keep_session(const QString& folder, bool restore) {
    history_ = new model::EditHistory(context_.draft, context_.document, this);
    session_ = new SessionKeeper(*history_, folder, this);
    connect(session_, &SessionKeeper::written, this, &DesktopController::kept);
    connect(&context_.opener, &model::DocumentOpener::opened, this, &DesktopController::take_restored);
    if (!session_->problem().isEmpty())
        messages_.show_error(tr("The open task would be lost if the console crashed: %1").arg(session_->problem()));
    const std::optional<QJsonObject> left = session_->left();
    if (!left) return;
    if (restore) return restore_session(*left);
    messages_.show_notice(tr("The last time, the console ended without closing the task that you had "
                             "open."),
                          tr("Open it again"),
                          [this, left = *left] { saver_.let_go([this, left] { restore_session(left); }); });
}

void DesktopController::end_session() {
    if (session_) session_->end();
}

void DesktopController::restore_session(const QJsonObject& left) {
    Result<model::TaskFile> task = model::kept_task(left);
    if (!task.ok())
        return messages_.show_error(
            tr("The task that you had open cannot be restored. %1").arg(client::quoted(task.error())));
    restoring_ = left;
    context_.opener.open_kept(*std::move(task));
}

/// Continues restoring a session when its task is open: replays the undo steps, and restores the unsaved state.
void DesktopController::take_restored() {
    const std::optional<QJsonObject> left = std::exchange(restoring_, std::nullopt);
    if (!left) return;
    const model::TaskDraft& draft = context_.draft;
    const Result<model::TaskFile> task = model::kept_task(*left);
    // Do not restore the session if the user has opened another task in the meantime.
    if (!task.ok() || !(task->state == model::DraftState{draft.spec(), draft.folder()})) return;
    history_->take();  // record the state on which the undo steps build
    model::replay(*left, context_.draft, context_.document);
    messages_.show_notice(draft.modified() ? tr("Restored the task that you had open, with changes that are not saved.")
                                           : tr("Restored the task you had open."),
                          tr("Close it"), [this] { context_.actions.get("close")->trigger(); });
}

}  // namespace divisi::shell

#include "moc_desktop_controller.cpp"
