// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/control/state/state.h"
#include "backend/control/types/machine_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

// Messages that carry the state and its changes to clients.

/// Subscribes to the state. Answered by the first page of a Snapshot; EventPush and LoadPush follow whenever events or
/// loads are new.
struct Subscribe {};
/// The state at one sequence number, in pages (snapshot_pages()). Each page has some of the state's entries.
struct Snapshot {
    ClusterState state;
    std::vector<InstanceLoad> loads;  ///< latest load of each running instance
    std::uint32_t page = 0;
    bool more = false;                    ///< whether another page follows: FetchSnapshotPage
    std::vector<NodeMachine> nodes = {};  ///< latest report of each connected node
};
/// Requests the next page of the Snapshot that Subscribe began on this connection. Answered by Snapshot, or by Refused
/// if the snapshot is no longer kept. The client must then subscribe again.
struct FetchSnapshotPage {
    std::uint32_t page = 0;
};
struct EventPush {
    std::vector<Event> events;
};
struct LoadPush {
    std::vector<InstanceLoad> loads;
    std::vector<NodeMachine> nodes = {};
};

/// Returns the state as one or more pages that each fit a message. Every page contains the cluster's name and the
/// sequence number.
std::vector<Snapshot> snapshot_pages(const ClusterState& state, const std::vector<InstanceLoad>& loads,
                                     const std::vector<NodeMachine>& nodes = {});

/// Adds the next page to the earlier pages. Fails (corrupt) if `page` is not the next page of the same state.
Result<void> add_page(Snapshot& whole, Snapshot page);

}  // namespace divisi::control::inline protocol
