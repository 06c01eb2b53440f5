// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/control/types/admission_types.h"
#include "backend/control/types/cache_types.h"
#include "backend/control/types/dealing_types.h"
#include "backend/control/types/lease_types.h"
#include "backend/mesh/base/device.h"
#include "backend/mesh/registry/registration.h"
#include "backend/mesh/relay/meter.h"

namespace divisi::control::inline types {

// What the service mesh orchestrator and its gateways (MG) and routers (SR) tell each other.

/// What a gateway or router says of itself.
struct DeviceInfo {
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    MicId mic;                            ///< of a gateway
    std::string endpoint;                 ///< where neighbours and instances connect: data and lane
    std::string key;                      ///< CURVE public key, Z85; empty on ipc
    std::vector<std::string> neighbours;  ///< by name; a link is there where either end names the other
    Bytes buffer = 0;                     ///< that it promises at most
    std::int64_t pid = 0;
    std::string host;
    std::string version;
    /// What a gateway lets the instances of its MIC send to others, all together and those of one task, where no policy
    /// says otherwise; 0: as much as they like.
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
    std::uint32_t a = 0, b = 0;  ///< a < b
    double latency_s = 0, bytes_per_s = 0;
    bool operator==(const TableLink&) const = default;
};
/// What the table says of every link: one between processes of a host. Ways are chosen by these, so that whoever
/// computes one from the same table gets the same.
inline constexpr double table_latency_s = 100e-6, table_bytes_per_s = 1e9;
/// Where a SID is played.
struct TablePlace {
    TaskId task;
    Sid sid;
    std::uint32_t gateway = 0;  ///< of its MIC
    std::string endpoint;       ///< of the instance, for its own gateway
    std::string key;
    bool dealt = false;       ///< gateways deal among it and others under the path above it, and it takes work now
    double flops_per_s = 0;   ///< of what it computes on, as measured; 0: it is not
    std::uint64_t lease = 0;  ///< under which it works, which gateways write into the first data for it; 0: none
    std::uint32_t share = 0;  ///< of that lease
    LeaseTerms terms = {};    ///< likewise
    /// As the instance said to the registry (SRD); pending where it has not registered yet.
    mesh::Health health = mesh::Health::active;
    bool operator==(const TablePlace&) const = default;
};

/// What a gateway keeps of the last word of a router next to it (signaling type 4).
struct RouterLoad {
    bool known = false;  ///< it has said something, and lately
    double age_s = 0;
    std::uint64_t queued_bytes = 0, credit_bytes = 0;  ///< of all its links
    std::vector<std::uint32_t> failed_links;           ///< to whom, by routing identifier
};
/// One neighbour of a device (signaling type 4), and how well it is reached (type 5).
struct NeighbourReport {
    std::uint32_t id = 0;
    bool usable = false;
    std::uint64_t sent_bytes = 0;  ///< of chunks, since the device began
    std::uint64_t queued_bytes = 0;
    std::uint64_t credit_bytes = 0;  ///< that it has promised and that is not spent
    mesh::Quality quality = {};      ///< of the last whole period
    RouterLoad load = {};            ///< a router's, at a gateway
};
/// One flow at a device.
struct FlowReport {
    TaskId task;
    Sid source, destination;
    std::vector<std::uint32_t> path;  ///< from this device on; empty: there is none now
    std::uint64_t queued_bytes = 0, credit_bytes = 0, out_bytes = 0, promised_bytes = 0;
    std::uint32_t strand = 0;  ///< 1: those of its tensors that policy sends by the second path
    mesh::Quality quality = {};
    mesh::FlowClass flow_class = mesh::FlowClass::tensor;
};
/// A gateway has the kernels of the routers' hosts carry what it sends to another (SRv6).
struct SegmentPath {
    std::vector<std::uint32_t> path;  ///< devices from end to end
};
/// In one report: gateways that a gateway sends to.
inline constexpr std::size_t most_reported_segments = 1'000;
/// What a device counts, since it began. Refused frames are those that check wrongly, come from nobody in the table, or
/// were not promised, also by a reservation that was over.
struct DeviceCounters {
    std::uint64_t frames = 0, bytes = 0, rerouted = 0, refused_frames = 0, refused_signals = 0, unserved = 0,
                  failures = 0;
};

/// What a SignalRecord is of.
enum class SignalKind : std::uint8_t {
    rsvp = 0,    ///< an RSVP message
    routes = 1,  ///< signaling type 2; its text, as describe() of route_adverts.h makes it
    load = 2,    ///< signaling type 4: a mesh::LoadAdvert as wire::encode_load() makes it
};
/// A message that a device sent to a neighbour, or the registry (SRD) to devices.
struct SignalRecord {
    TimePoint time{};
    std::uint32_t from = 0, to = 0;  ///< routing identifiers; 0: the registry, and as receiver all devices
    std::string bytes;
    std::uint64_t number = 0;  ///< in the order of their arrival at the orchestrator, from 1
    SignalKind kind = SignalKind::rsvp;
};

/// In one report, and in one answer to a client.
inline constexpr std::size_t most_reported_signals = 2'000;
/// Of these that are no RSVP, in one report: a router with many gateways says the same to each of them.
inline constexpr std::size_t most_reported_loads = 64;

/// As clients see a gateway or router.
struct DeviceView {
    std::uint32_t id = 0;
    DeviceInfo info;
    bool up = false;
    std::string reason;       ///< why it is not
    TimePoint heard{};        ///< its last report
    std::uint64_t table = 0;  ///< revision that it has applied
    DeviceCounters counters;
    Bytes held = 0, promised = 0;  ///< bytes of chunks that are there, and that may come
    std::vector<NeighbourReport> neighbours;
    std::vector<FlowReport> flows;
    GuardReport guard = {};
    std::uint64_t period = 0;  ///< of the qualities
    std::vector<DealtReport> dealt = {};
    std::vector<SegmentPath> segments = {};  ///< that are wanted of the kernels
    CacheReport cache = {};
    mesh::LeaseStanding lease = mesh::LeaseStanding::held;  ///< of its registration
    std::int64_t renewed_ms = 0;                            ///< since that was renewed last, as of the answer
};

}  // namespace divisi::control::inline types
