// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QObject>
#include <optional>

#include "app/model/documents/edit_history.h"
#include "app/shell/basics/app_context.h"
#include "app/shell/basics/message_bar.h"
#include "app/shell/desktop/help_window.h"
#include "app/shell/desktop/recent_files.h"
#include "app/shell/desktop/session_keeper.h"
#include "app/shell/training/close_guard.h"
#include "app/shell/training/task_saver.h"

namespace divisi::shell {

/// Provides the functions that every desktop program has: manual, settings, about, and a session that survives a crash.
class DesktopController : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive this object. `window` is the parent of this object and of its dialogs.
    DesktopController(AppContext& context, TaskSaver& saver, CloseGuard& guard, RecentFiles& recent,
                      MessageBar& messages, QWidget& window);

    /// Saves the open task with its undo steps in `folder`, in case the program is killed. If a killed program
    /// left a session in the folder, opens the session. If `restore` is false, offers the session to the user instead.
    void keep_session(const QString& folder, bool restore);
    /// Ends the session because the window closes normally: no session remains to be restored.
    void end_session();

Q_SIGNALS:
    /// The session was saved. The receiver also saves the window's layout.
    void kept();

private:
    void show_help(const QWidget* focus);
    void show_settings();
    void take_choices();
    void restore_session(const QJsonObject& left);
    void take_restored();

    AppContext& context_;
    TaskSaver& saver_;
    CloseGuard& guard_;
    RecentFiles& recent_;
    MessageBar& messages_;
    QWidget& window_;
    HelpWindow* help_ = nullptr;
    model::EditHistory* history_ = nullptr;
    SessionKeeper* session_ = nullptr;
    std::optional<QJsonObject> restoring_;  ///< session that is being restored
};

}  // namespace divisi::shell
