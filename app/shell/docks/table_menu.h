// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QObject>
#include <QTableView>
#include <optional>

#include "app/shell/docks/workbench.h"

namespace divisi::shell {

/// Adds common functions to all tables of the window. Ctrl+C copies the selected rows, or all if none is selected, as
/// tab-separated values. The context menu has an entry for copying and the entries of the table's view. Other entries
/// sort the table, show the row's subject in other views, and go to the time of the row. Delete removes the row if the
/// view supports it. Trees support only Ctrl+C.
class TableMenu : public QObject {
    Q_OBJECT
public:
    /// Adds these functions to the tables and trees that the bench contains now. The bench owns this object. Tables
    /// with their own context menu only get Ctrl+C.
    TableMenu(AppContext& context, Workbench& bench);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    static bool drop(const QTableView& table, const QKeyEvent& key);
    bool hear_key(QObject* watched, const QKeyEvent& key);
    void open(QTableView& table, std::optional<QPoint> pressed);
    /// `row` is a cell of the row.
    void offer_views(QMenu& menu, const QModelIndex& row);
    void offer_moment(QMenu& menu, const QModelIndex& row);
    /// Returns why the window cannot show the time `moment`; empty if it can.
    QString why_not_shown(TimePoint moment) const;

    AppContext& context_;
    Workbench& bench_;
};

}  // namespace divisi::shell
