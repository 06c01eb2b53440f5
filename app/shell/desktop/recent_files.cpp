// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/recent_files.h"

#include <QDir>

namespace divisi::shell {

namespace {

const QString key = QStringLiteral("recent");

}  // namespace

RecentFiles::RecentFiles(QSettings& settings, QWidget& window)
    : QObject(&window), settings_(settings), menu_(new QMenu(&window)) {
    menu_->setObjectName(QStringLiteral("recentMenu"));
    fill();
}

QStringList RecentFiles::kept(const QSettings& settings) { return settings.value(key).toStringList(); }

void RecentFiles::add(const QString& path) {
    QStringList paths = this->paths();
    if (path.isEmpty() || paths.value(0) == path) return;
    paths.removeAll(path);
    paths.prepend(path);
    settings_.setValue(key, paths.mid(0, most));
    fill();
    Q_EMIT changed();
}

void RecentFiles::remove(const QString& path) {
    QStringList paths = this->paths();
    if (paths.removeAll(path) == 0) return;
    settings_.setValue(key, paths);
    fill();
    Q_EMIT changed();
}

void RecentFiles::clear() {
    settings_.remove(key);
    fill();
    Q_EMIT changed();
}

void RecentFiles::fill() {
    menu_->clear();
    for (const QString& path : paths()) {
        QString text = QDir::toNativeSeparators(path);
        // Queue the call, because opening the file deletes these actions and creates new ones.
        connect(
            menu_->addAction(text.replace(u'&', QStringLiteral("&&"))), &QAction::triggered, this,
            [this, path] { Q_EMIT chosen(path); }, Qt::QueuedConnection);
    }
    menu_->setEnabled(!menu_->isEmpty());
    explain();
}

void RecentFiles::explain() {
    menu_->menuAction()->setToolTip(menu_->isEmpty() ? tr("No file was opened yet.") : QString());
}

}  // namespace divisi::shell

#include "moc_recent_files.cpp"
