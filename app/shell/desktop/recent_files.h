// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QObject>
#include <QSettings>
#include <QStringList>

namespace divisi::shell {

/// Stores the recently opened or saved models, tasks and recordings in the settings, and provides a menu of them.
class RecentFiles : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype most = 8;

    RecentFiles(QSettings& settings, QWidget& window);

    /// Returns absolute paths, the newest first.
    QStringList paths() const { return kept(settings_); }
    static QStringList kept(const QSettings& settings);
    /// Moves the path to the front. Ignores an empty path.
    void add(const QString& path);
    void remove(const QString& path);
    void clear();
    /// Updates the text that says why the menu is disabled, in the window's language.
    void explain();
    QMenu& menu() { return *menu_; }

Q_SIGNALS:
    void changed();
    void chosen(const QString& path);

private:
    void fill();

    QSettings& settings_;
    QMenu* menu_;
};

}  // namespace divisi::shell
