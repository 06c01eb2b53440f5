// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/mesh/registry/registry.h"

namespace divisi::control::inline types {

// Messages between instances, the service registry and discovery (SRD), and its clients.

/// Signaling type 1 (service instance registration). Sent by an instance when it knows its SID, at each change, and
/// when the registry does not know the instance. Answered by ServiceRegistered or Refused. The orchestrator itself
/// fills in node, MIC, capability and address.
struct RegisterService {
    mesh::Registration service;
};
/// Sent by an instance every mesh::renew_interval. Answered by ServiceRegistered or Refused (not_found, conflict). If
/// the answer has another epoch, the registry was lost and the instance must register again.
struct RenewService {
    Sid sid;
    Incarnation incarnation = 0;
    mesh::Epoch epoch = 0;
};
struct ServiceRegistered {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;
};

/// Sent by clients to get the changes since a revision of an epoch. Answered by ServiceChanges as soon as there is a
/// change, or without one after watch_patience. If the epoch is not the registry's, or the revision is too old
/// (compacted), the answer is a page of a snapshot, sorted by SID.
struct WatchServices {
    using Answer = struct ServiceChanges;
    mesh::Epoch epoch = 0;  ///< epoch of the registry; 0: not known yet
    mesh::Revision since = 0;
    Sid after;  ///< for the next page of a snapshot: last SID of the previous page
    /// Also asks for the ages of leases. A renewal does not count as a change, so the answer comes within
    /// lease_patience.
    bool leases = false;
    Sid leases_after = {};  ///< only ages of leases after this SID are returned
};
/// A registered or removed service.
struct ServiceRow {
    mesh::Registration said;
    mesh::Revision revision = 0;  ///< revision of the service's last change or removal
    bool stale = false;
    bool removed = false;
    std::int64_t renewed_ms = 0;  ///< age of the service's last renewal when answered
};
/// A registered or removed gateway or router.
struct ServiceDevice {
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    std::uint32_t id = 0;         ///< routing identifier of the device
    mesh::Revision revision = 0;  ///< revision of the device's last change or removal
    bool stale = false;
    bool removed = false;
    std::int64_t renewed_ms = 0;  ///< age of the device's last renewal when answered
};
struct LeaseAge {
    Sid sid;                      ///< SID, or the name of a gateway or router
    std::int64_t renewed_ms = 0;  ///< age of the lease's last renewal when answered
    bool operator==(const LeaseAge&) const = default;
};
/// Contains all changes after WatchServices::since, in order and without gaps, or a page of a snapshot. The rows of a
/// page are of `revision` or later. A client that then watches from the first page's revision misses no change.
struct ServiceChanges {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;  ///< last change contained; in a snapshot, the revision when the page was made
    bool snapshot = false;
    std::vector<ServiceRow> rows;
    bool more = false;
    std::vector<LeaseAge> leases = {};  ///< at most most_lease_ages, sorted by name; not in a snapshot
    /// changes of devices, interleaved with `rows` by revision; in a snapshot, all devices are on the last page
    std::vector<ServiceDevice> devices = {};
};

/// Maximum time that a watch waits for a change.
inline constexpr Duration watch_patience = std::chrono::seconds(10);
/// Maximum time that a watch for lease ages waits: half of mesh::renew_interval, so that every renewal is seen.
inline constexpr Duration lease_patience = std::chrono::seconds(1);
/// Maximum number of lease ages in one ServiceChanges. A client with more services asks for the lease ages after the
/// last SID in its next request.
inline constexpr std::size_t most_lease_ages = 500;
/// Maximum number of rows in one ServiceChanges. A page with long rows fills up earlier.
inline constexpr std::size_t most_service_rows = 500;

}  // namespace divisi::control::inline types
