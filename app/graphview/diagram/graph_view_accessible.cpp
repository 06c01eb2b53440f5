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

/// Returns the segment of a block of the layout, from 0; -1 for none or several.
int told_segment(const model::GraphDocument& document, const GraphCanvas& canvas, std::int32_t placed) {
    if (document.shown_painting()) return canvas.segment(placed);
    const PlacedBlock& place = canvas.layout().blocks()[static_cast<std::size_t>(placed)];
    int segment = 0;
    for (const std::int32_t cut : document.shown_cuts()) {
        const graph::NodeIndex after = document.position(cut);
        if (after >= place.first && after < place.last) return -1;
        if (after < place.first) ++segment;
    }
    return segment;
}

}  // namespace

void GraphView::tell_screen_readers() {
    static const bool once = (QAccessible::installFactory(graph_interface), true);
    Q_UNUSED(once);
}

int GraphView::part_count() const {
    if (!canvas_->model()) return 0;
    return told_cuts() + static_cast<int>(canvas_->layout().blocks().size());
}

/// Returns the number of described cuts; 0 for painted segments.
int GraphView::told_cuts() const {
    return document_.shown_painting() ? 0 : static_cast<int>(document_.shown_cuts().size());
}

model::AccessiblePart GraphView::part(int number) const {
    const auto cut = static_cast<std::size_t>(number);
    model::AccessiblePart part = number < told_cuts()
                                     ? cut_part(document_, cut, cut_focus_.cut() == number, cut_drag_.handle(cut))
                                     : block_part(number - told_cuts());
    part.place.translate(viewport()->pos());
    part.state.offscreen = !viewport()->geometry().intersects(part.place);
    return part;
}

model::AccessiblePart GraphView::block_part(std::int32_t placed) const {
    const PlacedBlock& place = canvas_->layout().blocks()[static_cast<std::size_t>(placed)];
    const model::Block& block = canvas_->model()->tree.blocks[static_cast<std::size_t>(place.block)];
    model::AccessiblePart part;
    part.role = QAccessible::TreeItem;
    part.name = QString::fromStdString(block.label);
    part.description = block_subtitle(*canvas_->model(), block);
    const int segment = told_segment(document_, *canvas_, placed);
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
    if (!canvas_->model()) return -1;
    const std::int32_t block = canvas_->block_at(mapToScene(viewport()->mapFrom(this, at)));
    return block < 0 ? -1 : told_cuts() + block;
}

void GraphView::change_part(int number, int to) {
    if (number < told_cuts()) (void)document_.move_cut(static_cast<std::size_t>(number), to - 1);
}

void GraphView::choose_part(int number) {
    if (number < told_cuts()) return cut_focus_.show(number);
    selection_.select(canvas_->layout().blocks()[static_cast<std::size_t>(number - told_cuts())].block, true);
}

}  // namespace divisi::graphview
