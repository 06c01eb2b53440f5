// SPDX-License-Identifier: Apache-2.0
// The map of the mesh, as the cluster's state has it for plans, and the links of it that can be measured.
#include <algorithm>
#include <set>

#include "backend/control/mesh_devices.h"

namespace divisi::control {
namespace {

MeshMember member_of(const DeviceView& view) {
    return {view.id, view.info.name, view.info.role, view.info.mic, view.info.host, view.info.neighbours};
}

}  // namespace

/// Appends what has changed against the state.
void MeshDevices::remember() {
    std::vector<std::string> left;
    for (const auto& [name, member] : desk_.state().devices)
        if (!devices_.contains(name)) left.push_back(name);
    for (const std::string& name : left) desk_.append(DeviceLeft{name});
    for (const auto& [name, device] : devices_) {
        const MeshMember member = member_of(device.view);
        const auto known = desk_.state().devices.find(name);
        if (known == desk_.state().devices.end() || known->second != member) desk_.append(DeviceJoined{member});
    }
}

std::vector<MeshDevices::Way> MeshDevices::ways() const {
    std::set<std::pair<std::string, std::string>> ends;
    for (const auto& [name, device] : devices_)
        for (const std::string& neighbour : device.view.info.neighbours) {
            ends.insert({name, neighbour});
            ends.insert({neighbour, name});
        }
    std::vector<Way> ways;
    for (const auto& [from, to] : ends) {
        const auto here = devices_.find(from), there = devices_.find(to);
        if (here == devices_.end() || there == devices_.end()) continue;
        if (!here->second.peer || !there->second.peer) continue;
        const auto& reports = here->second.view.neighbours;
        const bool works = std::ranges::any_of(
            reports, [&](const NeighbourReport& one) { return one.usable && one.id == there->second.view.id; });
        if (!works) continue;
        Way way{from, to, *here->second.peer, there->second.view.id, {}};
        const std::string &a = std::min(from, to), &b = std::max(from, to);
        for (const LinkFault& fault : faults_)
            if (fault.a == a && fault.b == b) way.fault = fault;
        ways.push_back(std::move(way));
    }
    return ways;
}

}  // namespace divisi::control
