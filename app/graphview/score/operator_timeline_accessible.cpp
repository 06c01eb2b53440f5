// SPDX-License-Identifier: GPL-3.0-or-later
// Describes the score to screen readers: its cuts, then its operators with their prices.
#include <QAccessibleWidget>
#include <algorithm>

#include "app/graphview/drawing/cut_overlay.h"
#include "app/graphview/drawing/cut_part.h"
#include "app/graphview/score/operator_timeline.h"

namespace divisi::graphview {

namespace {

QAccessibleInterface* score_interface(const QString&, QObject* object) {
    auto* view = qobject_cast<OperatorTimeline*>(object);
    return view ? new model::PictureInterface<QAccessibleWidget, OperatorTimeline>(*view, QAccessible::Graphic)
                : nullptr;
}

}  // namespace

void OperatorTimeline::tell_screen_readers() {
    static const bool once = (QAccessible::installFactory(score_interface), true);
    Q_UNUSED(once);
}

/// Returns 0 until this view shows the document's model.
int OperatorTimeline::part_count() const {
    return model_ && priced_ && model_ == document_.model() ? told_cuts() + layout_.count() : 0;
}

/// Returns the number of described cuts; 0 for painted segments.
int OperatorTimeline::told_cuts() const {
    return document_.shown_painting() ? 0 : static_cast<int>(document_.shown_cuts().size());
}

model::AccessiblePart OperatorTimeline::part(int number) const {
    model::AccessiblePart part = number < told_cuts() ? cut_part(number) : operator_part(number - told_cuts());
    part.state.offscreen = !rect().intersects(part.place);
    return part;
}

model::AccessiblePart OperatorTimeline::cut_part(int which) const {
    const auto at = static_cast<std::size_t>(which);
    return graphview::cut_part(document_, at, graph_.cut_focus().cut() == which, cut_handle(at));
}

void OperatorTimeline::change_part(int number, int to) {
    if (number < told_cuts()) (void)document_.move_cut(static_cast<std::size_t>(number), to - 1);
}

void OperatorTimeline::choose_part(int number) {
    if (number < told_cuts()) return graph_.cut_focus().show(number);
    const graph::NodeIndex node = number - told_cuts();
    show_operators(node, node);
}

model::AccessiblePart OperatorTimeline::operator_part(graph::NodeIndex node) const {
    const graph::Node& shown = model_->graph.nodes[static_cast<std::size_t>(node)];
    const TimelinePainter score(sheet());
    const double price = layout_.end(node) - layout_.start(node);
    model::AccessiblePart part;
    part.name = QString::fromStdString(shown.name.empty() ? shown.op_type : shown.name);
    part.description = QString::fromStdString(shown.op_type);
    part.value = measure_text(measure_, price);
    if (const int segment = score.segment_of(node); segment >= 0)
        part.value += QStringLiteral(", ") + CutOverlay::tr("Segment %1").arg(segment + 1);
    part.state.selectable = true;
    part.state.selected = node >= first_selected_ && node <= last_selected_;
    part.place = score.operator_rect(node).toAlignedRect();
    part.place.setWidth(std::max(1, part.place.width()));  // gives operators without cost a width
    return part;
}

}  // namespace divisi::graphview
