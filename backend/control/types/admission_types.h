// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/mesh/base/device.h"

namespace divisi::control::inline types {

// Types for admission at gateways (signaling type 3) and for the protection of the mesh by gateways and routers.

/// Allows one process to send to all SIDs under a prefix. Everything else is denied.
struct AdmissionRule {
    std::string key;              ///< public key that the process proves; empty: the user of this machine, on ipc
    Sid as;                       ///< SID that the process serves
    Incarnation incarnation = 0;  ///< incarnation of that SID
    std::string sid_prefix;
    bool operator==(const AdmissionRule&) const = default;
};

/// One entry of an admin's policy about allowed senders and destinations, for one process or for any sender. The first
/// order that matches a flow decides: it denies the flow or leaves it to the rules.
struct AdmissionOrder {
    Sid as;                       ///< SID that the sender serves; empty: any sender
    Incarnation incarnation = 0;  ///< incarnation of that SID
    std::string sid_prefix;       ///< prefix of the SIDs; empty: all SIDs
    bool allow = false;
    std::string text;  ///< the policy entry that this order comes from
    bool operator==(const AdmissionOrder&) const = default;
};
/// Maximum number of orders in the policy of one gateway.
inline constexpr std::size_t most_orders = 4'096;

/// Counters of a device since its start.
struct GuardCounters {
    std::uint64_t admitted = 0, denied = 0, unserved = 0, limited = 0;  ///< flow set-ups, by outcome
    std::uint64_t retries = 0;                                          ///< set-ups repeated after a refusal
    std::uint64_t refused_frames = 0;                                   ///< frames of flows that were not admitted
    std::uint64_t unlogged = 0;               ///< number of requests that did not fit the request log
    std::uint64_t ejections = 0;              ///< ejections of neighbours that kept failing
    std::uint64_t delayed = 0;                ///< chunks that waited for a rate limit
    std::uint64_t refused_keys = 0;           ///< connections refused because the key is not allowed
    std::uint64_t unfinished_handshakes = 0;  ///< connections whose handshake did not finish
};
/// A neighbour that failed and is now avoided or being tried again.
struct BreakerReport {
    std::uint32_t neighbour = 0;
    bool half_open = false;  ///< whether one flow tries the neighbour again
};
struct GuardReport {
    std::uint64_t policy = 0;  ///< policy version in force at a gateway; 0: none
    GuardCounters counters;
    std::vector<BreakerReport> breakers;  ///< all breakers that are not closed
};

/// A line of a gateway's request log: the set-up of a flow and its outcome.
struct RequestRecord {
    std::uint64_t number = 0;  ///< position in the order of arrival at the orchestrator, from 1
    TimePoint time{};
    std::string gateway;
    std::string subject;  ///< owner of the key; in a gateway's report the key; on ipc "uid:1000"
    TaskId task;
    std::string source, destination;  ///< SIDs; "#" and 16 digits for a SID that is in no table
    Incarnation incarnation = 0;      ///< the source's incarnation
    mesh::Outcome outcome = mesh::Outcome::denied;
    std::string reason;
    std::uint64_t policy = 0;         ///< version of the policy; 0: none was in force
    double took_s = 0;                ///< time from the first request to the outcome, in s
    std::vector<std::uint32_t> path;  ///< the flow's path when reported; empty: the flow carried nothing yet
};

/// Maximum number of requests in one report of a gateway, and in one answer to a client.
inline constexpr std::size_t most_reported_requests = 200, most_answered_requests = 2'000;

}  // namespace divisi::control::inline types
