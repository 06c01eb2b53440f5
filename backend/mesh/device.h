// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include "backend/base/ids.h"

namespace divisi::mesh {

/// The number of a gateway or router in routing headers; the registry hands it out and takes it back. 0: none.
using RoutingId = StrongId<struct RoutingIdTag, std::uint16_t>;

enum class DeviceRole : std::uint8_t {
    gateway = 1,  ///< MG: entry and exit of all traffic of one MIC
    router = 2,   ///< SR: forwards between gateways
};
const char* to_string(DeviceRole role);

/// What credit is counted for: the tensors of one task that one SID sends to another. Numbers are flow_ids (end.h);
/// the way back is a flow of its own.
struct FlowKey {
    std::uint64_t task = 0, source = 0, destination = 0;
    auto operator<=>(const FlowKey&) const = default;
};

/// The same flow as RSVP names it: session and sender are the two gateways, the number is the sender's choice.
struct FlowName {
    RoutingId source, destination;
    std::uint16_t number = 0;
    auto operator<=>(const FlowName&) const = default;
};

}  // namespace divisi::mesh
