// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "backend/base/ids.h"

namespace divisi::mesh::inline base {

/// The number of a gateway or router in routing headers; the registry hands it out and takes it back. 0: none.
using RoutingId = StrongId<struct RoutingIdTag, std::uint16_t>;

enum class DeviceRole : std::uint8_t {
    gateway = 1,  ///< MG: entry and exit of all traffic of one MIC
    router = 2,   ///< SR: forwards between gateways
};
const char* to_string(DeviceRole role);

/// What a device tells the SMO at once (draft 002, 5.5).
enum class AbnormalKind : std::uint8_t {
    neighbour_silent = 1,  ///< past its heartbeats, or its connection ended
    neighbour_back = 2,
    buffer_full = 3,  ///< no chunk of a flow has fitted its promise for relay::Policy::full_for
    buffer_free = 4,
};
const char* to_string(AbnormalKind kind);

/// What a flow carries. Tensors of tasks go before blobs (files) at every device: see Turns.
enum class FlowClass : std::uint8_t { tensor = 0, blob = 1 };
const char* to_string(FlowClass flow_class);

/// What credit is counted for: the tensors of one task that one SID sends to another. Numbers are flow_ids (end.h);
/// the way back is a flow of its own. Where policy divides a flow over its two paths, those of its tensors that go by
/// the second one are strand 1: a flow of their own at every device, with credit and a route of its own.
struct FlowKey {
    std::uint64_t task = 0, source = 0, destination = 0;
    std::uint8_t strand = 0;
    FlowClass flow_class = FlowClass::tensor;
    auto operator<=>(const FlowKey&) const = default;
};

/// The same flow as RSVP names it: session and sender are the two gateways, the number is the sender's choice.
struct FlowName {
    RoutingId source, destination;
    std::uint16_t number = 0;
    auto operator<=>(const FlowName&) const = default;
};

}  // namespace divisi::mesh::inline base
