// SPDX-License-Identifier: Apache-2.0
// Adds the ends of blob transfers to the messages for gateways and routers.
#include <algorithm>
#include <tuple>

#include "backend/control/network/mesh_devices.h"
#include "backend/mesh/base/place.h"

namespace divisi::control::inline network {

void MeshDevices::set_blob_ends(std::vector<BlobEnd> ends) {
    if (ends == blob_ends_) return;
    blob_ends_ = std::move(ends);
    access_.set_blob_ends(blob_ends_);
    changed_ = true;
}

void MeshDevices::place_blob_ends(MeshTable& table) const {
    for (const BlobEnd& end : blob_ends_) {
        const Known* gateway = gateway_of(end.node);
        const auto node = context_.state().nodes.find(end.node);
        if (!gateway || node == context_.state().nodes.end()) continue;
        table.places.push_back(
            {TaskId(mesh::blob_root), end.sid, gateway->view.id, end.endpoint, node->second.info.blob_key});
    }
    const auto key = [](const TablePlace& place) { return std::tie(place.task, place.sid); };
    if (!blob_ends_.empty())
        std::ranges::sort(table.places, [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

}  // namespace divisi::control::inline network
