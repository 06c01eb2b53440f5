// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPersistentModelIndex>
#include <QPoint>
#include <QSortFilterProxyModel>
#include <QVariant>

#include "backend/base/clock.h"

namespace divisi::model {

/// Compares sort keys. Numbers sort by value and before texts. Texts sort naturally, ignoring case: "mic-2" before
/// "mic-10". Invalid keys and NaN sort last.
bool sorts_before(const QVariant& one, const QVariant& other);

/// Roles of a row's first cell that its menu uses: the time of the reported event, in nanoseconds since the epoch, and
/// its subjects as a std::vector<Selected>.
inline constexpr int time_role = Qt::UserRole + 2, about_role = Qt::UserRole + 3;
/// Returns the value of time_role for a time; invalid for TimePoint{}, which means that the time is unknown.
QVariant time_key(TimePoint time);

/// Sorts the rows of a table by the pressed header, if any, and filters them by a text. If a cell is not to be sorted
/// by its text, the source model provides a sort key under key_role.
class SortedRows : public QSortFilterProxyModel {
    Q_OBJECT
public:
    static constexpr int key_role = Qt::UserRole;

    explicit SortedRows(QAbstractItemModel& source);

    bool is_sorted() const { return sortColumn() >= 0; }
    int source_row(const QModelIndex& index) const { return mapToSource(index).row(); }
    /// Returns the row of a source row; -1 if it is filtered out.
    int row_of(int source_row) const { return mapFromSource(sourceModel()->index(source_row, 0)).row(); }

protected:
    bool lessThan(const QModelIndex& one, const QModelIndex& other) const override;
};

/// Keeps the row that the user reads at its position on screen while rows are added and removed. This row is the
/// current row if it is visible, otherwise the top row. If the top row is the first row of the table, no position is
/// kept. `View` is a table that scrolls by rows.
template <typename View>
class KeptPlace {
public:
    explicit KeptPlace(View& view) : view_(view), scrolled_(view.verticalScrollBar()->value()) {
        const QModelIndex current = view.currentIndex();
        seen_ = current.isValid() && view.viewport()->rect().intersects(view.visualRect(current));
        if (seen_) row_ = current;
        else if (scrolled_ > 0) row_ = view.indexAt(QPoint(1, 1));
        before_ = row_.row();
    }
    KeptPlace(const KeptPlace&) = delete;
    KeptPlace& operator=(const KeptPlace&) = delete;
    ~KeptPlace() {
        if (row_.isValid()) scroll(row_.row() - before_);
    }
    /// Sets the new index of the current row after the view was refilled, because the old index is no longer valid; -1:
    /// the row was removed.
    void current_is(int row) {
        row_ = QPersistentModelIndex();
        scroll(seen_ && row >= 0 ? row - before_ : 0);
    }

private:
    void scroll(int rows) {
        // forces the layout, which sets the scroll range
        static_cast<void>(view_.visualRect(view_.model()->index(0, 0)));
        view_.verticalScrollBar()->setValue(scrolled_ + rows);
    }

    View& view_;
    QPersistentModelIndex row_;
    int before_ = -1, scrolled_;
    bool seen_ = false;
};

}  // namespace divisi::model
