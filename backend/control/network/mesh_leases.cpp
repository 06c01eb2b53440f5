// SPDX-License-Identifier: Apache-2.0
// Applies the state of gateway and router leases to the paths between devices.
#include <algorithm>

#include "backend/control/network/mesh_devices.h"

namespace divisi::control::inline network {

std::vector<std::string> MeshDevices::names() const {
    std::vector<std::string> names;
    for (const auto& [name, device] : devices_.all()) names.push_back(name);
    return names;
}

bool MeshDevices::is_away(std::uint32_t id) const {
    const Known* device = devices_.find(id);
    return device && !device->peer;
}

void MeshDevices::set_renewed(const std::string& name) { leases_[name].renewed = context_.lived(); }

void MeshDevices::set_lease(const std::string& name, mesh::LeaseStanding standing) {
    const Known* device = devices_.find(name);
    if (!device) return;
    const mesh::LeaseStanding before = std::exchange(leases_[name].standing, standing);
    const bool lapsed = standing == mesh::LeaseStanding::lapsed;
    if (lapsed == (before == mesh::LeaseStanding::lapsed)) return;
    const bool router = device->view.info.role == mesh::DeviceRole::router;
    const std::string then = router ? "no path uses it" : "its MIC keeps this gateway until another gateway joins";
    if (lapsed)
        note_coming(
            device->view.info, Severity::warning,
            "its lease has lapsed, because neither the device nor a neighbour that reaches it has reported: " + then);
    else note_coming(device->view.info, Severity::info, "its lease is valid again");
    if (!router) return;
    // Plans use no path through this router until its lease is valid again.
    if (lapsed) context_.append(DeviceLeft{name});
    else remember(name);
    devices_changed();
}

bool MeshDevices::leads_nowhere(const Known& device) const {
    const auto lease = leases_.find(device.view.info.name);
    return device.view.info.role == mesh::DeviceRole::router && lease != leases_.end() &&
           lease->second.standing == mesh::LeaseStanding::lapsed;
}

DeviceView MeshDevices::shown(const Known& device) const {
    DeviceView view = device.view;
    const auto lease = leases_.find(view.info.name);
    if (lease == leases_.end()) return view;
    view.lease = lease->second.standing;
    const Duration age = std::max(context_.lived() - lease->second.renewed, Duration{});
    view.renewed_ms = std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
    return view;
}

}  // namespace divisi::control::inline network
