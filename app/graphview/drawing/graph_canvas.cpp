// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/drawing/graph_canvas.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionGraphicsItem>
#include <algorithm>
#include <cmath>

#include "app/model/wording/text_scale.h"

namespace divisi::graphview {

using namespace metrics;

void GraphCanvas::show(const model::LoadedModel* model, LayoutPtr shown) {
    prepareGeometryChange();
    model_ = model;
    layout_ = shown ? std::move(shown) : std::make_shared<const Layout>();
    selected_ = -1;
    chosen_.clear();
    matches_.clear();
    painting_.reset();
    segment_.clear();
    waiting_.clear();
    figures_ = {};
    most_work_ = 1;
    for (const PlacedBlock& placed : layout().blocks()) {
        const model::Block& block = model_->tree.blocks[placed.block];
        most_work_ = std::max(most_work_, model_->work(block.first, block.last + 1));
    }
    update();
}

void GraphCanvas::set_colours(const model::Colours& colours) {
    colours_ = &colours;
    update();
}

void GraphCanvas::set_selected(std::int32_t current, const std::vector<std::int32_t>& placed) {
    selected_ = current;
    chosen_.assign(layout().blocks().size(), false);
    for (const std::int32_t block : placed)
        if (block >= 0) chosen_[block] = true;
    update();
}

std::vector<std::int32_t> GraphCanvas::all_selected() const {
    std::vector<std::int32_t> all;
    for (std::size_t i = 0; i < chosen_.size(); ++i)
        if (chosen_[i]) all.push_back(static_cast<std::int32_t>(i));
    return all;
}

void GraphCanvas::set_matches(std::vector<bool> blocks) {
    matches_ = std::move(blocks);
    update();
}

std::int32_t GraphCanvas::block_at(QPointF point) const {
    const auto [first, last] = layout().rows_between(point.y(), point.y());
    for (std::int32_t row = first; row <= last; ++row) {
        const Row& blocks = layout().rows()[row];
        for (std::int32_t i = blocks.first; i < blocks.first + blocks.count; ++i)
            if (layout().blocks()[i].rect.contains(point)) return i;
    }
    return -1;
}

std::int32_t GraphCanvas::scope_header_at(QPointF point) const {
    std::int32_t found = -1;
    for (const PlacedScope& scope : layout().scopes()) {
        const QRectF header(scope.rect.left(), scope.rect.top(), scope.rect.width(), scope_header);
        if (header.contains(point)) found = scope.block;
    }
    return found;
}

std::shared_ptr<const GraphCanvas> GraphCanvas::copy() const {
    auto copy = std::make_shared<GraphCanvas>();
    copy->model_ = model_;
    copy->layout_ = layout_;
    copy->colours_ = colours_;
    copy->selected_ = selected_;
    copy->chosen_ = chosen_;
    copy->painting_ = painting_;
    copy->segment_ = segment_;
    copy->waiting_ = waiting_;
    copy->matches_ = matches_;
    copy->most_work_ = most_work_;
    copy->figures_ = figures_;
    return copy;
}

void GraphCanvas::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*) {
    paint_on(*painter, option->exposedRect);
}

void GraphCanvas::paint_on(QPainter& painter, const QRectF& exposed) const {
    if (!model_) return;
    const double zoom = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter.worldTransform());
    painter.setRenderHint(QPainter::Antialiasing, zoom >= detail_zoom);
    paint_scopes(painter, exposed, zoom);
    if (zoom * (block_height + row_gap) < 3) {
        paint_far(painter, exposed, zoom);
        return;
    }
    paint_edges(painter, exposed, zoom);
    paint_blocks(painter, exposed, zoom);
}

void GraphCanvas::paint_scopes(QPainter& painter, const QRectF& exposed, double zoom) const {
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(13));
    for (const PlacedScope& scope : layout().scopes()) {
        if (!scope.rect.intersects(exposed)) continue;
        QColor fill = colours_->scope;
        fill.setAlphaF(0.16F);
        painter.setPen(QPen(colours_->scope, 0));
        painter.setBrush(fill);
        if (zoom < detail_zoom) {
            painter.drawRect(scope.rect);
            continue;
        }
        painter.drawRoundedRect(scope.rect, 8, 8);
        painter.setPen(colours_->faint);
        painter.setFont(font);
        const QRectF header =
            QRectF(scope.rect.left(), scope.rect.top(), scope.rect.width(), scope_header).adjusted(12, 0, -12, 0);
        const model::Block& block = model_->tree.blocks[scope.block];
        const QString text = QStringLiteral("\u25be  ") + QString::fromStdString(block.label);
        painter.drawText(header, Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(text, Qt::ElideMiddle, static_cast<int>(header.width())));
    }
}

namespace {

/// Returns the corners of an edge in a folded layout. The edge goes straight to the next block, above the blocks in
/// between, through the gap below the row, or in a lane.
QPolygonF folded_edge(const Layout& layout, const PlacedEdge& edge) {
    const QRectF &from = layout.blocks()[edge.from].rect, &to = layout.blocks()[edge.to].rect;
    if (edge.to == edge.from + 1 && from.top() == to.top())
        return QPolygonF({QPointF(from.right(), from.center().y()), QPointF(to.left(), to.center().y())});
    constexpr double off = 14, inset = 24;
    if (from.top() == to.top()) {
        const QPointF start(from.right() - inset, from.top()), end(to.left() + inset, to.top());
        return QPolygonF({start, start - QPointF(0, off), end - QPointF(0, off), end});
    }
    const QPointF start(from.center().x(), from.bottom()), end(to.center().x(), to.top());
    if (!edge.in_lane) {
        const double middle = from.bottom() + row_gap / 2;
        return QPolygonF({start, QPointF(start.x(), middle), QPointF(end.x(), middle), end});
    }
    return QPolygonF({start, start + QPointF(0, off), QPointF(edge.lane_x, start.y() + off),
                      QPointF(edge.lane_x, end.y() - off), end - QPointF(0, off), end});
}

bool touches_fold(const Layout& layout, const PlacedEdge& edge) {
    const auto folded = [&](std::int32_t block) { return layout.rows()[layout.blocks()[block].row].folded(); };
    return folded(edge.from) || folded(edge.to);
}

/// Returns whether an edge in a folded layout is visible. An edge within a row is hidden if its blocks almost touch at
/// this zoom.
bool fold_shows(const QRectF& from, const QRectF& to, const QRectF& exposed, double zoom) {
    if (from.top() != to.top()) return true;
    if (to.right() < exposed.left() || from.left() > exposed.right()) return false;
    return zoom * column_gap >= 3;  // below this distance, the blocks almost touch
}

/// Returns the path from the bottom of one block to the top of another, straight down or in its lane.
QPainterPath edge_path(const Layout& layout, const PlacedEdge& edge) {
    const PlacedBlock &from = layout.blocks()[edge.from], &to = layout.blocks()[edge.to];
    const QPointF start(from.rect.center().x(), from.rect.bottom());
    const QPointF end(to.rect.center().x(), to.rect.top());
    QPainterPath path(start);
    constexpr double reach = row_gap * 0.6;
    if (!edge.in_lane) {
        // Bend below the source, then straight down to the target.
        const double bend = std::min(end.y(), layout.rows()[from.row].bottom + row_gap);
        path.cubicTo(start.x(), start.y() + reach, end.x(), bend - reach, end.x(), bend);
        if (bend < end.y()) path.lineTo(end);
        return path;
    }
    const QPointF side(from.rect.right(), from.rect.center().y() + 8);
    const QPointF target(to.rect.right(), to.rect.center().y() - 8);
    constexpr double radius = 8;
    path.moveTo(side);
    path.lineTo(edge.lane_x - radius, side.y());
    path.quadTo(edge.lane_x, side.y(), edge.lane_x, side.y() + radius);
    path.lineTo(edge.lane_x, target.y() - radius);
    path.quadTo(edge.lane_x, target.y(), edge.lane_x - radius, target.y());
    path.lineTo(target);
    return path;
}

void paint_arrow(QPainter& painter, const Layout& layout, const PlacedEdge& edge) {
    const QRectF& to = layout.blocks()[edge.to].rect;
    constexpr double size = 4;
    if (touches_fold(layout, edge)) {
        const QPolygonF way = folded_edge(layout, edge);
        const QPointF tip = way.back();
        const bool right = way.size() == 2;
        const QPointF points[] = {tip, tip + (right ? QPointF(-size * 1.5, -size) : QPointF(-size, -size * 1.5)),
                                  tip + (right ? QPointF(-size * 1.5, size) : QPointF(size, -size * 1.5))};
        painter.drawPolygon(points, 3);
    } else if (edge.in_lane) {
        const QPointF tip(to.right(), to.center().y() - 8);
        const QPointF points[] = {tip, tip + QPointF(size * 1.5, -size), tip + QPointF(size * 1.5, size)};
        painter.drawPolygon(points, 3);
    } else {
        const QPointF tip(to.center().x(), to.top());
        const QPointF points[] = {tip, tip + QPointF(-size, -size * 1.5), tip + QPointF(size, -size * 1.5)};
        painter.drawPolygon(points, 3);
    }
}

}  // namespace

void GraphCanvas::paint_edges(QPainter& painter, const QRectF& exposed, double zoom) const {
    const auto& blocks = layout().blocks();
    const bool detail = zoom >= detail_zoom;
    QPen plain(colours_->edge, detail ? 1.2 : 0), marked(colours_->accent, detail ? 2.0 : 0);
    // Edges between segments are wider than other edges. Edges between segments that wait for each other are dashed.
    QPen crossing(colours_->text, detail ? 2.0 : 0), waiting(colours_->bad, detail ? 3.5 : 2, Qt::DashLine);
    waiting.setCosmetic(!detail);
    for (const PlacedEdge& edge : layout().edges()) {
        const QRectF &from = blocks[edge.from].rect, &to = blocks[edge.to].rect;
        if (to.bottom() < exposed.top() || from.top() > exposed.bottom()) continue;
        const bool fold = layout().folded() && touches_fold(layout(), edge);
        if (fold && !fold_shows(from, to, exposed, zoom)) continue;
        const bool mark = is_selected(edge.from) || is_selected(edge.to);
        painter.setPen(mark ? marked : plain);
        if (painting_) painter.setPen(in_cycle(edge) ? waiting : crosses(edge) ? crossing : mark ? marked : plain);
        painter.setBrush(Qt::NoBrush);
        if (detail) {
            if (fold) painter.drawPolyline(folded_edge(layout(), edge));
            else painter.drawPath(edge_path(layout(), edge));
            painter.setBrush(painter.pen().color());
            painter.setPen(Qt::NoPen);
            paint_arrow(painter, layout(), edge);
        } else if (fold) {
            painter.drawPolyline(folded_edge(layout(), edge));
        } else if (edge.in_lane) {
            const QPointF points[] = {{from.right(), from.center().y()},
                                      {edge.lane_x, from.center().y()},
                                      {edge.lane_x, to.center().y()},
                                      {to.right(), to.center().y()}};
            painter.drawPolyline(points, 4);
        } else {
            painter.drawLine(QPointF(from.center().x(), from.bottom()), QPointF(to.center().x(), to.top()));
        }
    }
}

void GraphCanvas::paint_blocks(QPainter& painter, const QRectF& exposed, double zoom) const {
    const auto [first, last] = layout().rows_between(exposed.top() - 4, exposed.bottom() + 4);
    for (std::int32_t row = first; row <= last; ++row) {
        const Row& blocks = layout().rows()[row];
        for (std::int32_t i = blocks.first; i < blocks.first + blocks.count; ++i)
            if (layout().blocks()[i].rect.intersects(exposed)) paint_block(painter, i, zoom);
    }
}

void GraphCanvas::paint_far(QPainter& painter, const QRectF& exposed, double zoom) const {
    const auto [first, last] = layout().rows_between(exposed.top(), exposed.bottom());
    double drawn_to = -1e300;
    for (std::int32_t row = first; row <= last; ++row) {
        const Row& blocks = layout().rows()[row];
        if (blocks.top < drawn_to) continue;  // less than a pixel below the previous row
        drawn_to = blocks.top + 1 / zoom;
        for (const ColouredPart& part : far_parts(blocks, 1 / zoom))
            painter.fillRect(QRectF(part.left, blocks.top, part.right - part.left, block_height),
                             matches_.empty() ? part.colour : colours_->line);
    }
    if (matches_.empty() && chosen_.empty()) return;
    for (std::int32_t row = first; row <= last; ++row) paint_far_marks(painter, layout().rows()[row], 1 / zoom);
}

/// Paints marks in all rows, even in rows that share a pixel, so that every search match is visible.
void GraphCanvas::paint_far_marks(QPainter& painter, const Row& row, double pixel) const {
    for (std::int32_t i = row.first; i < row.first + row.count; ++i) {
        if (!is_match(i) && !is_selected(i)) continue;
        const QRectF& rect = layout().blocks()[i].rect;
        painter.fillRect(
            QRectF(rect.left(), rect.top(), std::max(rect.width(), pixel), std::max(rect.height(), 2 * pixel)),
            colours_->accent);
    }
}

void GraphCanvas::paint_block(QPainter& painter, std::int32_t index, double zoom) const {
    const PlacedBlock& placed = layout().blocks()[index];
    const model::Block& block = model_->tree.blocks[placed.block];
    const bool selected = is_selected(index);
    const bool match = !matches_.empty() && matches_[placed.block];
    const bool dimmed = !matches_.empty() && !match;
    if (zoom < detail_zoom) {
        const QColor plain = far_colour(index);
        painter.fillRect(placed.rect, selected || match ? colours_->accent : dimmed ? colours_->line : plain);
        return;
    }
    painter.setOpacity(dimmed ? 0.45 : 1);
    const QPen outline(selected || match ? colours_->accent : colours_->line, selected ? 2 : 1);
    painter.setPen(outline);
    painter.setBrush(colours_->raised);
    if (painting_ && segment_[index] != mixed_segments)
        painter.setBrush(model::painted_ground(segment_[index], *colours_));
    if (!block.is_operator()) {  // a stack of two blocks shows that there is more inside
        painter.drawRoundedRect(placed.rect.adjusted(4, 4, 4, 4), 6, 6);
    }
    painter.drawRoundedRect(placed.rect, 6, 6);
    QColor title_colour = colours_->text, subtitle_colour = colours_->faint;
    if (!figures_.value.empty()) {
        title_colour = subtitle_colour = fill_by_figure(painter, index);
        painter.setPen(outline);
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(placed.rect, 6, 6);
    }

    const double slack = 8 * (model::text_scale() - 1);  // larger text may use some of the margin around it
    QRectF inner = placed.rect.adjusted(12, std::max(1.0, 5 - slack), -12, -std::max(1.0, 6 - slack));
    if (painting_) inner.adjust(8, 0, -paint_segments(painter, index), 0);
    QFont font = painter.font();
    font.setPixelSize(model::scaled_px(13));
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(title_colour);
    QString title = QString::fromStdString(block.label);
    if (!block.is_operator()) title.prepend(QStringLiteral("\u25b8  "));
    painter.drawText(inner, Qt::AlignTop | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(title, Qt::ElideMiddle, static_cast<int>(inner.width())));
    font.setPixelSize(model::scaled_px(11));
    font.setWeight(QFont::Normal);
    painter.setFont(font);
    painter.setPen(subtitle_colour);
    if (!figures_.value.empty()) inner.adjust(0, 0, -14, 0);  // leave space for the hatch
    painter.drawText(
        inner, Qt::AlignBottom | Qt::AlignLeft,
        painter.fontMetrics().elidedText(subtitle(index), Qt::ElideRight, static_cast<int>(inner.width())));
    if (figures_.value.empty()) paint_work(painter, index);
    painter.setOpacity(1);
}

/// Paints the block's work relative to the heaviest visible block.
void GraphCanvas::paint_work(QPainter& painter, std::int32_t index) const {
    const QRectF& rect = layout().blocks()[index].rect;
    const model::Block& block = model_->tree.blocks[layout().blocks()[index].block];
    const double share = model_->work(block.first, block.last + 1) / most_work_;
    if (share <= 0.004) return;
    const double left = rect.left() + (painting_ ? segment_band + 6 : 6);
    painter.fillRect(QRectF(left, rect.bottom() - 3, (rect.right() - 6 - left) * share, 2), colours_->accent);
}

}  // namespace divisi::graphview
