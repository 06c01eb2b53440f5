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
    std::map<std::string, QRectF> nodes;    ///< inside their MIC
    std::map<std::string, QRectF> devices;  ///< gateways inside their MIC, routers between MICs
    QRectF bounds;
};

/// Places MICs around the picture, with their gateways facing inward, and the routers between them. Each router is near
/// the middle of its neighbours and away from links that are not its own. Parts of the mesh that only gateways connect
/// are kept apart. The result depends only on the parts, not on their order, and nothing overlaps.
MeshLayout arrange(const MeshParts& parts);
/// Moves the dragged elements to their places; nodes and gateways move with their MIC.
MeshLayout moved(MeshLayout layout, const MeshParts& parts, const Dragged& dragged);

inline constexpr double title_height = 30;  ///< title of a MIC

}  // namespace divisi::topology
