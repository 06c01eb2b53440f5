// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemView>
#include <QStyledItemDelegate>
#include <functional>
#include <vector>

#include "app/shell/desk.h"

namespace divisi::shell {

/// Marks the rows of a table or tree that are about the selected thing, by a bar at their beginning and by their
/// ground, and brings the first of them into sight; a row that is clicked, or on which Enter is pressed, selects what
/// it is about. Is the delegate of all columns that have none of their own. Dies with the view.
class RowMarks : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// What a row is about, the closest first, which is what it selects.
    using About = std::function<std::vector<model::Selected>(const QModelIndex& row)>;

    /// Whether the first marked row is brought into sight; a table that goes on by itself is left where it is.
    enum class Sight { bring, leave };

    RowMarks(QAbstractItemView& view, Desk& desk, About about, Sight sight = Sight::bring);

    bool marks(const QModelIndex& row) const;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    bool eventFilter(QObject* of, QEvent* event) override;

private:
    void select(const QModelIndex& row);
    void show();
    bool is_selected(const model::Selected& thing) const;
    QModelIndex first_marked() const;

    QAbstractItemView& view_;
    Desk& desk_;
    About about_;
    Sight sight_;
    bool selecting_ = false;  ///< a row of this view selects
};

}  // namespace divisi::shell
