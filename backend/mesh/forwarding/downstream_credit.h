// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/mesh/forwarding/neighbour_links.h"
#include "backend/mesh/forwarding/relay_context.h"
#include "backend/mesh/forwarding/relay_flow.h"
#include "backend/mesh/forwarding/upstream_promises.h"

namespace divisi::mesh::inline forwarding {

/// Requests credit from downstream neighbours by PATH, and keeps sent chunks until the neighbours have freed them.
class DownstreamCredit {
public:
    DownstreamCredit(RelayContext& context, NeighbourLinks& neighbours, UpstreamPromises& promises)
        : context_(context), neighbours_(neighbours), promises_(promises) {}

    /// Requests a promise from a neighbour, at most once per step. Does nothing while the flow pauses or the neighbour
    /// is unusable.
    void ask(RelayFlow& flow, RoutingId neighbour);
    /// Requests promises from the next devices on the flow's route and on its backup.
    void ask_ahead(RelayFlow& flow);
    /// Repeats requests that are due, and returns promises that the flow does not use. `blocked`: the flow has frames
    /// to send, but may not send them.
    void refresh(RelayFlow& flow, bool blocked);
    /// Releases chunks, oldest first, after the neighbour has freed this many bytes. Returns whether one of these
    /// chunks was sent since the route was chosen, so that the chunk has passed the whole route.
    bool release(RelayFlow& flow, RoutingId neighbour, std::uint64_t bytes);
    /// Takes back the chunks that were sent to the neighbour and not freed. These chunks are sent again before all
    /// other chunks.
    void take_back(RelayFlow& flow, RoutingId neighbour);
    /// Takes the chunks back and forgets the neighbour's promise, without a message.
    void withdraw(RelayFlow& flow, RoutingId neighbour);
    /// Gives the neighbour's promise back by a PathTear, and forgets the sent chunks that the neighbour has not freed.
    void let_go(RelayFlow& flow, RoutingId neighbour);

private:
    RelayContext& context_;
    NeighbourLinks& neighbours_;
    UpstreamPromises& promises_;
    std::uint32_t last_handle_ = 0;
};

}  // namespace divisi::mesh::inline forwarding
