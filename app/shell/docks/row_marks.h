// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemView>
#include <QStyledItemDelegate>
#include <cstdint>
#include <functional>
#include <vector>

#include "app/shell/basics/app_context.h"

namespace divisi::shell {

/// Marks the rows of a table or tree that concern the selected element, by a bar at their start and by their
/// background. Scrolls to the first marked row. Clicking a row, or pressing Enter on it, selects its subject. This
/// class is the item delegate of all columns that have no other delegate. The view owns the object.
class RowMarks : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// Returns the subjects of a row, the most specific first. Clicking the row selects the first one.
    using About = std::function<std::vector<model::Selected>(const QModelIndex& row)>;

    /// Whether to scroll to the first marked row. Tables that scroll by themselves use `keep`.
    enum class ScrollPolicy { reveal, keep };

    RowMarks(QAbstractItemView& view, AppContext& context, About about,
             ScrollPolicy scroll_policy = ScrollPolicy::reveal);

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
    AppContext& context_;
    About about_;
    ScrollPolicy scroll_policy_;
    bool selecting_ = false;  ///< whether a row of this view is setting the selection
};

/// Returns the instances that now run a stage of the followed task, including all replicas.
std::vector<model::Selected> about_stage(const AppContext& context, std::int32_t stage);
/// Returns the subjects of a segment in the plan on screen. If the followed task runs that plan, these are the
/// instances that run the segment. The selected operator or scope is added if a part of it is in the segment.
std::vector<model::Selected> about_segment(const AppContext& context, std::int32_t segment);

}  // namespace divisi::shell
