// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QObject>
#include <optional>

#include "app/model/edit_history.h"
#include "app/shell/close_guard.h"
#include "app/shell/desk.h"
#include "app/shell/help_window.h"
#include "app/shell/message_bar.h"
#include "app/shell/recent_files.h"
#include "app/shell/session_keeper.h"
#include "app/shell/task_saver.h"

namespace divisi::shell {

/// What a window has in common with every program of a desktop: manual, settings, about, and a session that outlives an
/// end by force.
class DesktopController : public QObject {
    Q_OBJECT
public:
    /// All of them outlive it; `window` is its parent and that of its dialogs.
    DesktopController(Desk& desk, TaskSaver& saver, CloseGuard& guard, RecentFiles& recent, MessageBar& messages,
                      QWidget& window);

    /// Keeps the open task with its undo steps in files of `folder`, for the case that the program is killed. What such
    /// a one left there is opened, or offered where `restore` is not set.
    void keep_session(const QString& folder, bool restore);
    /// The window closes as it should: nothing is left to restore.
    void end_session();

Q_SIGNALS:
    /// The session was kept: the arrangement of the window belongs to it.
    void kept();

private:
    void show_help(const QWidget* focus);
    void show_settings();
    void take_choices();
    void restore_session(const QJsonObject& left);
    void take_restored();

    Desk& desk_;
    TaskSaver& saver_;
    CloseGuard& guard_;
    RecentFiles& recent_;
    MessageBar& messages_;
    QWidget& window_;
    HelpWindow* help_ = nullptr;
    model::EditHistory* history_ = nullptr;
    SessionKeeper* session_ = nullptr;
    std::optional<QJsonObject> restoring_;  ///< what is being opened of it
};

}  // namespace divisi::shell
