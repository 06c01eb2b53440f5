// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/device_leases.h"

#include <utility>

namespace divisi::control::inline network {
namespace {

mesh::DeviceRegistration registration_of(const DeviceInfo& info, Incarnation incarnation) {
    mesh::DeviceRegistration said;
    said.name = info.name;
    said.incarnation = incarnation;
    said.role = info.role;
    said.addresses = {{info.endpoint, info.key}};
    for (const std::string& neighbour : info.neighbours) said.links.push_back({neighbour, {}, 0});
    said.buffer = info.buffer;
    said.limits = {info.mic_bytes_per_s, info.task_bytes_per_s};
    said.version = info.version;
    return said;
}

mesh::LeaseStanding standing_of(const mesh::Change& change, const mesh::DeviceRow& row) {
    if (change.removed) return mesh::LeaseStanding::lapsed;
    return row.stale ? mesh::LeaseStanding::stale : mesh::LeaseStanding::held;
}

}  // namespace

void DeviceLeases::poll() {
    const MeshDevices::Heard heard = devices_.take_heard();
    for (const std::string& name : heard.left) {
        services_.withdraw(name);
        incarnations_.erase(name);
        refused_.erase(name);
    }
    for (const std::string& name : heard.registered) {
        incarnations_[name] = ++newest_;
        hold(name);
    }
    for (const std::string& name : heard.reported) {
        renew(name);
        vouch(name);
    }
    tell();
}

void DeviceLeases::hold(const std::string& name) {
    const DeviceView* view = devices_.view(name);
    if (!view) return;
    const auto held = services_.hold(registration_of(view->info, incarnations_[name]),
                                     mesh::RoutingId(static_cast<std::uint16_t>(view->id)));
    if (held) {
        refused_.erase(name);
        return devices_.set_renewed(name);
    }
    if (refused_.insert(name).second)
        context_.append(
            Noted{Severity::warning, devices_.component_of(name), "", "has no lease: " + held.error().message()});
}

/// Renews the lease of a device. If its lease has lapsed, registers a new one.
void DeviceLeases::renew(const std::string& name) {
    if (services_.renew(name, incarnations_[name])) devices_.set_renewed(name);
    else hold(name);
}

/// Renews the leases of neighbours that this device reaches but the orchestrator does not.
void DeviceLeases::vouch(const std::string& name) {
    const DeviceView* view = devices_.view(name);
    if (!view) return;
    std::vector<std::string> reached;
    for (const NeighbourReport& one : view->neighbours)
        if (one.usable && devices_.is_away(one.id)) reached.push_back(devices_.name_of(one.id));
    for (const std::string& neighbour : reached) renew(neighbour);
}

void DeviceLeases::tell() {
    const mesh::Registry* registry = services_.begun();
    if (!registry || registry->revision() == told_) return;
    const mesh::WatchAnswer answer =
        registry->changes_since(registry->epoch(), std::exchange(told_, registry->revision()));
    if (const auto* changes = get_if<mesh::Changes>(&answer)) {
        for (const mesh::Change& change : changes->changes)
            if (const auto* row = get_if<mesh::DevicePtr>(&change.row))
                devices_.set_lease((*row)->said.name, standing_of(change, **row));
        return;
    }
    // The registry's history does not hold all changes, so compare all devices.
    for (const std::string& name : devices_.names()) {
        const mesh::DevicePtr row = registry->table().find_device(name);
        if (!row && refused_.contains(name)) continue;  // the device never had a lease that could expire
        devices_.set_lease(name, row ? standing_of({0, false, row}, *row) : mesh::LeaseStanding::lapsed);
    }
}

}  // namespace divisi::control::inline network
