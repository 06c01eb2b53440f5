// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend/control/core/desk.h"
#include "backend/control/network/mesh_devices.h"

namespace divisi::control::inline network {

/// Measures links one at a time while nobody trains: those between nodes, once per pair of hosts and transport, by
/// tensors that one node's agent sends and another's takes, over the data plane of the instances; and those between
/// gateways and routers, each way, by the devices themselves. The latter hold for one life of the orchestrator and of
/// both devices, which promise windows by them, and until a fault is made of the link or healed.
class LinkSurvey {
public:
    LinkSurvey(Desk& desk, const MeshDevices& devices) : desk_(desk), devices_(devices) {}

    /// Begins, ends or gives up a probe, as it is time for. To be called after every input.
    void look();
    void handle(const Received& received, const MeasureLinks& message);
    void handle(const Received& received, const ProbeServed& message);
    void handle(const Received& received, const ProbeEnded& message);
    /// A node is away or gone: its probe ends.
    void node_gone(const NodeId& node);
    /// A connection is about to be forgotten. If a device has it, its probe ends, and what was tried in vain of its
    /// links says nothing of what it will be when it is back.
    void peer_gone(PeerId peer);
    /// What happens to nodes and tasks would disturb a probe.
    void follow(const Event& event);
    std::optional<TimePoint> next_deadline() const;  ///< in lived time

private:
    /// A link that is being measured.
    struct Probe {
        std::uint64_t number = 0;
        NodeId from, to;
        TimePoint deadline{};
        std::optional<MeshDevices::Way> way;  ///< in place of nodes
    };

    bool idle() const;
    std::optional<std::pair<NodeId, NodeId>> link_to_measure() const;
    std::optional<MeshDevices::Way> way_to_measure() const;
    bool is_fresh(const LinkKey& key) const;
    bool was_tried(const LinkKey& key) const;
    void start(const NodeId& from, const NodeId& to);
    void start(const MeshDevices::Way& way);
    bool is_from(PeerId peer) const;
    void fail(const std::string& why);
    void end();
    void forget_failures(const std::string& device);
    LinkKey key() const;

    Desk& desk_;
    const MeshDevices& devices_;
    std::optional<Probe> probe_;
    std::uint64_t last_probe_ = 0;
    TimePoint quiet_since_{};  ///< since when nothing that would disturb a probe has happened
    TimePoint asked_{};        ///< an operator wants links that were measured after this
    TimePoint next_{};         ///< all links are known, or a task runs: until then there is nothing to look for
    std::map<LinkKey, TimePoint> failed_;
    std::map<LinkKey, LinkFault> measured_with_;  ///< of links of the mesh: the fault that there was
    std::uint64_t fault_changes_ = 0;             ///< as last seen
};

}  // namespace divisi::control::inline network
