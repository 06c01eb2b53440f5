// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/control/types/types.h"
#include "backend/mesh/base/device.h"

namespace divisi::control::inline types {

// Policy is versioned data that the service mesh orchestrator sets at gateways (MG) and routers (SR).

enum class PolicyKey : std::uint8_t {
    share = 1,      ///< percent of a flow's tensors on the first of its two paths
    window = 2,     ///< bytes that a device promises to a flow on its path
    adapt = 3,      ///< 1: the orchestrator moves traffic off paths that have become slow
    module = 4,     ///< 0: the module `from` gives no advice, or none about the task `to`
    balancing = 5,  ///< mesh::Balancing rule by which gateways deal micro-batches to data instances
    // Keys for gateways. Without an entry, the gateway's start options apply.
    mic_rate = 6,   ///< payload bytes/s that the instances of a MIC send to other MICs; 0: no limit
    task_rate = 7,  ///< payload bytes/s that the instances of one task send to other MICs; 0: no limit
    retries = 8,    ///< retry budget: refused set-ups that may be retried in a second; 0: no limit
    breaker = 9,    ///< number of failures within breaker_window that open a neighbour's breaker
    send = 10,      ///< 1: the senders `from` (see below) may send to SIDs below `to`; 0: denied
    // More keys for gateways.
    breaker_window = 11,  ///< ms within which the failures of `breaker` count
    breaker_open = 12,    ///< ms for which flows first avoid a neighbour with an open breaker; doubles each time
    // More keys for flows.
    blob_share = 13,  ///< overrides `share` for blobs; for all flows, or between two gateways
    // Thresholds at which a gateway or router reports immediately: it sends an abnormal state, or sends its regular
    // report early.
    alarm_retries = 14,   ///< chunks rerouted since the last report
    alarm_refusals = 15,  ///< frames and messages refused since the last report
    alarm_latency = 16,   ///< p99 in ms, at one neighbour, from sending a chunk until the chunk is freed
    alarm_full = 17,      ///< ms during which no chunk of a flow fits into its credit
};
const char* to_string(PolicyKey key);
/// Returns whether an entry with this key names one gateway, or none for all gateways.
bool about_gateway(PolicyKey key);
/// Returns whether an entry with this key names one gateway or router, or none if it applies to all.
bool about_device(PolicyKey key);
/// Returns whether the value of this key is a time in ms.
bool is_duration(PolicyKey key);

struct PolicyEntry {
    PolicyKey key = PolicyKey::share;
    /// Two gateways or two SIDs; both empty: all. For a module: its name and a task. For a gateway: its name in `from`.
    /// For `send`: see below.
    std::string from, to;
    std::int64_t value = 0;
    bool operator==(const PolicyEntry&) const = default;
};
/// Returns the written name of a mesh::Balancing rule: "round-robin", "least-outstanding", "weighted" or "two-choices".
/// Returns an empty text for any other number.
const char* balancing_name(std::int64_t rule);
inline constexpr int first_balancing = 1, last_balancing = 4;

/// Returns the entry as it is written and read: "share:mg-1:mg-2=40", "window=16MiB".
std::string to_text(const PolicyEntry& entry);

/// One complete version of the policy. Version 0 has no entries: each device uses its own defaults.
struct PolicyVersion {
    std::uint64_t version = 0;
    TimePoint time{};
    std::string author;  ///< name of the key, or the uid; smo_author for the orchestrator itself
    std::string change;  ///< description of the change: "share:mg-1:mg-2=0 (was 100)"
    std::string reason;
    std::vector<PolicyEntry> entries;
    bool operator==(const PolicyVersion&) const = default;
};
inline constexpr const char* smo_author = "smo";
/// Author of versions that the cluster file sets. No key has this name.
inline constexpr const char* file_author = "cluster file";
/// Sender in an entry of PolicyKey::send that applies to all senders.
inline constexpr const char* anyone = "anyone";

/// The policy version that a device applies.
struct PolicyAtDevice {
    std::string device;
    bool up = false;
    std::uint64_t applied = 0;
    std::uint64_t refused = 0;  ///< the last version that the device refused; 0: none
    std::string reason;         ///< reason of the refusal
};

/// The state of the two paths from one gateway to another.
struct PathStanding {
    std::string from, to;
    std::uint32_t share = 100;
    double first_bytes_per_s = 0, second_bytes_per_s = 0;  ///< last rates measured while the path was busy; 0: never
    std::string state;  ///< description of the state: "settled", "the first path was left", ...
};

/// A flow that an abnormal state affects, and its current path from the reporting device. An empty path means that the
/// flow has no route.
struct AbnormalFlow {
    TaskId task;
    Sid source, destination;
    std::vector<std::uint32_t> path;
};

/// Maximum number of entries in one version, and of versions that are remembered.
inline constexpr std::size_t most_policy_entries = 256, most_policy_versions = 100;

/// Percent of the tensors between two gateways that take the first path, unless a policy sets another share.
inline constexpr std::int64_t default_share = 100;

// The sender in "send:WHO:PREFIX=deny", an entry of PolicyKey::send. WHO is "anyone", a node, all nodes of a MIC
// ("mic-1/*"), or the holders of CURVE keys. "key@NAME" means the key allowed with that name; "role@ROLE" means all
// keys with that role. No MIC of a cluster file has an '@' in its name.

inline constexpr std::string_view key_sender = "key@", role_sender = "role@";

/// Returns whether WHO names keys instead of nodes.
bool names_keys(std::string_view who);

/// Returns whether the entry applies to the instances of this node, regardless of their key.
bool is_sender(const PolicyEntry& entry, const NodeId& node);
/// Returns whether the entry applies to holders of a key that was allowed with this name and role.
bool is_sender(const PolicyEntry& entry, std::string_view name, Role role);

/// Returns a rank of how many senders WHO covers. The order from narrow to wide is: a node or a key's name, a MIC, a
/// role, anyone.
int width_of(const PolicyEntry& entry);

}  // namespace divisi::control::inline types
