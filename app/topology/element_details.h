// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "app/topology/mesh_picture.h"

namespace divisi::topology {

struct Detail {
    QString name, value;
    std::vector<LinkName> links = {};  ///< that its path goes over, in the order of the path
};

/// "Router sr-1", "Link mg-1 – sr-1": what an element is and how it is called.
QString title_of(const Element& element, const MeshPicture& picture);
/// A node's name without the MIC before it, inside which it is painted.
QString node_title(const std::string& node);

/// All that is known of an element, a line each, for people who want more than the picture says.
std::vector<Detail> details_of(const Element& element, const MeshPicture& picture, const client::ClusterData& cluster,
                               const MeshWatch& watch, MeshWatch::Time now);

}  // namespace divisi::topology
