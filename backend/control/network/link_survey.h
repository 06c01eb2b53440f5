// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/mesh_devices.h"

namespace divisi::control::inline network {

/// Measures links one at a time while no task is pending (TaskView::pending()). Links between nodes are measured for
/// each pair of hosts and transport. One node's agent sends tensors to the other node's agent over the data plane of
/// instances. Links between gateways and routers are measured in each direction by the devices themselves, which use
/// the result to compute the windows that they promise. A result is valid for OrchestratorLimits::link_age. A result
/// of a mesh link is dropped if the orchestrator or one of the two devices restarts, or if the link's fault changes.
class LinkSurvey {
public:
    LinkSurvey(OrchestratorContext& context, const MeshDevices& devices) : context_(context), devices_(devices) {}

    /// Begins, ends or gives up a probe when due. Call after every input.
    void poll();
    void handle(const Received& received, const MeasureLinks& message);
    void handle(const Received& received, const ProbeServed& message);
    void handle(const Received& received, const ProbeEnded& message);
    /// Ends the probe of a node that is away or gone.
    void node_gone(const NodeId& node);
    /// Handles a connection that is about to be forgotten. If the peer belongs to a device, ends its probe and forgets
    /// its failed attempts, which say nothing about the device's links after its return.
    void peer_gone(PeerId peer);
    /// Postpones the next probe after events of nodes and tasks, which would disturb it.
    void follow(const Event& event);
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time

private:
    /// A link being measured.
    struct Probe {
        std::uint64_t number = 0;
        NodeId from, to;
        TimePoint deadline{};
        std::optional<MeshDevices::Way> way;  ///< the link between devices to measure; none: between nodes
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

    OrchestratorContext& context_;
    const MeshDevices& devices_;
    std::optional<Probe> probe_;
    std::uint64_t last_probe_ = 0;
    TimePoint quiet_since_{};  ///< time of the last event that would disturb a probe
    TimePoint asked_{};        ///< time of an operator's last request; older measurements do not count
    TimePoint next_{};         ///< time of the next search for a link to measure, if all links are known or a task runs
    std::map<LinkKey, TimePoint> failed_;
    std::map<LinkKey, LinkFault> measured_with_;  ///< links of the mesh, each with its fault at the time of measurement
    std::uint64_t fault_changes_ = 0;             ///< number of fault changes at the last poll
};

}  // namespace divisi::control::inline network
