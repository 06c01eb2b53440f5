// SPDX-License-Identifier: Apache-2.0
// Keeps the map of the mesh in the cluster's state, for plans, and lists the links that can be measured.
#include <algorithm>
#include <set>

#include "backend/control/network/mesh_devices.h"

namespace divisi::control::inline network {
namespace {

MeshMember member_of(const DeviceView& view) {
    return {view.id, view.info.name, view.info.role, view.info.mic, view.info.host, view.info.neighbours};
}

}  // namespace

/// Records a device in the cluster's state. Does nothing if the state already has the same entry.
void MeshDevices::remember(const std::string& name) {
    const MeshMember member = member_of(devices_.find(name)->view);
    const auto known = context_.state().devices.find(name);
    if (known == context_.state().devices.end() || known->second != member) context_.append(DeviceJoined{member});
}

std::vector<MeshDevices::Way> MeshDevices::ways() const {
    std::vector<Way> ways;
    for (const auto& [from, here] : devices_.all())
        for (const std::string& to : devices_.neighbours(from)) {
            const Known& there = *devices_.find(to);
            if (!here.peer || !there.peer) continue;
            const bool works = std::ranges::any_of(here.view.neighbours, [&](const NeighbourReport& one) {
                return one.usable && one.id == there.view.id;
            });
            if (!works) continue;
            Way way{from, to, *here.peer, there.view.id, {}};
            const std::string &a = std::min(from, to), &b = std::max(from, to);
            for (const LinkFault& fault : faults_)
                if (fault.a == a && fault.b == b) way.fault = fault;
            ways.push_back(std::move(way));
        }
    return ways;
}

}  // namespace divisi::control::inline network
