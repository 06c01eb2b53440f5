// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/mesh/base/outcome.h"

namespace divisi::control::inline types {

// Who may send what through a gateway (signaling type 3), and how gateways and routers protect the mesh.

/// Lets one process send to all SIDs under a prefix. All else is denied.
struct AdmissionRule {
    std::string key;              ///< public key that it proves; empty: the user of this machine, on ipc
    Sid as;                       ///< that it plays
    Incarnation incarnation = 0;  ///< and as which process
    std::string sid_prefix;
    bool operator==(const AdmissionRule&) const = default;
};

/// What an admin has said of who may send where. Of the orders that match a flow the first counts: it denies, or leaves
/// the flow to the rules.
struct AdmissionOrder {
    Sid as;                       ///< that the sender plays; empty: whoever it is
    Incarnation incarnation = 0;  ///< and as which process
    std::string sid_prefix;       ///< empty: all SIDs
    bool allow = false;
    std::string text;  ///< the entry of the policy that says so
    bool operator==(const AdmissionOrder&) const = default;
};
/// In a policy of one gateway.
inline constexpr std::size_t most_orders = 4'096;

/// What a device has counted since it began.
struct GuardCounters {
    std::uint64_t admitted = 0, denied = 0, unserved = 0, limited = 0;  ///< set-ups of flows
    std::uint64_t retries = 0;                                          ///< of set-ups that had been refused
    std::uint64_t refused_frames = 0;                                   ///< of flows that were not admitted
    std::uint64_t unlogged = 0;                                         ///< requests that its log had no room for
    std::uint64_t ejections = 0;                                        ///< of neighbours that kept failing
    std::uint64_t delayed = 0;                                          ///< chunks that waited for a rate limit
    std::uint64_t refused_keys = 0;                                     ///< connections with keys that are not allowed
    std::uint64_t unfinished_handshakes = 0;                            ///< connections that came to nothing
};
/// A neighbour that failed and is avoided, or tried again.
struct BreakerReport {
    std::uint32_t neighbour = 0;
    bool half_open = false;  ///< one flow tries it; else none
};
struct GuardReport {
    std::uint64_t policy = 0;  ///< version that is in force at a gateway; 0: none
    GuardCounters counters;
    std::vector<BreakerReport> breakers;  ///< those that are not closed
};

/// A line of a gateway's request log: the set-up of a flow, and what became of it.
struct RequestRecord {
    std::uint64_t number = 0;  ///< in the order of their arrival at the orchestrator, from 1
    TimePoint time{};
    std::string gateway;
    std::string subject;  ///< whose key it is; in a gateway's report the key; on ipc "uid:1000"
    TaskId task;
    std::string source, destination;  ///< as SIDs; "#" and 16 digits for one that no table has
    Incarnation incarnation = 0;      ///< of the source
    mesh::Outcome outcome = mesh::Outcome::denied;
    std::string reason;
    std::uint64_t policy = 0;         ///< version; 0: there was none
    double took_s = 0;                ///< since it was first asked for
    std::vector<std::uint32_t> path;  ///< of the flow when it was reported; empty: it carried nothing yet
};

/// In one report of a gateway, and in one answer to a client.
inline constexpr std::size_t most_reported_requests = 200, most_answered_requests = 2'000;

}  // namespace divisi::control::inline types
