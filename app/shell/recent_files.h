// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QObject>
#include <QSettings>
#include <QStringList>

namespace divisi::shell {

/// Models, tasks and recordings that were opened or saved last, kept in the settings, and a menu of them.
class RecentFiles : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype most = 8;

    RecentFiles(QSettings& settings, QWidget& window);

    /// Absolute, the newest first.
    QStringList paths() const { return kept(settings_); }
    static QStringList kept(const QSettings& settings);
    /// Puts it first; an empty path is none.
    void add(const QString& path);
    void remove(const QString& path);
    void clear();
    /// Says in the language of the window why its menu is grey, where it is.
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
