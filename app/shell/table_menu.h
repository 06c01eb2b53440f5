// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QObject>
#include <QTableView>
#include <optional>

#include "app/shell/workbench.h"

namespace divisi::shell {

/// What all tables of the window have in common: Ctrl+C copies the chosen rows, or all where none is, as tab-separated
/// values, and a menu offers that beside what the view of the table offers for the chosen row: to sort as the headers
/// do, to show what the row is about in the views that mark it, and to go to its moment. Delete drops it, where the
/// view can. Trees take the first key.
class TableMenu : public QObject {
    Q_OBJECT
public:
    /// Of the tables and trees that are on the bench now. It belongs to that. Tables with a menu of their own take the
    /// key only.
    TableMenu(Desk& desk, Workbench& bench);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    static bool drop(const QTableView& table, const QKeyEvent& key);
    bool hear_key(QObject* watched, const QKeyEvent& key);
    void open(QTableView& table, std::optional<QPoint> pressed);
    /// `row`: a cell of it.
    void offer_views(QMenu& menu, const QModelIndex& row);
    void offer_moment(QMenu& menu, const QModelIndex& row);
    /// Why the window cannot show that moment; empty where it can.
    QString why_not_shown(TimePoint moment) const;

    Desk& desk_;
    Workbench& bench_;
};

}  // namespace divisi::shell
