// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/phase_bar.h"

#include <QAbstractProxyModel>
#include <QApplication>
#include <QPainter>
#include <algorithm>

#include "app/model/wording/colours.h"

namespace divisi::panels {

namespace {

constexpr int thinnest = 8;           ///< minimum width of a phase in pixels
constexpr int margin = 3, inset = 4;  ///< margin around the bar; inset of a name within its phase
constexpr int shortest_name = 28;     ///< minimum width for a name; a narrower phase shows no name

void paint_phase(QPainter& painter, const QRect& box, const model::IncidentPhase& phase,
                 const model::Colours& colours) {
    const QColor colour = model::segment_colour(phase.kind, colours);
    painter.fillRect(box, model::mixed(colours.surface, colour, 0.25));
    QColor hatch = colour;
    hatch.setAlphaF(0.35F);
    painter.fillRect(box, QBrush(hatch, model::segment_pattern(phase.kind)));
    painter.setPen(colour);
    painter.drawLine(box.topLeft(), box.bottomLeft());
    const QRect inner = box.adjusted(inset, 0, -inset, 0);
    if (inner.width() < shortest_name) return;
    painter.setPen(colours.text);
    painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(model::phase_text(phase), Qt::ElideRight, inner.width()));
}

}  // namespace

std::vector<int> phase_edges(const std::vector<model::IncidentPhase>& phases, int width) {
    std::vector<int> edges{0};
    if (phases.empty()) return edges;
    const int count = static_cast<int>(phases.size());
    const int least = std::min(thinnest, width / count);
    const double all = phases.back().end_s, free = width - least * count;
    for (int i = 0; i < count; ++i) {
        const double share = all > 0 ? phases[static_cast<std::size_t>(i)].end_s / all : 1;
        edges.push_back(least * (i + 1) + static_cast<int>(free * share));
    }
    return edges;
}

void PhaseBar::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    plain.text.clear();  // without the text, the base class paints only background, selection and focus
    const QStyle& style = plain.widget ? *plain.widget->style() : *QApplication::style();
    style.drawControl(QStyle::CE_ItemViewItem, &plain, painter, plain.widget);
    const model::Colours& colours = model::colours_of(option.palette);
    const QRect bar = option.rect.adjusted(margin, margin, -margin, -margin);
    const auto* sorted = qobject_cast<const QAbstractProxyModel*>(index.model());
    const auto& phases = table_.phases_at(sorted ? sorted->mapToSource(index).row() : index.row());
    const std::vector<int> edges = phase_edges(phases, bar.width());
    painter->save();
    painter->setFont(option.font);
    for (std::size_t i = 0; i < phases.size(); ++i)
        paint_phase(*painter, {bar.left() + edges[i], bar.top(), edges[i + 1] - edges[i], bar.height()}, phases[i],
                    colours);
    painter->restore();
}

}  // namespace divisi::panels

#include "moc_phase_bar.cpp"
