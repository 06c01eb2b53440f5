// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "backend/mesh/forwarding/relay_flow.h"

namespace divisi::mesh::inline forwarding {

/// The flows of a device, by their key and by their name in RSVP. Each flow has one key and one name.
class FlowTable {
public:
    /// Return the flow; null if the device does not have it.
    RelayFlow* find(const FlowKey& key);
    const RelayFlow* find(const FlowKey& key) const;
    RelayFlow* find(const FlowName& name);
    bool contains(const FlowKey& key) const { return flows_.contains(key); }
    /// Returns whether the flow exists on either of its two paths.
    bool has_either_path(const FlowKey& key) const;
    std::size_t size() const { return flows_.size(); }

    /// Adds a flow under a name that is not in use. The reference is valid until the flow is erased.
    RelayFlow& add(const FlowKey& key, const FlowName& name, FlowSids sids);
    void erase(const FlowKey& key);
    /// Chooses a number for a new flow between two gateways. Numbers in use, and 0, are skipped.
    FlowName unused_name(RoutingId source, RoutingId destination);

    // Iterators over the flows in the order of their keys, as pairs of key and flow.
    auto begin() { return flows_.begin(); }
    auto end() { return flows_.end(); }
    auto begin() const { return flows_.begin(); }
    auto end() const { return flows_.end(); }

private:
    std::map<FlowKey, RelayFlow> flows_;
    std::map<FlowName, FlowKey> names_;
    std::uint16_t last_number_ = 0;
};

}  // namespace divisi::mesh::inline forwarding
