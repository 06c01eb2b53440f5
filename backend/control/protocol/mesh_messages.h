// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/types/admission_types.h"
#include "backend/control/types/fault_types.h"
#include "backend/control/types/mesh_types.h"

namespace divisi::control::inline protocol {

// Messages of gateways and routers: their table, their reports, and their state for clients.

/// Sent by a gateway or router over every new connection. Answered by DeviceRegistered, or Refused.
struct RegisterDevice {
    DeviceInfo device;
    std::uint32_t held = 0;  ///< routing identifier of the device before the orchestrator restarted; 0: none
};
struct DeviceRegistered {
    std::uint32_t id = 0;
};
/// Signaling type 2 (service route advertisement). Sent to each device when it registers, periodically, and whenever a
/// MeshChange cannot state a change. Devices are ordered by name, links by their ends, places by task and SID.
struct MeshTable {
    std::uint64_t revision = 0;
    std::vector<TableDevice> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
};
/// Signaling type 2 for a device that has the table of revision `since`: the new devices and links, and the changed
/// places.
struct MeshChange {
    std::uint64_t since = 0, revision = 0;
    std::vector<TableDevice> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
    std::vector<Sid> ended;  ///< SIDs that no instance serves any more
};
/// Signaling types 4 (load and latency) and 5 (quality). Sent by each gateway and router, not answered.
struct DeviceReport {
    std::uint64_t table = 0;  ///< revision of the route table that the device has applied
    DeviceCounters counters;
    Bytes held = 0, promised = 0;
    std::vector<NeighbourReport> neighbours;
    std::vector<FlowReport> flows;
    std::vector<SignalRecord> signals;  ///< signals sent since the last report, most_reported_signals at most
    GuardReport guard = {};
    /// requests decided since the last report, most_reported_requests at most
    std::vector<RequestRecord> requests = {};
    std::uint64_t period = 0;                ///< number of the one-second period that the qualities belong to
    std::vector<DealtReport> dealt = {};     ///< dealt micro-batches; gateways only
    std::vector<SegmentPath> segments = {};  ///< segment paths; gateways with --srv6 only
    CacheReport cache = {};                  ///< figures of the cache; routers only
};
/// Sent by clients. Answered by MeshState.
struct QueryMesh {
    using Answer = struct MeshState;
};
struct MeshState {
    std::uint64_t revision = 0;
    std::vector<DeviceView> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
    std::vector<LinkFault> faults = {};
    bool faults_allowed = false;  ///< whether FaultLink, KillRouter and faults of processes are permitted
};
/// Sent by clients. Answered by Signals, with the kept records whose number is above `after`.
struct QuerySignals {
    using Answer = struct Signals;
    std::uint64_t after = 0;
};
struct Signals {
    std::vector<SignalRecord> records;  ///< records in the order of their numbers
    bool more = false;
};

/// Returns the change that turns `before` into `after`. Returns none if devices or links were removed or changed: the
/// whole table must then be sent.
std::optional<MeshChange> change_between(const MeshTable& before, const MeshTable& after);
/// Applies the change. Returns false, and changes nothing, if the change does not begin at the table's revision.
bool apply(MeshTable& table, const MeshChange& change);
/// Describes an advertisement for clients that show the signaling: its revision, then a line for each SID with its
/// health, MIC and gateway. Describes at most `most_described` SIDs. `table` has the names of the devices.
std::string describe(const MeshTable& table);
std::string describe(const MeshChange& change, const MeshTable& table);
inline constexpr std::size_t most_described = 32;

}  // namespace divisi::control::inline protocol
