// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineF>
#include <QPainter>
#include <QPainterPath>
#include <QRectF>
#include <QString>

#include "app/model/colours.h"
#include "app/model/states.h"
#include "app/topology/mesh_picture.h"

namespace divisi::topology {

/// How all parts of one frame are painted.
struct PaintStyle {
    const model::Colours* colours = &model::dark_colours();
    double zoom = 1;        ///< pixels for a unit: what would be too small to read is left out
    bool choosing = false;  ///< a task is chosen: what is not lit steps back
    MeshWatch::Time now{};  ///< for ages
};

/// Hexagon: router; rectangle with cut corners: gateway.
QPainterPath device_outline(const QRectF& rect, mesh::DeviceRole role);

/// Where the instances of a node are painted; those that have no room are left out.
std::vector<QRectF> instance_places(const QRectF& node, std::size_t count);

/// A link between the outlines of two devices, and what is drawn along it.
struct LinkGeometry {
    QLineF line;   ///< from the first end's outline to the second's
    QPointF side;  ///< unit vector to the left of it: the lane from first to second runs on this side
    QRectF label;  ///< room for text in its middle
};
LinkGeometry link_geometry(const QRectF& a, mesh::DeviceRole role_a, const QRectF& b, mesh::DeviceRole role_b);
/// Units: 1.5 up to 1 kB/s, 10 from 1 GB/s on, logarithmic between.
double lane_width(double bytes_per_s);
/// "3.1 MiB/s".
QString rate_text(double bytes_per_s);

void paint_mic(QPainter& painter, const QRectF& rect, const QString& name, const MicLook& look,
               const PaintStyle& style);
void paint_node(QPainter& painter, const QRectF& rect, const QString& name, const NodeLook& look,
                const PaintStyle& style);
void paint_device(QPainter& painter, const QRectF& rect, const QString& name, const DeviceLook& look,
                  const PaintStyle& style);
void paint_link(QPainter& painter, const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style);
/// What is written on a link stands in this; empty where nothing is.
QRectF link_label(const LinkGeometry& geometry, const LinkLook& look, const PaintStyle& style);

/// A node that the cluster counts on may be silent all the same.
model::StateLook node_look(const NodeLook& look, const model::Colours& colours, MeshWatch::Time now);
/// "mic-1 · 2 of 4 nodes ready" and the like: the state in words, also for tooltips.
QString mic_text(const MicLook& look);
QString link_text(const LinkLook& look);
/// "✂ cut on purpose", "▼ slowed: 20 MB/s, +10 ms".
QString fault_text(const control::LinkFault& fault);

}  // namespace divisi::topology
