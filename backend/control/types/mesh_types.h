// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/control/types/admission_types.h"
#include "backend/control/types/lease_types.h"
#include "backend/mesh/base/device.h"
#include "backend/mesh/forwarding/meter.h"
#include "backend/mesh/registry/registration.h"

namespace divisi::control::inline types {

/// The micro-batches that a gateway has dealt to one data instance since the gateway's start.
struct DealtReport {
    Sid sid;
    std::uint64_t microbatches = 0;
    std::uint64_t dealt_again = 0;  ///< micro-batches dealt again because the instance that had them first is gone
    std::uint64_t outstanding = 0;  ///< micro-batches that consumers still wait for
};

/// Maximum number of data instances of one task. More instances do not make a machine read faster, and a gateway names
/// every data instance in its reports.
inline constexpr std::int32_t most_data_instances = 64;
/// Maximum number of DealtReports in one report of a gateway.
inline constexpr std::size_t most_reported_dealt = 1'000;

/// Figures of the result cache of a router, counted since the router's start. The cache holds tensors that tasks would
/// otherwise compute again.
struct CacheReport {
    /// limit and current size in bytes; limit 0: the router caches nothing
    std::uint64_t limit_bytes = 0, held_bytes = 0;
    std::uint64_t results = 0;
    std::uint64_t hits = 0, misses = 0;
    std::uint64_t corrupt = 0, evicted = 0;
    std::uint64_t saved_bytes = 0;  ///< bytes of tensors sent from the cache instead of by their producers
};

// Messages between the service mesh orchestrator and its gateways (MG) and routers (SR).

/// A gateway's or router's description of itself.
struct DeviceInfo {
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    MicId mic;                            ///< gateways only
    std::string endpoint;                 ///< address for data and lanes, to which neighbours and instances connect
    std::string key;                      ///< CURVE public key, Z85; empty on ipc
    std::vector<std::string> neighbours;  ///< by name; a link exists if either end names the other
    Bytes buffer = 0;                     ///< maximum number of bytes for which the device promises room
    std::int64_t pid = 0;
    std::string host;
    std::string version;
    /// Default rate limits of a gateway, used unless a policy sets others. The first applies to all data from its MIC's
    /// instances to other MICs, the second to the part of one task. 0: unlimited.
    double mic_bytes_per_s = 0, task_bytes_per_s = 0;
};

/// A row of the route table (signaling type 2). Routing identifiers are 16 bits.
struct TableDevice {
    std::uint32_t id = 0;
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    MicId mic;
    std::string endpoint;
    std::string key;
    bool operator==(const TableDevice&) const = default;
};
struct TableLink {
    std::uint32_t a = 0, b = 0;  ///< routing identifiers of the two ends, a < b
    double latency_s = 0, bytes_per_s = 0;
    bool operator==(const TableLink&) const = default;
};
/// The latency and the rate assumed for every link in the table, equal to a link between processes of one host. Paths
/// are chosen by these figures, so every device computes the same path from the same table.
inline constexpr double table_latency_s = 100e-6, table_bytes_per_s = 1e9;
/// The place of a process that serves a SID.
struct TablePlace {
    TaskId task;
    Sid sid;
    std::uint32_t gateway = 0;  ///< the gateway of the process's MIC
    std::string endpoint;       ///< endpoint of the instance, used by the gateway of its MIC
    std::string key;
    /// whether the instance takes work now: gateways deal micro-batches among all such SIDs below the same parent path
    bool dealt = false;
    double flops_per_s = 0;   ///< speed of the instance's device in the cluster file; 0: not stated
    std::uint64_t lease = 0;  ///< lease of the instance, which gateways write into its first data; 0: none
    std::uint32_t share = 0;  ///< share of that lease
    LeaseTerms terms = {};    ///< terms of that lease
    /// Health that the instance reported to the registry (SRD); pending if it has not registered yet.
    mesh::Health health = mesh::Health::active;
    bool operator==(const TablePlace&) const = default;
};

/// A gateway's record of the last load report of a neighbouring router (signaling type 4).
struct RouterLoad {
    bool known = false;  ///< whether the router has reported recently
    double age_s = 0;
    std::uint64_t queued_bytes = 0, credit_bytes = 0;  ///< totals over all links of the router
    std::vector<std::uint32_t> failed_links;           ///< routing identifiers of neighbours with a failed link
};
/// One neighbour of a device (signaling type 4), and the quality of the link to it (type 5).
struct NeighbourReport {
    std::uint32_t id = 0;
    bool usable = false;
    std::uint64_t sent_bytes = 0;  ///< bytes of chunks since the device's start
    std::uint64_t queued_bytes = 0;
    std::uint64_t credit_bytes = 0;  ///< credit promised by the neighbour and not spent
    mesh::Quality quality = {};      ///< quality in the last complete period
    RouterLoad load = {};            ///< load of a neighbouring router; at gateways only
};
/// One flow at a device.
struct FlowReport {
    TaskId task;
    Sid source, destination;
    std::vector<std::uint32_t> path;  ///< path from this device on; empty: no path exists now
    std::uint64_t queued_bytes = 0, credit_bytes = 0, out_bytes = 0, promised_bytes = 0;
    std::uint32_t path_index = 0;  ///< 1: tensors that policy sends on the second path
    mesh::Quality quality = {};
    mesh::FlowClass flow_class = mesh::FlowClass::tensor;
};
/// A path over which the kernels of routers carry traffic from one gateway to another (SRv6).
struct SegmentPath {
    std::vector<std::uint32_t> path;  ///< all devices from end to end
};
/// Maximum number of SegmentPaths in one report, one for each gateway that a gateway sends to.
inline constexpr std::size_t most_reported_segments = 1'000;
/// Counters of a device since its start. A frame is refused if its check fails, if its sender is not in the table, or
/// if no window was promised for it. The last case includes frames whose reservation has expired.
struct DeviceCounters {
    std::uint64_t frames = 0, bytes = 0, rerouted = 0, refused_frames = 0, refused_signals = 0, unserved = 0,
                  failures = 0;
};

/// The kind of a SignalRecord.
enum class SignalKind : std::uint8_t {
    rsvp = 0,    ///< an RSVP message
    routes = 1,  ///< signaling type 2, as text: describe() in mesh_messages.h
    load = 2,    ///< signaling type 4: a mesh::LoadAdvert, encoded by wire::encode_load()
};
/// A message that a device sent to a neighbour, or that the registry (SRD) sent to devices.
struct SignalRecord {
    TimePoint time{};
    std::uint32_t from = 0, to = 0;  ///< routing identifiers; 0: sent by the registry, or received by all devices
    std::string bytes;
    std::uint64_t number = 0;  ///< position in the order of arrival at the orchestrator, from 1
    SignalKind kind = SignalKind::rsvp;
};

/// Maximum number of records in one report, and in one answer to a client.
inline constexpr std::size_t most_reported_signals = 2'000;
/// Maximum number of records other than RSVP in one report. A router with many gateways sends the same load to each
/// gateway.
inline constexpr std::size_t most_reported_loads = 64;

/// A gateway or router as clients see it.
struct DeviceView {
    std::uint32_t id = 0;
    DeviceInfo info;
    bool up = false;
    std::string reason;       ///< why the device is not up
    TimePoint heard{};        ///< time of the device's last report
    std::uint64_t table = 0;  ///< revision of the route table that the device has applied
    DeviceCounters counters;
    Bytes held = 0, promised = 0;  ///< bytes of chunks held by the device, and bytes for which it has promised room
    std::vector<NeighbourReport> neighbours;
    std::vector<FlowReport> flows;
    GuardReport guard = {};
    std::uint64_t period = 0;  ///< number of the period that the qualities belong to
    std::vector<DealtReport> dealt = {};
    std::vector<SegmentPath> segments = {};  ///< SRv6 paths that the device wants kernels to use
    CacheReport cache = {};
    mesh::LeaseStanding lease = mesh::LeaseStanding::held;  ///< state of the device's lease
    std::int64_t renewed_ms = 0;  ///< ms since the lease was last renewed, at the time of the answer
};

}  // namespace divisi::control::inline types
