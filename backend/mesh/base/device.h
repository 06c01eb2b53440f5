// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "backend/base/ids.h"

namespace divisi::mesh::inline base {

/// The number of a gateway or router in routing headers, which the registry assigns and frees. 0: none.
using RoutingId = StrongId<struct RoutingIdTag, std::uint16_t>;

enum class DeviceRole : std::uint8_t {
    gateway = 1,  ///< MG: entry and exit of all traffic of one MIC
    router = 2,   ///< SR: forwards between gateways
};
const char* to_string(DeviceRole role);

/// A state that a device reports to the SMO immediately (draft 002, 5.5).
enum class AbnormalKind : std::uint8_t {
    neighbour_silent = 1,  ///< the neighbour missed its heartbeats, or the connection to it ended
    neighbour_back = 2,
    buffer_full = 3,  ///< no chunk of a flow has fitted into the flow's promised window for the time
                      ///< relay::Policy::full_for
    buffer_free = 4,
};
const char* to_string(AbnormalKind kind);

/// The kind of a flow's content. At every device, tensors of tasks are sent before blobs (files): see
/// DeficitRoundRobin.
enum class FlowClass : std::uint8_t { tensor = 0, blob = 1 };
const char* to_string(FlowClass flow_class);

/// Identifies a flow: the tensors of one task that one SID sends to another. Credit is counted for each flow. The
/// numbers are flow_ids (end.h); the opposite direction is a separate flow. A policy may divide a flow between its two
/// paths. The tensors on the second path then have path index 1: a separate flow at every device, with its own credit
/// and route.
struct FlowKey {
    std::uint64_t task = 0, source = 0, destination = 0;
    std::uint8_t path_index = 0;
    FlowClass flow_class = FlowClass::tensor;
    auto operator<=>(const FlowKey&) const = default;
};

/// The name of a flow in RSVP. Session and sender are the two gateways; the sender chooses the number.
struct FlowName {
    RoutingId source, destination;
    std::uint16_t number = 0;
    auto operator<=>(const FlowName&) const = default;
};

/// The result of a flow's set-up. The numbers are part of the wire format; append only.
enum class Outcome : std::uint8_t {
    admitted = 1,
    denied,    ///< no rule allows it, a rule denies it, or no policy is in force
    unserved,  ///< no instance serves the destination, or no path leads to it
    limited,   ///< the set-up exceeds a rate limit or the retry budget
};
const char* to_string(Outcome outcome);

}  // namespace divisi::mesh::inline base
