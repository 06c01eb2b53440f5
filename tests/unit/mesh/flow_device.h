// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/mesh/forwarding/flow_router.h"
#include "tests/unit/mesh/relay_parts.h"

namespace divisi::mesh {

/// The parts of a device in two_ways() that handle flows, with usable links to its two neighbours.
struct FlowDevice {
    explicit FlowDevice(std::uint16_t self, double slower = 0.001, std::uint64_t buffer = 256u << 20)
        : context(context_of(self, slower)), limits(buffer) {
        context.config.buffer = buffer;
        for (const RoutingId id : context.table.topology().neighbours(context.config.self)) {
            (void)neighbours.connect(id, context.now);
            limits.add_neighbour(id);
        }
    }
    FlowDevice(const FlowDevice&) = delete;
    FlowDevice& operator=(const FlowDevice&) = delete;

    FlowParts parts() { return {context, neighbours, limits, flows, routes, promises, credit, sender}; }
    RelayFlow* sample() { return flows.find(sample_key()); }
    /// Adds a chunk to the flow's queue, and counts its bytes as buffered.
    void hold(RelayFlow& flow, std::size_t bytes) {
        queue_chunk(flow, bytes, context.now);
        limits.count_in(bytes);
    }
    /// Begins the next step of the relay: time passes, and the actions of the last step have been carried out.
    void step(Duration passed = std::chrono::milliseconds(1)) {
        context.now += passed;
        context.actions = {};
    }
    /// Returns the messages of this step to a neighbour, in order.
    std::vector<RsvpMessage> sent(RoutingId to) const {
        std::vector<RsvpMessage> messages;
        for (const relay::SignalTo& signal : context.actions.signals)
            if (signal.to == to) messages.push_back(decode(std::as_bytes(std::span(signal.bytes))).value());
        return messages;
    }

    RelayContext context;
    NeighbourLinks neighbours;
    UsageLimits limits;
    FlowTable flows;
    RouteFinder routes{context, neighbours};
    UpstreamPromises promises{context, neighbours, limits};
    DownstreamCredit credit{context, neighbours, promises};
    FlowSender sender{context, flows, neighbours, promises};
    FlowRouter router{parts()};
};

}  // namespace divisi::mesh
