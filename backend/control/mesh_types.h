// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/control/admission_types.h"
#include "backend/control/dealing_types.h"
#include "backend/mesh/device.h"
#include "backend/mesh/meter.h"

namespace divisi::control {

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
    bool dealt = false;      ///< gateways deal among it and others under the path above it, and it takes work now
    double flops_per_s = 0;  ///< of its node, as measured; 0: it is not
    bool operator==(const TablePlace&) const = default;
};

/// One neighbour of a device (signaling type 4), and how well it is reached (type 5).
struct NeighbourReport {
    std::uint32_t id = 0;
    bool usable = false;
    std::uint64_t sent_bytes = 0;  ///< of chunks, since the device began
    std::uint64_t queued_bytes = 0;
    std::uint64_t credit_bytes = 0;  ///< that it has promised and that is not spent
    mesh::Quality quality = {};      ///< of the last whole period
};
/// One flow at a device.
struct FlowReport {
    TaskId task;
    Sid source, destination;
    std::vector<std::uint32_t> path;  ///< from this device on; empty: there is none now
    std::uint64_t queued_bytes = 0, credit_bytes = 0, out_bytes = 0, promised_bytes = 0;
    std::uint32_t strand = 0;  ///< 1: those of its tensors that policy sends by the second path
    mesh::Quality quality = {};
};
/// What a device counts, since it began. Refused frames are those that check wrongly, come from nobody in the table, or
/// were not promised, also by a reservation that was over.
struct DeviceCounters {
    std::uint64_t frames = 0, bytes = 0, rerouted = 0, refused_frames = 0, refused_signals = 0, unserved = 0,
                  failures = 0;
};

/// An RSVP message that a device sent to a neighbour.
struct SignalRecord {
    TimePoint time{};
    std::uint32_t from = 0, to = 0;
    std::string bytes;
    std::uint64_t number = 0;  ///< in the order of their arrival at the orchestrator, from 1
};

/// In one report, and in one answer to a client.
inline constexpr std::size_t most_reported_signals = 2'000;

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
};

}  // namespace divisi::control
