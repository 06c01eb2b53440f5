// SPDX-License-Identifier: GPL-3.0-or-later
// Describes the graph to screen readers: its cuts, then the visible blocks.
#include <QAccessibleWidget>

#include "app/graphview/diagram/graph_view.h"
#include "app/graphview/drawing/cut_part.h"

namespace divisi::graphview {

namespace {

QAccessibleInterface* graph_interface(const QString&, QObject* object) {
    auto* view = qobject_cast<GraphView*>(object);
    return view ? new model::PictureInterface<QAccessibleWidget, GraphView>(*view, QAccessible::Graphic) : nullptr;
}

}  // namespace

void GraphView::tell_screen_readers() {
    static const bool once = (QAccessible::installFactory(graph_interface), true);
    Q_UNUSED(once);
}

int GraphView::part_count() const {
    if (!model_) return 0;
    return told_cuts() + static_cast<int>(canvas_->layout().blocks().size());
}

/// Returns the number of described cuts; 0 for painted segments.
int GraphView::told_cuts() const {
    return document_.shown_painting() ? 0 : static_cast<int>(document_.shown_cuts().size());
}

model::AccessiblePart GraphView::part(int number) const {
    model::AccessiblePart part = number < told_cuts() ? cut_part(number) : block_part(number - told_cuts());
    part.place.translate(viewport()->pos());
    part.state.offscreen = !viewport()->geometry().intersects(part.place);
    return part;
}

model::AccessiblePart GraphView::cut_part(int which) const {
    const auto at = static_cast<std::size_t>(which);
    return graphview::cut_part(document_, at, focused_cut_ == which, cut_handle(at));
}

model::AccessiblePart GraphView::block_part(std::int32_t placed) const {
    const PlacedBlock& place = canvas_->layout().blocks()[static_cast<std::size_t>(placed)];
    const model::Block& block = model_->tree.blocks[static_cast<std::size_t>(place.block)];
    model::AccessiblePart part;
    part.role = QAccessible::TreeItem;
    part.name = QString::fromStdString(block.label);
    part.description = block_subtitle(*model_, block);
    const int segment = told_segment(placed);
    if (segment >= 0) part.value = CutOverlay::tr("Segment %1").arg(segment + 1);
    part.state.selectable = true;
    part.state.selected = canvas_->is_selected(placed);
    part.state.expandable = part.state.collapsed = !block.is_operator();
    part.place = mapFromScene(place.rect).boundingRect();
    return part;
}

int GraphView::part_at(QPoint at) const {
    for (int cut = 0; cut < told_cuts(); ++cut)
        if (part(cut).place.contains(at)) return cut;
    if (!model_) return -1;
    const std::int32_t block = canvas_->block_at(mapToScene(viewport()->mapFrom(this, at)));
    return block < 0 ? -1 : told_cuts() + block;
}

void GraphView::change_part(int number, int to) {
    if (number < told_cuts()) (void)document_.move_cut(static_cast<std::size_t>(number), to - 1);
}

void GraphView::choose_part(int number) {
    if (number < told_cuts()) return show_cut(number);
    select_block(canvas_->layout().blocks()[static_cast<std::size_t>(number - told_cuts())].block, true);
}

/// Returns the segment of a block, from 0; -1 for none or several.
int GraphView::told_segment(std::int32_t placed) const {
    if (document_.shown_painting()) return canvas_->segment(placed);
    const PlacedBlock& place = canvas_->layout().blocks()[static_cast<std::size_t>(placed)];
    int segment = 0;
    for (const std::int32_t cut : document_.shown_cuts()) {
        const graph::NodeIndex after = document_.position(cut);
        if (after >= place.first && after < place.last) return -1;
        if (after < place.first) ++segment;
    }
    return segment;
}

}  // namespace divisi::graphview
