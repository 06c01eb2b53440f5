// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agents/router/steering_text.h"
#include "backend/control/types/mesh_types.h"
#include "backend/file/descriptor.h"
#include "backend/link/event_loop.h"
#include "backend/mesh/relay/relay.h"
#include "backend/mesh/route/segment_routes.h"
#include "backend/process/child.h"

namespace divisi::router {

/// --srv6: has the kernels of this host and of the routers' hosts carry what this gateway sends to the gateways that it
/// is linked with, by the path that mesh::SegmentRoutes chooses; at a router, lets the host take part in it. A process
/// of its own (steering_guard.h) does it, so that nothing of it outlives this one.
class SegmentSteering {
public:
    /// `folder`: where a router's guard keeps what it has to put back.
    SegmentSteering(link::EventLoop& loop, mesh::DeviceRole role, std::string folder,
                    std::function<void(const std::string&)> tell);
    ~SegmentSteering();

    /// Waits until the guard has found that it can; else says what is missing.
    Result<void> start();
    /// `orchestrator` is its endpoint.
    void table(mesh::RoutingId self, const mesh::Topology& topology, const std::string& orchestrator);
    void neighbours(const std::vector<mesh::Relay::NeighbourView>& views);
    /// That are wanted of the kernels now, to gateways beyond routers.
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
    std::map<mesh::RoutingId, std::string> names_;  ///< of all devices of the table
    std::map<mesh::RoutingId, mesh::Path> told_;    ///< paths to gateways, as they were logged
    std::optional<TimePoint> sent_;                 ///< none: the guard has not been asked for what is wanted now
    file::Descriptor socket_;
    std::optional<process::Child> guard_;
};

}  // namespace divisi::router
