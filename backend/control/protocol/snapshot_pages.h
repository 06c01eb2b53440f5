// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/state_messages.h"

namespace divisi::control::inline protocol {

/// Returns the state as one or more pages that each fit a message. Every page contains the cluster's name and the
/// sequence number.
std::vector<Snapshot> snapshot_pages(const ClusterState& state, const std::vector<InstanceLoad>& loads,
                                     const std::vector<NodeMachine>& nodes = {});

/// Adds the next page to the earlier pages. Fails (corrupt) if `page` is not the next page of the same state.
Result<void> add_page(Snapshot& whole, Snapshot page);

}  // namespace divisi::control::inline protocol
