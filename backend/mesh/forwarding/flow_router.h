// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/mesh/forwarding/downstream_credit.h"
#include "backend/mesh/forwarding/flow_sender.h"
#include "backend/mesh/forwarding/flow_table.h"
#include "backend/mesh/forwarding/path_splitter.h"
#include "backend/mesh/forwarding/relay_context.h"
#include "backend/mesh/forwarding/route_finder.h"
#include "backend/mesh/forwarding/upstream_promises.h"

namespace divisi::mesh::inline forwarding {

/// References to the objects that each handle one aspect of flows, for the classes that need several of them.
struct FlowParts {
    RelayContext& context;
    NeighbourLinks& neighbours;
    UsageLimits& limits;
    FlowTable& flows;
    RouteFinder& routes;
    UpstreamPromises& promises;
    DownstreamCredit& credit;
    FlowSender& sender;
};

/// Opens, routes and closes the flows of a device.
class FlowRouter {
public:
    explicit FlowRouter(const FlowParts& parts) : parts_(parts) {}

    /// Returns the flow of a frame; null, after counting the reason, if the frame is refused. The sender's gateway
    /// opens the flow; elsewhere a PATH has opened it. `from` is 0 for a frame from an instance of this MIC.
    RelayFlow* flow_of(const frame::FrameHeader& header, RoutingId from);
    /// Adds a flow that the device does not have, and routes it.
    RelayFlow& open(const FlowKey& key, const FlowName& name, FlowSids sids);
    /// Ends the flow at this device and downstream. The remaining chunks are dropped, as the task or sender has ended.
    void close(const FlowKey& key);

    /// Chooses the flow's exit: its receiver, or the next device on its route.
    void choose(RelayFlow& flow);
    /// Chooses the exits of all flows again, because the set of avoided devices or links has changed.
    void choose_all();
    /// Adopts a newer route, and requests a promise from its next device if there is none yet. If the new route does
    /// not contain this router, the frames that remain here take the old route.
    void adopt(RelayFlow& flow, const Route& route);
    /// Adopts a backup route. The device keeps a promise from the next device on that path, which
    /// DownstreamCredit::ask_ahead() requests.
    void adopt_backup(RelayFlow& flow, const Route& route);
    /// Ends the flow at this device, and sends the upstream devices the reason. The upstream devices still hold all
    /// chunks that were not freed.
    void give_up(RelayFlow& flow, const ErrorSpec& why);

    /// Takes back the chunks sent to a neighbour, and drops the promises to it.
    void lose(RoutingId neighbour);
    /// Applies a new route table. The two gateways of a flow close it if one of its SIDs is gone. Chooses all exits.
    void apply_table();
    /// Does the regular work for all flows: repeats messages, returns promises, and closes flows that have ended.
    void tick();

private:
    std::uint8_t path_index(const frame::FrameHeader& header);
    std::uint8_t path_index_by_policy(const frame::FrameHeader& header);
    RelayFlow* open_own(const FlowKey& key);
    void find_route(RelayFlow& flow);
    void drop_queue(RelayFlow& flow);
    void look_up_names();
    void look_after(RelayFlow& flow);
    bool is_over(const RelayFlow& flow) const;
    bool was_dealt_nothing(const RelayFlow& flow) const;

    FlowParts parts_;
    PathSplitter splitter_;
};

/// If a path of a flow gets no tensors under the policy, its promises are returned after this time.
inline constexpr Duration path_idle = std::chrono::seconds(10);

}  // namespace divisi::mesh::inline forwarding
