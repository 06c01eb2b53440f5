// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>

#include "app/graphview/placing/layout.h"

namespace divisi::graphview {

/// A zoom, and the point of the viewport at which a point of the scene appears.
struct CameraPosition {
    double zoom = 1;
    QPointF scene, viewport;
};

// `graph` is the rectangle of the graph in the scene. `viewport` is the rectangle of the viewport in pixels. The
// results leave margins for the labels at the edges of the viewport.

/// Returns the position that shows the whole graph; nothing if the graph would be too small to recognise.
std::optional<CameraPosition> fit_whole(const QRectF& graph, const QRectF& viewport);
/// Returns the position that shows the graph around a point of the scene at a readable zoom.
CameraPosition fit_readable(const QRectF& graph, const QRectF& viewport, QPointF around);
/// Returns the position that shows the top of the graph. The zoom fits the graph's width unless text would then be
/// unreadable.
CameraPosition fit_width(const QRectF& graph, const QRectF& viewport);
/// Returns the position that shows the first or last row of the graph, with `x` in the middle of the viewport.
CameraPosition end_of_graph(const QRectF& graph, const QRectF& viewport, double zoom, double x, bool last);
/// Returns the point of the graph that is nearest to a point of the scene.
QPointF nearest_in(const QRectF& graph, QPointF point);
/// Returns the point to centre so that the line of a cut becomes visible; nothing if it is visible already. `shown` is
/// the visible part of the scene.
std::optional<QPointF> centre_for(const CutLine& line, const QRectF& shown);

}  // namespace divisi::graphview
