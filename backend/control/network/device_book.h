// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "backend/control/types/mesh_types.h"
#include "backend/control/types/peer.h"

namespace divisi::control::inline network {

/// The gateways and routers that have registered, found by name, routing identifier, connection and MIC.
class DeviceBook {
public:
    struct Known {
        DeviceView view;
        std::optional<PeerId> peer;  ///< none: its connection is gone, and it is expected back
    };

    /// By name.
    const std::map<std::string, Known>& all() const { return devices_; }
    std::size_t size() const { return devices_.size(); }
    bool contains(const std::string& name) const { return devices_.contains(name); }
    /// Null for those that are not there, also below.
    const Known* find(const std::string& name) const;
    const Known* find(std::uint32_t id) const;
    const Known* find(PeerId peer) const;
    /// To change it, but for its name, MIC, neighbours, connection and number.
    Known* find(PeerId peer);
    const Known* gateway_of(const MicId& mic) const;
    /// Whether either names the other as its neighbour.
    bool linked(const std::string& a, const std::string& b) const;
    /// All that are linked to it, in the order of their names.
    std::set<std::string> neighbours(const std::string& name) const;

    /// Enters it, or enters it anew, as connected. It keeps its routing identifier; a new one gets `wanted` where no
    /// other has that, else the lowest that is free. A gateway must be the first of its MIC.
    Known& put(const DeviceInfo& info, PeerId peer, std::uint32_t wanted);
    /// Its connection is gone.
    void part(const std::string& name);
    void erase(const std::string& name);

private:
    std::uint32_t free_id(std::uint32_t wanted) const;
    /// Takes it out of all indexes but those of its number.
    void withdraw(const std::string& name, const Known& device);

    std::map<std::string, Known> devices_;
    std::map<PeerId, std::string> by_peer_;
    std::map<std::uint32_t, std::string> by_id_;
    std::map<MicId, std::string> gateways_;
    std::map<std::string, std::set<std::string>>
        named_by_;  ///< who names it as a neighbour, whether it is there or not
};

}  // namespace divisi::control::inline network
