// SPDX-License-Identifier: GPL-3.0-or-later
// What the window has in common with every program of a desktop: manual, settings, about, and a session that outlives
// an end by force.
#include <utility>

#include "app/shell/about_dialog.h"
#include "app/shell/main_window.h"
#include "app/shell/settings_dialog.h"

namespace divisi::shell {

void MainWindow::connect_desktop() {
    on("help", [this] { show_help(QApplication::focusWidget()); });
    on("about", [this] { (new AboutDialog(this))->open(); });
    on("settings", [this] {
        auto* dialog = new SettingsDialog(settings_, actions_, this);
        connect(dialog, &SettingsDialog::choicesChanged, this, &MainWindow::take_choices);
        connect(dialog, &SettingsDialog::recentCleared, recent_, &RecentFiles::clear);
        dialog->open();
    });
    take_choices();
}

/// The page of what has the focus, in a window that stays beside this one.
void MainWindow::show_help(const QWidget* focus) {
    if (!help_) help_ = new HelpWindow(this);
    help_->show_page(page_of(focus));
}

void MainWindow::take_choices() {
    const Choices choices(settings_);
    saver_->set_choice(choices.unsaved());
    guard_->set_choice(choices.tasks());
}

/// While the topology is shown the docks at the sides are hidden, which is no arrangement of anybody's.
void MainWindow::save_layout() {
    settings_.setValue(QStringLiteral("geometry"), saveGeometry());
    if (made_room_.empty()) settings_.setValue(QStringLiteral("layout"), saveState(layout_version));
}

void MainWindow::keep_session(const QString& folder, bool restore) {
    history_ = new model::EditHistory(draft_, document_, this);
    session_ = new SessionKeeper(*history_, folder, this);
    connect(session_, &SessionKeeper::written, this, &MainWindow::save_layout);
    connect(&opener_, &model::DocumentOpener::opened, this, &MainWindow::take_restored);
    if (!session_->problem().isEmpty())
        messages_->show_error(
            tr("The open task is not kept for the case that the console ends by force: %1").arg(session_->problem()));
    const std::optional<QJsonObject> left = session_->left();
    if (!left) return;
    if (restore) return restore_session(*left);
    messages_->show_notice(tr("The console ended without closing the task that you had open."), tr("Open it again"),
                           [this, left = *left] { saver_->let_go([this, left] { restore_session(left); }); });
}

void MainWindow::restore_session(const QJsonObject& left) {
    Result<model::TaskFile> task = model::kept_task(left);
    if (!task.ok())
        return messages_->show_error(tr("The task that you had open cannot be restored. %1")
                                         .arg(QString::fromStdString(task.error().message())));
    restoring_ = left;
    opener_.open_kept(*std::move(task));
}

/// A task is on screen. Where it is the one that was left, its steps are made again, and it is as unsaved as it was.
void MainWindow::take_restored() {
    const std::optional<QJsonObject> left = std::exchange(restoring_, std::nullopt);
    if (!left) return;
    const Result<model::TaskFile> task = model::kept_task(*left);
    if (!task.ok() || !(task->state == model::DraftState{draft_.spec(), draft_.folder()})) return;  // another one
    history_->take();  // what its steps begin with
    model::replay(*left, draft_, document_);
    messages_->show_notice(draft_.modified() ? tr("Restored the task you had open, with changes that are not saved.")
                                             : tr("Restored the task you had open."),
                           tr("Close it"), [this] { actions_.get("close")->trigger(); });
}

}  // namespace divisi::shell
