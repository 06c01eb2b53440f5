// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "backend/mesh/forwarding/deficit_round_robin.h"
#include "backend/mesh/forwarding/flow_table.h"
#include "backend/mesh/forwarding/neighbour_links.h"
#include "backend/mesh/forwarding/relay_context.h"
#include "backend/mesh/forwarding/upstream_promises.h"

namespace divisi::mesh::inline forwarding {

/// Sends the chunks of flows: at each exit of the device, flows that may send take turns.
class FlowSender {
public:
    FlowSender(RelayContext& context, FlowTable& flows, NeighbourLinks& neighbours, UpstreamPromises& promises)
        : context_(context), flows_(flows), neighbours_(neighbours), promises_(promises) {}

    /// Returns whether the flow's first waiting frame may be sent now.
    bool may_send(const RelayFlow& flow) const;
    /// Puts the flow in the queue of its exit if it has frames that may be sent. Must be called after every change that
    /// may affect what the flow can send.
    void schedule(RelayFlow& flow);
    /// Sends the next frame through an exit that has room; the frame becomes the step's Actions::chunk.
    void send_next(const Exit& exit);
    /// Updates the flow's meter. Must be called whenever frames of the flow may have started or stopped waiting.
    void update_meter(RelayFlow& flow);
    /// Drops the queues of exits to instances that the route table does not have.
    void keep_exits_of_table();

private:
    frame::Chunk take(RelayFlow& flow);

    RelayContext& context_;
    FlowTable& flows_;
    NeighbourLinks& neighbours_;
    UpstreamPromises& promises_;
    std::map<Exit, DeficitRoundRobin> round_robins_;
};

}  // namespace divisi::mesh::inline forwarding
