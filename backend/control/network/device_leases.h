// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "backend/control/network/mesh_devices.h"
#include "backend/control/network/services.h"

namespace divisi::control::inline network {

/// Leases of gateways and routers in the registry (SRD), beside those of instances: a registration gives one, each
/// report renews it. A device that is cut off from the orchestrator is vouched for by neighbours that reach it, since
/// it forwards all the same. Lapses are told to MeshDevices, which takes a router out of all ways.
class DeviceLeases {
public:
    DeviceLeases(Desk& desk, MeshDevices& devices, Services& services)
        : desk_(desk), devices_(devices), services_(services) {}

    /// After each input, before the route table is told: renews, gives back, and tells what has become of leases.
    void look();

private:
    void hold(const std::string& name);
    void renew(const std::string& name);
    void vouch(const std::string& name);
    void tell();

    Desk& desk_;
    MeshDevices& devices_;
    Services& services_;
    std::map<std::string, Incarnation> incarnations_;  ///< of those that are there
    std::set<std::string> refused_;                    ///< by the registry, which is logged once
    Incarnation newest_ = 0;
    mesh::Revision told_ = 0;
};

}  // namespace divisi::control::inline network
