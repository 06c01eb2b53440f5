// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agents/router/steering_text.h"
#include "backend/control/types/mesh_types.h"
#include "backend/file/descriptor.h"
#include "backend/link/event_loop.h"
#include "backend/mesh/forwarding/relay.h"
#include "backend/mesh/route/segment_routes.h"
#include "backend/process/child.h"

namespace divisi::router {

/// Implements --srv6. The kernels of this host and of the routers' hosts then forward the packets from this gateway to
/// linked gateways, on the path that mesh::SegmentRoutes chooses. At a router, this class allows the host's kernel to
/// forward such packets. A separate process (steering_guard.h) makes the changes and reverts them when this process
/// ends.
class SegmentSteering {
public:
    /// `folder`: folder in which a router's guard stores the settings to restore.
    SegmentSteering(link::EventLoop& loop, mesh::DeviceRole role, std::string folder,
                    std::function<void(const std::string&)> tell);
    ~SegmentSteering();

    /// Starts the guard and waits for its checks; if something is missing, the error names it.
    Result<void> start();
    /// Applies the route table. `orchestrator`: the orchestrator's endpoint.
    void table(mesh::RoutingId self, const mesh::Topology& topology, const std::string& orchestrator);
    void neighbours(const std::vector<mesh::Relay::NeighbourView>& views);
    /// Returns the paths to gateways behind routers for which routes are currently requested from the kernel.
    std::vector<control::SegmentPath> paths() const;

private:
    Result<void> spawn();
    void step(mesh::steering::Event event);
    void send();
    void hear();
    void guard_ended();
    void respawn();
    void tell_paths();

    link::EventLoop& loop_;
    mesh::DeviceRole role_;
    std::string folder_;
    std::function<void(const std::string&)> tell_;
    mesh::SegmentRoutes routes_;
    mesh::Steering wanted_;
    std::map<mesh::RoutingId, std::string> names_;  ///< names of all devices in the table
    std::map<mesh::RoutingId, mesh::Path> told_;    ///< paths to gateways, as last logged
    std::optional<TimePoint> sent_;                 ///< time at which wanted_ was sent to the guard; none: not sent yet
    file::Descriptor socket_;
    std::optional<process::Child> guard_;
};

}  // namespace divisi::router
