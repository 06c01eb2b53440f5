// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QPainter>
#include <QPainterPath>
#include <QRectF>
#include <QString>

#include "app/model/wording/colours.h"
#include "app/model/wording/states.h"
#include "app/topology/mesh_picture.h"

namespace divisi::topology {

/// The style of all parts of one frame.
struct PaintStyle {
    const model::Colours* colours = &model::dark_colours();
    double zoom = 1;        ///< pixels per unit; parts that would be unreadably small are left out
    bool choosing = false;  ///< whether a task is chosen, so that parts that are not highlighted are dimmed
    MeshWatch::Time now{};  ///< current time, from which ages are computed
};

/// Returns the outline of a device: a hexagon for a router, a rectangle with cut corners for a gateway.
QPainterPath device_outline(const QRectF& rect, mesh::DeviceRole role);

/// Returns the rectangles in which the instances of a node are painted. Instances that do not fit are left out.
std::vector<QRectF> instance_places(const QRectF& node, std::size_t count);

/// The geometry of a link between the outlines of two devices.
struct LinkGeometry {
    QLineF line;   ///< from the outline of the first end to the outline of the second end
    QPointF side;  ///< unit vector to the left of the line; the lane from first to second is on this side
    QRectF label;  ///< rectangle for the text in the middle of the link
};
LinkGeometry link_geometry(const QRectF& a, mesh::DeviceRole role_a, const QRectF& b, mesh::DeviceRole role_b);
/// Returns the width of a lane in units: 1.5 up to 1 kB/s, 10 from 1 GB/s, logarithmic in between.
double lane_width(double bytes_per_s);
/// Formats a rate, such as "3.1 MiB/s".
QString rate_text(double bytes_per_s);

void paint_mic(QPainter& painter, const QRectF& rect, const QString& name, const MicLook& look,
               const PaintStyle& style);
void paint_node(QPainter& painter, const QRectF& rect, const QString& name, const NodeLook& look,
                const PaintStyle& style);
void paint_device(QPainter& painter, const QRectF& rect, const QString& name, const DeviceLook& look,
                  const PaintStyle& style);
void paint_link(QPainter& painter, const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style);
/// Returns the rectangle of a link's label; empty if the link has no label.
QRectF link_label(const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style);

/// Returns the look of a node. A node can be shown as silent although its state in the cluster is ready.
model::StateLook node_look(const NodeLook& look, const model::Colours& colours, MeshWatch::Time now);
/// These functions return a state as a text, such as "mic-1 · 2 of 4 nodes ready". The texts are also used as tooltips.
QString mic_text(const MicLook& look);
QString link_text(const LinkLook& look);
/// Returns the text of a fault, such as "✂ cut on purpose" or "▼ slowed: 20 MB/s, +10 ms".
QString fault_text(const control::LinkFault& fault);

}  // namespace divisi::topology
