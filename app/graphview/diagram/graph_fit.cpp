// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_fit.h"

#include <algorithm>

#include "app/graphview/drawing/graph_canvas.h"

namespace divisi::graphview {

namespace {

/// Minimum zoom for fitting the whole graph, at which rows are 3 pixels apart. At a smaller zoom the graph would be
/// unrecognisable, so only a part of it is shown.
constexpr double least_fit = 3 / (metrics::block_height + metrics::row_gap);
/// Margins in pixels around the fitted graph, for the labels of segments and the bytes that cross cuts.
constexpr double left_room = 216, right_room = 168, end_room = 32;

QRectF room_in(const QRectF& viewport) { return viewport.adjusted(left_room, end_room, -right_room, -end_room); }

}  // namespace

std::optional<CameraPosition> fit_whole(const QRectF& graph, const QRectF& viewport) {
    const QRectF room = room_in(viewport);
    const double scale = std::min(room.width() / graph.width(), room.height() / graph.height());
    if (scale < least_fit) return {};
    return CameraPosition{std::min(scale, 1.0), graph.center(), room.center()};
}

CameraPosition fit_readable(const QRectF& graph, const QRectF& viewport, QPointF around) {
    const QRectF room = room_in(viewport);
    const double zoom = std::clamp(room.width() / graph.width(), GraphCanvas::readable_zoom, 1.0);
    return {zoom, around, room.center()};
}

CameraPosition fit_width(const QRectF& graph, const QRectF& viewport) {
    const QRectF room = room_in(viewport);
    const double zoom = std::clamp(room.width() / graph.width(), 0.6, 1.0);
    const bool fits = graph.width() * zoom <= room.width();
    return {zoom, QPointF(fits ? graph.center().x() : graph.left(), graph.top()),
            QPointF(fits ? room.center().x() : room.left(), room.top())};
}

CameraPosition end_of_graph(const QRectF& graph, const QRectF& viewport, double zoom, double x, bool last) {
    const double y = last ? viewport.height() - end_room : end_room;
    return {zoom, QPointF(x, last ? graph.bottom() : graph.top()), QPointF(viewport.width() / 2, y)};
}

QPointF nearest_in(const QRectF& graph, QPointF point) {
    return {std::clamp(point.x(), graph.left(), graph.right()), std::clamp(point.y(), graph.top(), graph.bottom())};
}

std::optional<QPointF> centre_for(const CutLine& line, const QRectF& shown) {
    const double y = line.left_y;
    const double room = shown.height() * 0.15;
    const double x = line.snap_x.value_or(shown.center().x());
    if (x < shown.left() || x > shown.right()) return QPointF(x, y);
    if (y < shown.top() + room || y > shown.bottom() - room) return QPointF(shown.center().x(), y);
    return {};
}

}  // namespace divisi::graphview
