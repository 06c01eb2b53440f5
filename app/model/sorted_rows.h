// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPersistentModelIndex>
#include <QPoint>
#include <QSortFilterProxyModel>
#include <QVariant>

#include "backend/base/clock.h"

namespace divisi::model {

/// Numbers by their value and before texts; texts as people do, whatever the case: "mic-2" before "mic-10". What is
/// invalid, or no number, stands after all others.
bool sorts_before(const QVariant& one, const QVariant& other);

/// What a row says of itself in its first cell, so that a menu can lead there: when that was of which it tells, in
/// nanoseconds since the epoch, and what it is about, a std::vector<Selected>.
inline constexpr int time_role = Qt::UserRole + 2, about_role = Qt::UserRole + 3;
/// As time_role has it; invalid of TimePoint{}, where no time is known.
QVariant time_key(TimePoint time);

/// The rows of a table as a header that was pressed sorts them, or as they come, and only those that have a text. A
/// source says by key_role what a cell is sorted by where that is not how it reads.
class SortedRows : public QSortFilterProxyModel {
    Q_OBJECT
public:
    static constexpr int key_role = Qt::UserRole;

    explicit SortedRows(QAbstractItemModel& source);

    bool is_sorted() const { return sortColumn() >= 0; }
    int source_row(const QModelIndex& index) const { return mapToSource(index).row(); }
    /// -1 where it is not shown.
    int row_of(int source_row) const { return mapFromSource(sourceModel()->index(source_row, 0)).row(); }

protected:
    bool lessThan(const QModelIndex& one, const QModelIndex& other) const override;
};

/// Keeps the row that somebody reads in its place on screen while others come and go: the current one where it is
/// seen, else the uppermost unless that is the first. `View`: a table that scrolls by rows.
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
    /// Where the view was filled anew, so that nothing but its name says where the current row is now; -1: it is gone.
    void current_is(int row) {
        row_ = QPersistentModelIndex();
        scroll(seen_ && row >= 0 ? row - before_ : 0);
    }

private:
    void scroll(int rows) {
        static_cast<void>(view_.visualRect(view_.model()->index(0, 0)));  // lays out: as far as it can be scrolled to
        view_.verticalScrollBar()->setValue(scrolled_ + rows);
    }

    View& view_;
    QPersistentModelIndex row_;
    int before_ = -1, scrolled_;
    bool seen_ = false;
};

}  // namespace divisi::model
