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
    /// At most this much time is lost.
    static constexpr int write_every_ms = 3000;

    /// Takes the first session file of the folder that no running console holds. Creates `folder` if missing. If the
    /// folder is not writable, nothing is kept and problem() gives the reason.
    SessionKeeper(model::EditHistory& history, const QString& folder, QObject* parent = nullptr);

    /// Returns the session that a killed console left in this file. It stays until something else is written.
    std::optional<QJsonObject> left() const { return left_; }
    /// Returns why nothing can be kept; empty if keeping works.
    const QString& problem() const { return problem_; }
    /// Writes the session now if anything has changed.
    void write();
    /// Removes the session, as the program ends normally.
    void end();

Q_SIGNALS:
    /// The session was written. Receivers should save their own state too.
    void written();

private:
    void take_place(const QString& folder);
    void read_left();

    model::EditHistory& history_;
    std::unique_ptr<QLockFile> lock_;
    QString file_;  ///< empty: nothing is kept
    QString problem_;
    std::optional<QJsonObject> left_;
    QTimer timer_;
};

/// Returns the folder of session files: XDG_STATE_HOME/divisi, else ~/.local/state/divisi.
QString session_folder();

}  // namespace divisi::shell
