// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/cut_drag.h"

#include <utility>

namespace divisi::graphview {
namespace {

/// Distance in pixels between the pointer and a legal position within which a dragged cut snaps to it.
constexpr double snap_reach = 24;

}  // namespace

CutOverlay CutDrag::overlay() const {
    return CutOverlay(document_, canvas_.layout(), model::colours_of(view_.palette()), view_.viewportTransform(),
                      QRectF(view_.viewport()->rect()));
}

QPoint CutDrag::snap_point(std::int32_t legal) const {
    const CutLine line = canvas_.layout().cut_line(document_.position(legal));
    const QPoint at = view_.mapFromScene(QPointF(line.snap_x.value_or(0), line.anchor_y));
    return {line.snap_x ? at.x() : view_.viewport()->width() / 2, at.y()};
}

void CutDrag::hover(QPoint pointer) {
    const int hovered = overlay().cut_at(pointer);
    view_.viewport()->setCursor(hovered >= 0 ? Qt::SizeVerCursor : Qt::ArrowCursor);
    if (std::exchange(hovered_, hovered) != hovered || hovered >= 0) Q_EMIT changed();
}

void CutDrag::end_hover() {
    if (std::exchange(hovered_, -1) >= 0) Q_EMIT changed();
}

void CutDrag::drag_to(QPoint pointer, bool snaps) {
    dragging_ = true;
    snaps_ = snaps;
    pointer_ = pointer;
    const auto which = static_cast<std::size_t>(pressed_);
    const std::int32_t legal = canvas_.layout().nearest_cut(view_.mapToScene(pointer));
    if (legal >= 0) document_.preview(document_.moved(which, legal));
    // If a neighbouring cut prevents the dragged cut from reaching the pointer's position, the dragged cut has not
    // snapped.
    const bool there = legal >= 0 && which < document_.shown_cuts().size() && document_.shown_cuts()[which] == legal;
    snapped_ = snaps_ && there && overlay().distance(which, pointer) <= snap_reach;
    judge();
    Q_EMIT changed();
}

void CutDrag::set_snapping(bool on) {
    if (dragging_ && snaps_ != on) drag_to(pointer_, on);
}

void CutDrag::judge_again() {
    if (dragging_) judge();
}

/// Determines whether the dragged cut may be dropped, and sets the pointer's shape accordingly.
void CutDrag::judge() {
    const auto which = static_cast<std::size_t>(pressed_);
    QString refusal;
    if (judge_ && which < document_.shown_cuts().size()) refusal = judge_(pressed_, document_.shown_cuts()[which]);
    view_.viewport()->setCursor(refusal.isEmpty() ? Qt::SizeVerCursor : Qt::ForbiddenCursor);
    if (std::exchange(refusal_, refusal) != refusal) Q_EMIT changed();
}

void CutDrag::drop() {
    judge();
    if (refusal_.isEmpty()) return document_.commit_preview(tr("Move cut"));
    document_.drop_preview();
    Q_EMIT hint(tr("The cut stays where it was: %1").arg(refusal_));
}

void CutDrag::release() {
    pressed_ = -1;
    dragging_ = snapped_ = false;
    snaps_ = true;
    refusal_.clear();
}

void CutCard::set_notes(const QStringList& notes) {
    if (std::exchange(notes_, notes) != notes) Q_EMIT changed();
}

void CutCard::set_price(const QString& price) {
    if (std::exchange(price_, price) != price) Q_EMIT changed();
}

void CutCard::paint(QPainter& painter, const CutOverlay& cuts, const CutDrag& drag, QPoint pointer) const {
    const int which = drag.dragging() ? drag.pressed() : drag.hovered();
    if (which < 0) return;
    QStringList lines = notes_;
    if (drag.dragging() && !drag.refusal().isEmpty())
        lines.prepend(QStringLiteral("\u26a0 ") + tr("Cannot be dropped here: %1").arg(drag.refusal()));
    cuts.paint_card(painter, static_cast<std::size_t>(which), pointer, lines);
}

}  // namespace divisi::graphview

#include "moc_cut_drag.cpp"
