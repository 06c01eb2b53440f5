// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

/// The state in pages, each of which fits a message; one at least. Every page says whose state it is and at which
/// sequence number.
std::vector<Snapshot> snapshot_pages(const ClusterState& state, const std::vector<InstanceLoad>& loads,
                                     const std::vector<NodeMachine>& nodes = {});

/// Adds the next page to those before it. `corrupt` when it is not the next of the same state.
Result<void> add_page(Snapshot& whole, Snapshot page);

}  // namespace divisi::control::inline protocol
