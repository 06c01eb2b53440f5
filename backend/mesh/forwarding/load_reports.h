// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/mesh/forwarding/flow_table.h"
#include "backend/mesh/forwarding/neighbour_links.h"
#include "backend/mesh/forwarding/relay_context.h"
#include "backend/mesh/signaling/load_advert.h"

namespace divisi::mesh::inline forwarding {

/// Reports a router's load to the gateways next to it (signaling type 4). RouteFinder uses the reports at a gateway.
class LoadReports {
public:
    /// Sends a report if one is due; does nothing at a gateway.
    void tell(RelayContext& context, const NeighbourLinks& neighbours, const FlowTable& flows);

private:
    LoadReporter reporter_;
    std::uint32_t last_number_ = 0;
};

}  // namespace divisi::mesh::inline forwarding
