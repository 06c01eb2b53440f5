// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <map>
#include <string>

#include "app/topology/mesh_parts.h"

namespace divisi::topology {

/// Centres of the MICs and routers that the user has dragged, by name.
struct Dragged {
    std::map<std::string, QPointF> mics, routers;
};

/// Positions of all elements, in units of the picture. At actual size a unit is a pixel.
struct MeshLayout {
    std::map<std::string, QRectF> mics;
    std::map<std::string, QRectF> nodes;    ///< rectangles of nodes, each inside the rectangle of its MIC
    std::map<std::string, QRectF> devices;  ///< rectangles of gateways inside their MIC, and of routers between MICs
    QRectF bounds;
};

/// Places MICs at the edges of the picture, with their gateways at the inner side, and the routers between the MICs.
/// Each router is near the middle of its neighbours and, if there is free space nearby, not on a link between two other
/// devices. Groups of routers that are connected only by gateways are placed apart from each other. The result depends
/// only on the parts, not on their order, and nothing overlaps.
MeshLayout arrange(const MeshParts& parts);
/// Moves the dragged elements to their places; nodes and gateways move with their MIC.
MeshLayout moved(MeshLayout layout, const MeshParts& parts, const Dragged& dragged);

inline constexpr double title_height = 30;  ///< height of the title of a MIC

}  // namespace divisi::topology
