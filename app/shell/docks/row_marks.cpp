// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/row_marks.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <QScopedValueRollback>
#include <QTableView>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <utility>

#include "app/model/documents/stage_range.h"
#include "app/model/tracking/selected_instance.h"
#include "app/model/wording/colours.h"

namespace divisi::shell {
namespace {

/// Width of the bar in pixels.
constexpr int bar_width = 3;
/// A table with more rows than this is not searched for a row to scroll to.
constexpr int most_looked_at = 500;

/// Returns whether the column is the leftmost one on screen.
bool begins_row(const QAbstractItemView& view, int column) {
    const auto* table = qobject_cast<const QTableView*>(&view);
    return table ? table->horizontalHeader()->visualIndex(column) == 0 : column == 0;
}

bool is_in_segment(const model::GraphDocument& document, const model::Block& block, std::int32_t segment) {
    if (const model::Painting* painting = document.shown_painting()) {
        for (graph::NodeIndex node = block.first; node <= block.last; ++node)
            if (painting->segment_of[static_cast<std::size_t>(node)] == segment) return true;
        return false;
    }
    const auto segment_of = [&](graph::NodeIndex node) {
        return std::ranges::count_if(document.shown_cuts(),
                                     [&](std::int32_t cut) { return document.position(cut) < node; });
    };
    return segment_of(block.first) <= segment && segment <= segment_of(block.last);
}

}  // namespace

RowMarks::RowMarks(QAbstractItemView& view, AppContext& context, About about, ScrollPolicy scroll_policy)
    : QStyledItemDelegate(&view),
      view_(view),
      context_(context),
      about_(std::move(about)),
      scroll_policy_(scroll_policy) {
    view.setItemDelegate(this);
    view.installEventFilter(this);
    connect(&view, &QAbstractItemView::clicked, this, &RowMarks::select);
    connect(&view, &QAbstractItemView::activated, this, &RowMarks::select);
    connect(&context.selection, &model::Selection::changed, this, &RowMarks::show);
}

/// Returns whether the element is selected. An instance counts as selected if it runs the selected unit or block.
bool RowMarks::is_selected(const model::Selected& thing) const {
    const model::Selected& now = context_.selection.current();
    if (thing.kind == model::Selected::Kind::instance)
        return context_.shown && !thing.id.empty() &&
               model::instance_of(now, context_.shown->data().state).value() == thing.id;
    return thing && thing.kind == now.kind && thing.id == now.id && thing.other == now.other &&
           thing.number == now.number;
}

bool RowMarks::marks(const QModelIndex& row) const {
    if (!row.isValid() || !context_.selection.current()) return false;
    return std::ranges::any_of(about_(row), [this](const model::Selected& thing) { return is_selected(thing); });
}

void RowMarks::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const bool marked = marks(index);
    const model::Colours& colours = model::colours_of(option.palette);
    if (marked) painter->fillRect(option.rect, model::marked_ground(colours));
    QStyledItemDelegate::paint(painter, option, index);
    if (!marked || !begins_row(view_, index.column())) return;
    painter->fillRect(QRect(option.rect.topLeft(), QSize(bar_width, option.rect.height())), colours.accent);
}

void RowMarks::select(const QModelIndex& row) {
    const std::vector<model::Selected> things = about_(row);
    const QScopedValueRollback<bool> selecting(selecting_, true);
    if (!things.empty() && things.front()) context_.selection.select(things.front());
}

QModelIndex RowMarks::first_marked() const {
    const QAbstractItemModel& model = *view_.model();
    const auto* tree = qobject_cast<const QTreeView*>(&view_);
    const int rows = model.rowCount();
    QModelIndex row = rows <= most_looked_at ? model.index(0, 0) : QModelIndex();
    while (row.isValid() && !marks(row)) row = tree ? tree->indexBelow(row) : model.index(row.row() + 1, 0);
    return row;
}

/// Repaints, and scrolls to the first marked row. Does not scroll if the user selected in this view, because the row is
/// then visible.
void RowMarks::show() {
    view_.viewport()->update();
    if (scroll_policy_ == ScrollPolicy::keep || selecting_ || !view_.isVisible() || !context_.selection.current())
        return;
    if (const QModelIndex row = first_marked(); row.isValid()) view_.scrollTo(row);
}

/// Scrolls to the first marked row after the view is shown, because only then do its rows have positions.
bool RowMarks::eventFilter(QObject* of, QEvent* event) {
    if (of != &view_) return QStyledItemDelegate::eventFilter(of, event);
    if (event->type() == QEvent::Show) QTimer::singleShot(0, this, &RowMarks::show);
    return false;  // the base class would treat the view as an editor
}

std::vector<model::Selected> about_stage(const AppContext& context, std::int32_t stage) {
    std::vector<model::Selected> things;
    if (!context.shown || !context.shown->data().state.tasks.contains(context.followed())) return things;
    for (const control::InstanceView* one : control::instances_of(context.shown->data().state, context.followed()))
        if (one->stage == stage) things.push_back(model::Selected::of_instance(one->id, context.followed()));
    return things;
}

std::vector<model::Selected> about_segment(const AppContext& context, std::int32_t segment) {
    std::vector<model::Selected> things;
    const auto& in_force = context.recut.in_force();
    if (in_force && !context.document.shown_painting() && *in_force == context.document.cuts())
        things = about_stage(context, segment);
    const model::Selected& now = context.selection.current();
    const model::ModelPtr model = context.document.model();
    if (now.kind != model::Selected::Kind::model_block || !model) return things;
    const std::int32_t block = model::block_of_path(*model, now.id);
    if (block >= 0 && is_in_segment(context.document, model->tree.blocks[static_cast<std::size_t>(block)], segment))
        things.push_back(now);
    return things;
}

}  // namespace divisi::shell

#include "moc_row_marks.cpp"
