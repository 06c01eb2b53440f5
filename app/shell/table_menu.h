// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QObject>
#include <QTableView>

namespace divisi::shell {

/// What all tables of the window have in common: Ctrl+C copies the chosen rows, or all where none is, as tab-separated
/// values, and a menu offers that beside what the view of the table offers for the chosen row; Delete drops it, where
/// the view can. Trees take the first key.
class TableMenu : public QObject {
    Q_OBJECT
public:
    /// Of the tables and trees that are in `around` now. It belongs to that. Tables with a menu of their own take the
    /// key only.
    explicit TableMenu(QWidget& around);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    static bool drop(const QTableView& table, const QKeyEvent& key);
    void open(QTableView& table, const QContextMenuEvent& event);
};

}  // namespace divisi::shell
