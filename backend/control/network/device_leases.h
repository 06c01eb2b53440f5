// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "backend/control/network/mesh_devices.h"
#include "backend/control/network/services.h"

namespace divisi::control::inline network {

/// Maintains the leases of gateways and routers in the registry (SRD). A registration gives a device its lease, and
/// each report of the device renews the lease. If a device loses its connection to the orchestrator, neighbours that
/// still reach the device renew its lease, since the device still forwards. Each change of a lease is reported to
/// MeshDevices, which removes a router whose lease has lapsed from all paths.
class DeviceLeases {
public:
    DeviceLeases(OrchestratorContext& context, MeshDevices& devices, Services& services)
        : context_(context), devices_(devices), services_(services) {}

    /// Updates leases and reports their state. Called after each input, before the route table is updated.
    void poll();

private:
    void hold(const std::string& name);
    void renew(const std::string& name);
    void vouch(const std::string& name);
    void tell();

    OrchestratorContext& context_;
    MeshDevices& devices_;
    Services& services_;
    std::map<std::string, Incarnation> incarnations_;  ///< incarnations of registered devices
    std::set<std::string> refused_;                    ///< devices that the registry refused, each logged once
    Incarnation newest_ = 0;
    mesh::Revision told_ = 0;
};

}  // namespace divisi::control::inline network
