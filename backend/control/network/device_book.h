// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "backend/control/types/mesh_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline network {

/// Converts an identifier from a message to the 16 bits of the registry. Messages are checked when they arrive.
inline mesh::RoutingId routing_id(std::uint32_t id) { return mesh::RoutingId(static_cast<std::uint16_t>(id)); }

/// The registered gateways and routers, found by name, routing identifier, connection or MIC.
class DeviceBook {
public:
    struct Known {
        DeviceView view;
        /// connection of the device; none: the connection was lost, and the device is expected to return
        std::optional<PeerId> peer;
    };

    /// Returns all devices by name.
    const std::map<std::string, Known>& all() const { return devices_; }
    std::size_t size() const { return devices_.size(); }
    bool contains(const std::string& name) const { return devices_.contains(name); }
    /// Finds a device. All find functions and gateway_of() return null if there is none.
    const Known* find(const std::string& name) const;
    const Known* find(std::uint32_t id) const;
    const Known* find(PeerId peer) const;
    /// Finds a device to be changed. The caller must not change its name, MIC, neighbours, connection or routing
    /// identifier.
    Known* find(PeerId peer);
    const Known* gateway_of(const MicId& mic) const;
    /// Returns whether either device names the other as its neighbour.
    bool linked(const std::string& a, const std::string& b) const;
    /// Returns all devices linked to this one, in the order of their names.
    std::set<std::string> neighbours(const std::string& name) const;

    /// Adds or updates a connected device. A known device keeps its routing identifier. A new device gets `wanted` if
    /// that number is free, otherwise the lowest free number. The MIC of a gateway must have no other gateway.
    Known& put(const DeviceInfo& info, PeerId peer, std::uint32_t wanted);
    /// Records that a device's connection has ended.
    void part(const std::string& name);
    void erase(const std::string& name);

private:
    std::uint32_t free_id(std::uint32_t wanted) const;
    /// Removes a device from all indexes except the index by routing identifier.
    void withdraw(const std::string& name, const Known& device);

    std::map<std::string, Known> devices_;
    std::map<PeerId, std::string> by_peer_;
    std::map<std::uint32_t, std::string> by_id_;
    std::map<MicId, std::string> gateways_;
    /// for each neighbour, present or not: the devices that name it
    std::map<std::string, std::set<std::string>> named_by_;
};

}  // namespace divisi::control::inline network
