// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "backend/mesh/base/place.h"
#include "backend/mesh/base/topology.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline forwarding {

/// The route table that a device received last (signaling type 2): the devices, their links, and the places of SIDs.
class RouteTable {
public:
    void set(Topology topology, std::map<std::uint64_t, Place> places);

    const Topology& topology() const { return topology_; }
    /// Returns the place of a SID, given its flow_id; null if the table does not have it.
    const Place* place(std::uint64_t sid) const;
    /// Returns the device with this address; nothing if the table has no such device.
    std::optional<RoutingId> device_at(const Ipv6& address) const;
    /// Returns the device's name, or `otherwise` if the table does not have the device.
    std::string name_of(RoutingId device, const char* otherwise) const;
    /// Returns whether the table has both SIDs of the flow, with its task.
    bool has_flow(const FlowKey& key, const FlowSids& sids) const;

private:
    Topology topology_;
    std::map<std::uint64_t, Place> places_;
    std::map<Ipv6, RoutingId> by_address_;
};

}  // namespace divisi::mesh::inline forwarding
