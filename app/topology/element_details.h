// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "app/topology/mesh_picture.h"

namespace divisi::topology {

struct Detail {
    QString name, value;
    std::vector<LinkName> links = {};  ///< links of the path, in the order of the path
};

/// Returns the kind and name of an element: "Router sr-1", "Link mg-1 – sr-1".
QString title_of(const Element& element, const MeshPicture& picture);
/// Returns a node's name without the name of its MIC, because the node is painted inside the MIC.
QString node_title(const std::string& node);

/// Returns all known data about an element, one line for each field.
std::vector<Detail> details_of(const Element& element, const MeshPicture& picture, const client::ClusterData& cluster,
                               const MeshWatch& watch, MeshWatch::Time now);

}  // namespace divisi::topology
