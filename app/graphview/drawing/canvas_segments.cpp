// SPDX-License-Identifier: GPL-3.0-or-later
// Paints segments on the canvas: the colour, pattern and number of each block.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <map>

#include "app/graphview/drawing/graph_canvas.h"

#include "app/model/wording/text_scale.h"

namespace divisi::graphview {

namespace {

/// Maximum number of segment numbers shown on a block; "..." stands for the others.
constexpr std::size_t most_numbers = 3;

}  // namespace

void GraphCanvas::set_painting(const model::Painting* painting, const std::vector<plan::BlockLink>& cycle) {
    painting_.reset();
    if (painting != nullptr) painting_ = *painting;
    waiting_.clear();
    if (painting_)
        for (const plan::BlockLink& link : cycle)
            waiting_.emplace_back(layout().placed_at(model_->graph.values[link.value].producer),
                                  layout().placed_at(link.consumer));
    segment_.clear();
    for (const PlacedBlock& placed : layout().blocks()) {
        if (!painting_) break;
        const model::Block& block = model_->tree.blocks[placed.block];
        const auto begin = painting_->segment_of.begin();
        const std::int32_t first = painting_->segment_of[block.first];
        const bool one = std::all_of(begin + block.first, begin + block.last + 1,
                                     [first](std::int32_t segment) { return segment == first; });
        segment_.push_back(one ? first : mixed_segments);
    }
    update();
}

bool GraphCanvas::crosses(const PlacedEdge& edge) const {
    return segment_[edge.from] != segment_[edge.to] || segment_[edge.from] == mixed_segments;
}

bool GraphCanvas::in_cycle(const PlacedEdge& edge) const {
    return std::find(waiting_.begin(), waiting_.end(), std::pair(edge.from, edge.to)) != waiting_.end();
}

double GraphCanvas::paint_segments(QPainter& painter, std::int32_t index) const {
    const PlacedBlock& placed = layout().blocks()[index];
    const model::Block& block = model_->tree.blocks[placed.block];
    std::map<std::int32_t, std::int32_t> counts;
    for (graph::NodeIndex node = block.first; node <= block.last; ++node) ++counts[painting_->segment_of[node]];

    painter.save();
    QPainterPath inside;
    inside.addRoundedRect(placed.rect.adjusted(1, 1, -1, -1), 5, 5);
    painter.setClipPath(inside, Qt::IntersectClip);
    double top = placed.rect.top();
    for (const auto& [segment, count] : counts) {
        const QRectF band(placed.rect.left(), top, metrics::segment_band,
                          placed.rect.height() * count / block.operator_count());
        const QColor hue = model::segment_colour(segment, *colours_);
        painter.fillRect(band, model::mixed(colours_->raised, hue, 0.3));
        painter.fillRect(band, QBrush(hue, model::segment_pattern(segment)));
        top = band.bottom();
    }
    painter.restore();

    QString numbers;
    std::size_t shown = 0;
    for (const auto& [segment, count] : counts) {
        if (shown > 0) numbers += shown < most_numbers ? QStringLiteral(" \u00b7 ") : QStringLiteral("\u2026");
        if (shown++ == most_numbers) break;
        numbers += QString::number(segment + 1);
    }
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(11));
    font.setWeight(QFont::Bold);
    painter.setFont(font);
    const double width = std::max(20.0, painter.fontMetrics().horizontalAdvance(numbers) + 12.0);
    const QRectF badge(placed.rect.right() - width - 6, placed.rect.top() + 6, width, model::scaled(18));
    const bool one = counts.size() == 1;
    painter.setPen(Qt::NoPen);
    painter.setBrush(one ? model::segment_colour(counts.begin()->first, *colours_) : colours_->line);
    painter.drawRoundedRect(badge, badge.height() / 2, badge.height() / 2);
    painter.setPen(one ? colours_->on_accent : colours_->text);
    painter.drawText(badge, Qt::AlignCenter, numbers);
    return width;
}

}  // namespace divisi::graphview
