// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/types/fault_types.h"

namespace divisi::control::inline protocol {

// Messages that inject faults into links and devices.

/// Sent by operators, if the cluster was started with faults allowed: sets the fault of a link and replaces any earlier
/// fault of the link. Answered by Done. The fault lasts until it is healed, or until one of the two devices or the
/// orchestrator restarts.
struct FaultLink {
    LinkFault fault;
};
/// Sent by operators, if faults are allowed: ends a router's process as if it were killed. Answered by Done.
struct KillRouter {
    std::string name;
};
/// Sent by operators: heals the link between two devices, or all links if no names are given. Answered by Done.
struct HealFaults {
    std::string a, b;
};
/// Sent to a gateway or router when it registers and at every change, not answered: all faults of its links.
struct DeviceFaults {
    std::vector<NeighbourFault> links;
};
/// Sent to a router or node, which does not answer but ends immediately. A node ends together with its instances.
struct KillDevice {};

}  // namespace divisi::control::inline protocol
