// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <map>
#include <string>

#include "app/topology/mesh_parts.h"

namespace divisi::topology {

/// Where MICs and routers were dragged to, by name: the middle of each.
struct Dragged {
    std::map<std::string, QPointF> mics, routers;
};

/// Where everything stands, in units of the picture; at actual size a unit is a pixel.
struct MeshLayout {
    std::map<std::string, QRectF> mics;
    std::map<std::string, QRectF> nodes;    ///< inside their MIC
    std::map<std::string, QRectF> devices;  ///< gateways inside their MIC, routers between MICs
    QRectF bounds;
};

/// Places MICs around, their gateways facing inward, and routers between them: each near the middle of its neighbours,
/// parts of the mesh that only gateways join apart from each other, and aside of links that are not its own. The same
/// parts always give the same places, in whatever order they came, and nothing overlaps.
MeshLayout arrange(const MeshParts& parts);
/// Puts what was dragged there; nodes and gateways go with their MIC.
MeshLayout moved(MeshLayout layout, const MeshParts& parts, const Dragged& dragged);

inline constexpr double title_height = 30;  ///< of a MIC

}  // namespace divisi::topology
