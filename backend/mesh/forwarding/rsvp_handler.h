// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/base/result.h"
#include "backend/mesh/forwarding/flow_router.h"

namespace divisi::mesh::inline forwarding {

/// Handles the RSVP messages of neighbours. All state is in the parts of the relay, so the relay creates one handler
/// for each message.
class RsvpHandler {
public:
    RsvpHandler(const FlowParts& parts, FlowRouter& router) : parts_(parts), router_(router) {}

    /// Handles a message; `from` must be a neighbour.
    void handle(RoutingId from, const RsvpMessage& message);

private:
    void path(RoutingId from, const RsvpMessage& message);
    void resv(RoutingId from, const RsvpMessage& message);
    void path_error(RoutingId from, const RsvpMessage& message);
    void tear(RoutingId from, const RsvpMessage& message);
    std::optional<FlowName> name_of(const RsvpMessage& message) const;
    RelayFlow* flow_named(const RsvpMessage& message);
    Result<void> check_path(const FlowKey& key, const FlowName& name, const RsvpMessage& message) const;
    Result<void> check_resv(const RelayFlow& flow, RoutingId from, const RsvpMessage& message) const;

    FlowParts parts_;
    FlowRouter& router_;
};

}  // namespace divisi::mesh::inline forwarding
