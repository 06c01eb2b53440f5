// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/mesh/forwarding/relay_events.h"
#include "backend/mesh/forwarding/route_table.h"

namespace divisi::mesh::inline forwarding {

struct RelayFlow;

/// The values that all parts of a relay share: its settings and route table, and the current step's time and output.
struct RelayContext {
    RelayConfig config;
    RouteTable table = {};
    FlowPolicy policy = {};
    TimePoint now{};
    relay::Actions actions = {};
    relay::Counters counters = {};

    /// Returns whether this device is the gateway of the flow's sender, which chooses the flow's route.
    bool owns(const RelayFlow& flow) const;
    FlowRule rule_for(const RelayFlow& flow) const;
    /// Returns the error that this device sends in a PathErr if it finds no further path.
    ErrorSpec no_route_here() const;

    /// Adds an error to the log; `from`: the device that caused it, 0 for an instance of this MIC.
    void refuse(ErrorCode code, std::string what, RoutingId from);
    /// Counts a refused frame and adds the error to the log.
    void refuse_frame(ErrorCode code, std::string what, RoutingId from);
    /// Counts a refused signaling message and adds the error to the log.
    void refuse_signal(ErrorCode code, std::string what, RoutingId from);
    /// Completes a message about the flow and sends it to a neighbour.
    void send(RoutingId to, RsvpMessage message, const RelayFlow& flow);
};

}  // namespace divisi::mesh::inline forwarding
