// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/mesh/base/device.h"

namespace divisi::control::inline types {

// Policy is versioned data: what the service mesh orchestrator sets at gateways (MG) and routers (SR).

enum class PolicyKey : std::uint8_t {
    share = 1,      ///< percent of a flow's tensors that go by the first of its two paths
    window = 2,     ///< bytes that a device promises to a flow on its path
    adapt = 3,      ///< 1: the orchestrator moves shares away from paths that have slowed down
    module = 4,     ///< 0: the module `from` does not advise, or not about the task `to`
    balancing = 5,  ///< mesh::Balancing by which gateways deal micro-batches among data instances
    // Of gateways; what is said nowhere is as the gateway was started.
    mic_rate = 6,   ///< bytes of payload a second that the instances of a MIC send to other MICs; 0: no limit
    task_rate = 7,  ///< likewise those of one task
    retries = 8,    ///< retry budget: refused set-ups that may be asked for again in a second; 0: no limit
    breaker = 9,    ///< failures of a neighbour within breaker_window that open its circuit breaker
    send = 10,      ///< whether the instances of `from` (anyone, MIC/NODE or MIC/*) may send to SIDs below `to`
    // Of gateways again.
    breaker_window = 11,  ///< ms within which the failures of `breaker` count
    breaker_open = 12,    ///< ms for which flows avoid such a neighbour at first; each time twice as long
    // Of flows again.
    blob_share = 13,  ///< of blobs what `share` is of all flows, and before it; for all, or two gateways
    // Of gateways and routers: what each of them tells at once, as abnormal or with a report ahead of its time.
    alarm_retries = 14,   ///< chunks since the last report that went another way
    alarm_refusals = 15,  ///< refused frames and messages since then
    alarm_latency = 16,   ///< ms that the p99 of a neighbour reaches, of a chunk's going to its freeing
    alarm_full = 17,      ///< ms for which no chunk of a flow fits into what is promised to it
};
const char* to_string(PolicyKey key);
/// Such an entry names one gateway, or none for all of them.
bool about_gateway(PolicyKey key);
/// Such an entry names one gateway or router, or none for all of them.
bool about_device(PolicyKey key);
/// Its value is a time in ms.
bool is_duration(PolicyKey key);

struct PolicyEntry {
    PolicyKey key = PolicyKey::share;
    /// Two gateways, or two SIDs; both empty: for all. Of a module its name, and a task; of a gateway its name alone;
    /// of `send` see there.
    std::string from, to;
    std::int64_t value = 0;
    bool operator==(const PolicyEntry&) const = default;
};
/// mesh::Balancing as it is written: "round-robin", "least-outstanding", "weighted", "two-choices"; else empty.
const char* balancing_name(std::int64_t rule);
inline constexpr int first_balancing = 1, last_balancing = 4;

/// "share:mg-1:mg-2=40", "window=16MiB": as it is written and read.
std::string to_text(const PolicyEntry& entry);

/// One version of the policy, whole. Version 0 has no entries: each device goes by its own defaults.
struct PolicyVersion {
    std::uint64_t version = 0;
    TimePoint time{};
    std::string author;  ///< name of the key, or the uid; smo_author for the orchestrator itself
    std::string change;  ///< "share:mg-1:mg-2 100 to 0"
    std::string reason;
    std::vector<PolicyEntry> entries;
    bool operator==(const PolicyVersion&) const = default;
};
inline constexpr const char* smo_author = "smo";
/// Of what the cluster file states; no key has such a name.
inline constexpr const char* file_author = "cluster file";
/// Whom an entry of PolicyKey::send is about, where it is about all.
inline constexpr const char* anyone = "anyone";

/// Which version a device goes by.
struct PolicyAtDevice {
    std::string device;
    bool up = false;
    std::uint64_t applied = 0;
    std::uint64_t refused = 0;  ///< the last version that it did not take; 0: none
    std::string reason;         ///< why
};

/// What is known of the two paths from one gateway to another.
struct PathStanding {
    std::string from, to;
    std::uint32_t share = 100;
    double first_bytes_per_s = 0, second_bytes_per_s = 0;  ///< while they were busy, as last measured; 0: never
    std::string state;                                     ///< "first path", "moved to the second", ...
};

/// A flow that an abnormal state concerns, and where it goes from there now; without a path nowhere.
struct AbnormalFlow {
    TaskId task;
    Sid source, destination;
    std::vector<std::uint32_t> path;
};

/// Entries of one version, and versions that are remembered.
inline constexpr std::size_t most_policy_entries = 256, most_policy_versions = 100;

}  // namespace divisi::control::inline types
