// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/mesh/registry/registry.h"

namespace divisi::control::inline types {

// What instances tell the service registry and discovery (SRD), and what it tells whoever asks.

/// Signaling type 1 (service instance registration): from an instance, when it knows what it serves, at each change of
/// it, and where the registry does not know it. Answered by ServiceRegistered, or Refused. Where it runs and what its
/// machine can do is not its to say: the orchestrator fills in node, MIC, capability and address.
struct RegisterService {
    mesh::Registration service;
};
/// From an instance every mesh::renew_interval. Answered by ServiceRegistered, or Refused (not_found, conflict). Where
/// the answer names another epoch, the registry has begun anew and the instance registers again.
struct RenewService {
    Sid sid;
    Incarnation incarnation = 0;
    mesh::Epoch epoch = 0;
};
struct ServiceRegistered {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;
};

/// From clients: what has changed since a revision of an epoch. Answered by ServiceChanges, as soon as there
/// is a change, or without one after watch_patience. With an epoch that is not the registry's, or a revision that it
/// does not reach back to (compacted), pages of a snapshot come, in the order of their SIDs.
struct WatchServices {
    mesh::Epoch epoch = 0;  ///< 0: none is known yet
    mesh::Revision since = 0;
    Sid after;  ///< for the next page of a snapshot: the last SID of the page before
    /// How old leases are is wanted too: renewals are no changes, so the answer comes within lease_patience.
    bool leases = false;
    Sid leases_after = {};  ///< from which SID on, which is itself left out
};
/// A registered service, or one that went.
struct ServiceRow {
    mesh::Registration said;
    mesh::Revision revision = 0;  ///< of its last change, or of its end
    bool stale = false;
    bool removed = false;
    std::int64_t renewed_ms = 0;  ///< since its lease was renewed last, as of the answer
};
/// A gateway or router in the registry, or one that went.
struct ServiceDevice {
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    std::uint32_t id = 0;         ///< routing identifier
    mesh::Revision revision = 0;  ///< of its last change, or of its end
    bool stale = false;
    bool removed = false;
    std::int64_t renewed_ms = 0;  ///< since its lease was renewed last, as of the answer
};
struct LeaseAge {
    Sid sid;                      ///< or the name of a gateway or router
    std::int64_t renewed_ms = 0;  ///< as of the answer
    bool operator==(const LeaseAge&) const = default;
};
/// Changes in their order, without a gap after WatchServices::since; or a page of a snapshot, whose rows are those of
/// `revision` or later: who then watches from the revision of the first page misses nothing.
struct ServiceChanges {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;  ///< up to which the changes go; of a snapshot, the registry's when the page was made
    bool snapshot = false;
    std::vector<ServiceRow> rows;
    bool more = false;
    std::vector<LeaseAge> leases = {};  ///< most_lease_ages at most, in the order of their names; not with a snapshot
    std::vector<ServiceDevice> devices = {};  ///< likewise changes, between those of `rows`; all of them on a last page
};

/// How long a watch waits for a change.
inline constexpr Duration watch_patience = std::chrono::seconds(10);
/// The same where ages of leases are wanted: half of mesh::renew_interval, so that every renewal is seen.
inline constexpr Duration lease_patience = std::chrono::seconds(1);
/// In one ServiceChanges. Who has more services goes on after the last one with the next question.
inline constexpr std::size_t most_lease_ages = 500;
/// In one ServiceChanges; a page is full before where its rows are long.
inline constexpr std::size_t most_service_rows = 500;

}  // namespace divisi::control::inline types
