// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QSizeF>
#include <map>
#include <string>

#include "app/topology/mesh_parts.h"

namespace divisi::topology {

/// The room that routers between MICs need at least.
QSizeF router_room(const MeshParts& parts);

/// Places routers of this size on a grid inside a room around which the gateways stand already.
std::map<std::string, QRectF> place_routers(const MeshParts& parts, const std::map<std::string, QRectF>& gateways,
                                            const QRectF& room, QSizeF size);

}  // namespace divisi::topology
