// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/model/edit_history.h"

namespace divisi::shell {

/// Writes the open task with its undo steps into a file every few seconds, so that a console that is killed loses next
/// to nothing; a console that ends as it should removes it. Consoles beside each other have files of their own.
class SessionKeeper : public QObject {
    Q_OBJECT
public:
    /// Nothing older than this is lost.
    static constexpr int write_every_ms = 3000;

    /// The first place of the folder that no running console holds. `folder` is made where it is not there; where it
    /// cannot be written, nothing is kept, and problem() says why.
    SessionKeeper(model::EditHistory& history, const QString& folder, QObject* parent = nullptr);

    /// What a console left here that was killed; it stays until something else is written.
    std::optional<QJsonObject> left() const { return left_; }
    /// Why nothing can be kept; empty where it can.
    const QString& problem() const { return problem_; }
    /// Writes now, if anything has changed.
    void write();
    /// The program ends as it should: nothing is to be restored.
    void end();

Q_SIGNALS:
    /// Something was written: what else should outlive the program is to be written too.
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

/// Where consoles keep such files: XDG_STATE_HOME/divisi, else ~/.local/state/divisi.
QString session_folder();

}  // namespace divisi::shell
