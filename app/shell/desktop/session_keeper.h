// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/model/documents/edit_history.h"

namespace divisi::shell {

/// Writes the open task with its undo steps into a file every few seconds, so that a killed console loses almost
/// nothing. A console that ends normally removes its file. Simultaneous consoles use separate files.
class SessionKeeper : public QObject {
    Q_OBJECT
public:
    /// Time in ms from a change to its writing; a killed console loses changes that are not written yet.
    static constexpr int write_every_ms = 3000;

    /// Locks a session file that no running console has locked, preferably one that a killed console left. Creates
    /// `folder` if missing. If the folder is not writable, no session is saved, and problem() returns the reason.
    SessionKeeper(model::EditHistory& history, const QString& folder, QObject* parent = nullptr);

    /// Returns the session that a killed console left in this file. The session is available until another session is
    /// written.
    std::optional<QJsonObject> left() const { return left_; }
    /// Returns why no session can be saved; empty if saving works.
    const QString& problem() const { return problem_; }
    /// Writes the session now if anything has changed.
    void write();
    /// Removes the session, because the program ends normally.
    void end();

Q_SIGNALS:
    /// The session was written. Receivers also save their own state.
    void written();

private:
    void take_place(const QString& folder);
    void read_left();

    model::EditHistory& history_;
    std::unique_ptr<QLockFile> lock_;
    QString file_;  ///< session file; empty: no session is saved
    QString problem_;
    std::optional<QJsonObject> left_;
    QTimer timer_;
};

/// Returns the folder of session files: XDG_STATE_HOME/divisi, else ~/.local/state/divisi.
QString session_folder();

}  // namespace divisi::shell
