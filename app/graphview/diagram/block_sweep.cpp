// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/block_sweep.h"

#include <QLineF>
#include <QTransform>
#include <algorithm>

namespace divisi::graphview {

namespace {

/// Minimum distance in pixels between two corners of a lasso.
constexpr double lasso_step = 4;

/// Returns whether the pointer's path touches a block (clipping by Liang and Barsky).
bool touches(const QRectF& rect, QPointF from, QPointF to) {
    double enter = 0, leave = 1;
    const auto clip = [&](double start, double way, double low, double high) {
        if (way == 0) return start >= low && start <= high;
        const double a = (low - start) / way, b = (high - start) / way;
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
        return true;
    };
    return clip(from.x(), to.x() - from.x(), rect.left(), rect.right()) &&
           clip(from.y(), to.y() - from.y(), rect.top(), rect.bottom()) && enter <= leave;
}

/// Returns the blocks for which `covered` is true, in the rows that touch [top, bottom].
template <typename Covered>
std::vector<std::int32_t> blocks_between(const Layout& layout, double top, double bottom, const Covered& covered) {
    const auto [first, last] = layout.rows_between(top, bottom);
    std::vector<std::int32_t> hit;
    for (std::int32_t row = first; row <= last; ++row) {
        const Row& blocks = layout.rows()[row];
        for (std::int32_t i = blocks.first; i < blocks.first + blocks.count; ++i)
            if (covered(layout.blocks()[i].rect)) hit.push_back(i);
    }
    return hit;
}

}  // namespace

void BlockSweep::begin(Kind kind, QPointF at) {
    kind_ = kind;
    start_ = at;
    lasso_ = {at};
}

std::vector<std::int32_t> BlockSweep::move(const Layout& layout, QPointF from, QPointF to, double zoom) {
    if (kind_ == Kind::stroke)
        return blocks_between(layout, std::min(from.y(), to.y()), std::max(from.y(), to.y()),
                              [&](const QRectF& rect) { return touches(rect, from, to); });
    if (kind_ == Kind::frame) {
        const QRectF frame = QRectF(start_, to).normalized();
        return blocks_between(layout, frame.top(), frame.bottom(),
                              [&](const QRectF& rect) { return rect.intersects(frame); });
    }
    extend_lasso(to, zoom);
    const QRectF around = lasso_.boundingRect();
    return blocks_between(layout, around.top(), around.bottom(),
                          [&](const QRectF& rect) { return lasso_.containsPoint(rect.center(), Qt::OddEvenFill); });
}

void BlockSweep::extend_lasso(QPointF to, double zoom) {
    if (QLineF(lasso_.back(), to).length() * zoom >= lasso_step) lasso_ << to;
}

void BlockSweep::paint(QPainter& painter, const QTransform& to_viewport, QPoint pointer, QColor colour) const {
    if (kind_ == Kind::stroke) return;
    painter.setPen(QPen(colour, 1.5, Qt::DashLine));
    colour.setAlphaF(0.12F);
    painter.setBrush(colour);
    if (kind_ == Kind::lasso) painter.drawPolygon(to_viewport.map(lasso_).toPolygon(), Qt::OddEvenFill);
    else painter.drawRect(QRect(to_viewport.map(start_).toPoint(), pointer).normalized());
}

}  // namespace divisi::graphview
