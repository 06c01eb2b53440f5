// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/session_keeper.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSaveFile>
#include <algorithm>

namespace divisi::shell {

namespace {

/// Maximum number of simultaneous consoles of one user that keep a session. Further consoles keep none.
constexpr int most_consoles = 16;
/// Maximum size of a session file: the largest history that EditHistory writes, plus the size of the JSON syntax.
constexpr qint64 most_file_bytes = 32 << 20;

}  // namespace

SessionKeeper::SessionKeeper(model::EditHistory& history, const QString& folder, QObject* parent)
    : QObject(parent), history_(history) {
    take_place(folder);
    if (file_.isEmpty()) return;
    read_left();
    timer_.setSingleShot(true);
    timer_.setInterval(write_every_ms);
    connect(&timer_, &QTimer::timeout, this, &SessionKeeper::write);
    connect(&history_, &model::EditHistory::changed, this, [this] {
        if (!timer_.isActive()) timer_.start();
    });
}

/// Locks a free session file of the folder. The file of a killed console is free, because the process that held its
/// lock no longer exists.
void SessionKeeper::take_place(const QString& folder) {
    const QDir dir(folder);
    if (!dir.mkpath(QStringLiteral("."))) {
        problem_ = tr("cannot create %1").arg(folder);
        return;
    }
    // Try files with a session of a killed console first. Otherwise, that session would be offered much later, when the
    // user no longer remembers it.
    std::vector<QString> stems;
    for (int place = 0; place < most_consoles; ++place)
        stems.push_back(dir.filePath(QStringLiteral("console-%1").arg(place)));
    std::stable_partition(stems.begin(), stems.end(),
                          [](const QString& stem) { return QFile::exists(stem + QStringLiteral(".json")); });
    for (const QString& stem : stems) {
        auto lock = std::make_unique<QLockFile>(stem + QStringLiteral(".lock"));
        lock->setStaleLockTime(0);
        if (lock->tryLock()) {
            lock_ = std::move(lock);
            file_ = stem + QStringLiteral(".json");
            return;
        }
        if (lock->error() == QLockFile::PermissionError) {
            problem_ = tr("cannot write to %1").arg(folder);
            return;
        }
    }
    problem_ = tr("%1 consoles are open already").arg(most_consoles);
}

void SessionKeeper::read_left() {
    QFile file(file_);
    if (!file.open(QIODevice::ReadOnly) || file.size() > most_file_bytes) return;
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
    if (document.isObject()) left_ = document.object();
}

void SessionKeeper::write() {
    timer_.stop();
    if (file_.isEmpty()) return;
    if (!history_.open()) {
        if (!left_) QFile::remove(file_);  // keep the session of a killed console until another session replaces it
        return;
    }
    const QByteArray bytes = QJsonDocument(history_.json()).toJson(QJsonDocument::Compact);
    QSaveFile file(file_);
    const bool done = file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
    problem_ = done ? QString() : file.errorString();
    if (!done) return;
    left_.reset();
    Q_EMIT written();
}

void SessionKeeper::end() {
    timer_.stop();
    if (!file_.isEmpty()) QFile::remove(file_);
    file_.clear();
    left_.reset();
    lock_.reset();
}

QString session_folder() {
    QString state = qEnvironmentVariable("XDG_STATE_HOME");
    if (!QDir::isAbsolutePath(state)) state = QDir::homePath() + QStringLiteral("/.local/state");
    return state + QStringLiteral("/divisi");
}

}  // namespace divisi::shell

#include "moc_session_keeper.cpp"
