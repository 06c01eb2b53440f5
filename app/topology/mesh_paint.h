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
    double zoom = 1;        ///< pixels per unit; unreadably small parts are left out
    bool choosing = false;  ///< a task is chosen: parts not highlighted are dimmed
    MeshWatch::Time now{};  ///< current time, from which ages are computed
};

/// Returns the outline of a device: a hexagon for a router, a rectangle with cut corners for a gateway.
QPainterPath device_outline(const QRectF& rect, mesh::DeviceRole role);

/// Returns where the instances of a node are painted. Instances without room are left out.
std::vector<QRectF> instance_places(const QRectF& node, std::size_t count);

/// The geometry of a link between the outlines of two devices.
struct LinkGeometry {
    QLineF line;   ///< from the first end's outline to the second's
    QPointF side;  ///< unit vector to the left of the line; the lane from first to second is on this side
    QRectF label;  ///< room for the text in the middle
};
LinkGeometry link_geometry(const QRectF& a, mesh::DeviceRole role_a, const QRectF& b, mesh::DeviceRole role_b);
/// Returns the width of a lane in units: 1.5 up to 1 kB/s, 10 from 1 GB/s, logarithmic between.
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
/// Returns the rectangle of a link's label; empty if there is none.
QRectF link_label(const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style);

/// Returns the look of a node. A node that is ready for the cluster may still be shown as silent.
model::StateLook node_look(const NodeLook& look, const model::Colours& colours, MeshWatch::Time now);
/// Return the state in words, such as "mic-1 · 2 of 4 nodes ready". Also used for tooltips.
QString mic_text(const MicLook& look);
QString link_text(const LinkLook& look);
/// Returns the text of a fault: "✂ cut on purpose", "▼ slowed: 20 MB/s, +10 ms".
QString fault_text(const control::LinkFault& fault);

}  // namespace divisi::topology
