// SPDX-License-Identifier: GPL-3.0-or-later
// Paints blocks that are coloured by a figure: time, memory or bytes.
#include <QPainter>
#include <utility>

#include "app/graphview/drawing/graph_canvas.h"

namespace divisi::graphview {

void GraphCanvas::set_figures(model::BlockFigures figures) {
    figures_ = std::move(figures);
    update();
}

QColor GraphCanvas::far_colour(std::int32_t placed) const {
    if (!figures_.value.empty()) return model::heat_colour(figures_.place(static_cast<std::size_t>(placed)));
    if (!painting_ || segment_[placed] == mixed_segments) return colours_->edge;
    return model::segment_colour(segment_[placed], *colours_);
}

std::vector<ColouredPart> GraphCanvas::far_parts(const Row& row, double least) const {
    const PlacedBlock* blocks = layout().blocks().data() + row.first;
    std::vector<ColouredPart> parts{{blocks[0].rect.left(), blocks[row.count - 1].rect.right(), far_colour(row.first)}};
    if (figures_.value.empty() && !painting_)
        return parts;  // without figures and segments, all blocks have the same
                       // colour
    for (std::int32_t i = 1; i < row.count; ++i) {
        const double left = blocks[i].rect.left();
        if (left - parts.back().left < least) continue;
        const QColor colour = far_colour(row.first + i);
        if (colour == parts.back().colour) continue;
        parts.push_back({left, std::exchange(parts.back().right, left), colour});
    }
    return parts;
}

QColor GraphCanvas::fill_by_figure(QPainter& painter, std::int32_t index) const {
    const auto block = static_cast<std::size_t>(index);
    const QRectF& rect = layout().blocks()[index].rect;
    const QColor heat = model::heat_colour(figures_.place(block));
    const QColor text = model::text_on(heat);
    painter.setPen(Qt::NoPen);
    painter.setBrush(heat);
    painter.drawRoundedRect(rect, 6, 6);
    if (figures_.value[block] <= 0 || figures_.measured[block]) return text;
    // Mark the block with a hatch at its right end, where there is no text.
    QColor hatch = text;
    hatch.setAlphaF(0.6F);
    painter.setBrush(QBrush(hatch, model::unmeasured_pattern));
    painter.drawRect(QRectF(rect.right() - 22, rect.bottom() - 16, 20, 14));
    return text;
}

/// Returns the subtitle. A figure comes first, because the colour alone does not show which figure it is.
QString GraphCanvas::subtitle(std::int32_t index) const {
    const model::Block& block = model_->tree.blocks[layout().blocks()[index].block];
    if (figures_.value.empty()) return block_subtitle(*model_, block);
    const auto at = static_cast<std::size_t>(index);
    const QString figure = model::figure_text(figures_.by, figures_.value[at], figures_.measured[at]);
    return figure + QStringLiteral(" \u00b7 ") + block_subtitle(*model_, block);
}

}  // namespace divisi::graphview
