// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QSizeF>
#include <map>
#include <string>

#include "app/topology/mesh_parts.h"

namespace divisi::topology {

/// Returns the minimum size of the area for routers between the MICs.
QSizeF router_room(const MeshParts& parts);

/// Places routers of the given size on a grid inside `room`. The gateways around `room` must be placed already.
std::map<std::string, QRectF> place_routers(const MeshParts& parts, const std::map<std::string, QRectF>& gateways,
                                            const QRectF& room, QSizeF size);

}  // namespace divisi::topology
