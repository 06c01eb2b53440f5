// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/mesh/forwarding/relay_context.h"
#include "backend/mesh/forwarding/relay_flow.h"

namespace divisi::mesh {

/// Returns the topology of two gateways, 1 and 2, and two paths between them: 1 - 3 - 2, and 1 - 4 - 2 with links that
/// take `slower` longer.
inline Topology two_ways(double slower = 0.001) {
    std::vector<Device> devices;
    for (const std::uint16_t id : {1, 2, 3, 4}) {
        const bool gateway = id < 3;
        const std::string name = (gateway ? "mg-" : "sr-") + std::to_string(id);
        devices.push_back({RoutingId(id),
                           name,
                           gateway ? DeviceRole::gateway : DeviceRole::router,
                           MicId(gateway ? "mic-" + std::to_string(id) : ""),
                           "mem://" + name,
                           {},
                           true,
                           0});
    }
    std::vector<Link> links;
    for (const std::uint16_t router : {3, 4})
        for (const std::uint16_t gateway : {1, 2})
            links.push_back({RoutingId(gateway), RoutingId(router), 0.001 + (router == 4 ? slower : 0), 1e9, 0, true});
    Topology topology;
    if (!topology.set(devices, links)) std::abort();
    return topology;
}

/// SIDs of one task: the sender is at gateway 1, the receiver at gateway 2.
inline const FlowSids sample_sids{"task", "task/stage-0/0", "task/stage-1/0"};

inline std::map<std::uint64_t, Place> sample_places() {
    std::map<std::uint64_t, Place> places;
    const auto add = [&](const std::string& sid, std::uint16_t gateway) {
        places[frame::flow_id(Sid(sid))] = {TaskId(sample_sids.task), Sid(sid), RoutingId(gateway)};
    };
    add(sample_sids.source, 1);
    add(sample_sids.destination, 2);
    return places;
}

/// Returns the context of a device in two_ways(), a second after the start of time.
inline RelayContext context_of(std::uint16_t self, double slower = 0.001) {
    RelayContext context;
    context.config.self = RoutingId(self);
    context.config.role = self < 3 ? DeviceRole::gateway : DeviceRole::router;
    context.table.set(two_ways(slower), sample_places());
    context.now = TimePoint(std::chrono::seconds(1));
    return context;
}

/// Returns the key of the flow between the sample SIDs.
inline FlowKey sample_key() {
    return {frame::flow_id(sample_sids.task), frame::flow_id(sample_sids.source),
            frame::flow_id(sample_sids.destination)};
}
inline const FlowName sample_name{RoutingId(1), RoutingId(2), 7};

/// Returns a flow between the sample SIDs that is on its path 1 - 3 - 2, as the device has it.
inline RelayFlow sample_flow(RoutingId self) {
    RelayFlow flow;
    flow.key = sample_key();
    flow.name = sample_name;
    flow.sids = sample_sids;
    flow.named = true;
    flow.route = {1, {RoutingId(1), RoutingId(3), RoutingId(2)}};
    flow.path = path_from(flow.route.path, self);
    if (flow.path.size() > 1) flow.exit.device = flow.path[1];
    else flow.exit.sid = flow.key.destination;
    return flow;
}

/// Returns a chunk of the sample flow's only tensor of this step.
inline frame::Chunk sample_chunk(std::size_t bytes, std::int64_t step = 0) {
    frame::Chunk chunk;
    auto payload = std::make_shared<std::vector<std::byte>>(bytes);
    chunk.payload = *payload;
    chunk.owner = payload;
    chunk.header.key.task = sample_key().task;
    chunk.header.key.step = step;
    chunk.header.source = {sample_key().source, 1};
    chunk.header.destination = {sample_key().destination, 1};
    chunk.header.total_bytes = bytes;
    chunk.header.chunk_count = 1;
    chunk.header.payload_bytes = static_cast<std::uint32_t>(bytes);
    return chunk;
}

/// Adds a chunk to the flow's queue.
inline void queue_chunk(RelayFlow& flow, std::size_t bytes, TimePoint now, RoutingId from = {}) {
    flow.queue.push_back({sample_chunk(bytes), from, 0, now});
    flow.queued += bytes;
}

/// Counts the messages that the context has sent.
inline std::size_t signals_of(const RelayContext& context) { return context.actions.signals.size(); }

/// Returns the last message that the context has sent to the neighbour; a PathTear if there is none.
inline RsvpMessage last_signal(const RelayContext& context, RoutingId to) {
    RsvpMessage last;
    last.type = RsvpType::path_tear;
    for (const relay::SignalTo& signal : context.actions.signals)
        if (signal.to == to) last = decode(std::as_bytes(std::span(signal.bytes))).value();
    return last;
}

}  // namespace divisi::mesh
