// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/cut_card.h"

#include <utility>

namespace divisi::graphview {

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

#include "moc_cut_card.cpp"
