// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/task/alert_rules.h"

namespace divisi::task {

/// A cluster file, parsed and checked:
///
///     [cluster]
///     name = "lab"
///     transport = "tcp"                      # ipc: one host, one user; tcp: CURVE
///     orchestrator = "tcp://10.0.0.1:7600"   # where clients and agents find divisid
///     orchestrator_key = "..."               # its public key (Z85); tcp only, once it has one
///     trusted_network = false                # collectives may open plain TCP
///     metrics = "127.0.0.1:9464"             # divisid tells Prometheus of itself there; without it nowhere
///     host = "head"                          # where `divisictl cluster start` runs divisid
///
///     [[host]]                               # machines, for `divisictl cluster start`; tcp only. Where there are any,
///     name = "alpha"                         # everything in the file is on one of them, and keys may be missing until
///     address = "10.0.0.2"                   # `divisictl cluster keys` has made them; or "fd77::2", "[fd77::2]"
///
///     [[mic]]
///     name = "mic-1"
///     [[mic.node]]
///     name = "node-1"
///     host = "alpha"                         # or, in a file without hosts:
///     endpoint = "tcp://10.0.0.2:7610"       # where the node agent's blob store listens
///     key = "..."                            # its public key (Z85); tcp only
///     devices = ["cpu"]
///     cores = 8
///     memory = "32 GiB"
///     secure = false                         # true: may run operators that a task marks as sensitive
///     type = "NVIDIA H200"                   # device type whose measured prices count while the node is not there
///     flops = "40 TFLOP/s"                   # of its GPUs, else of a thread of its processor, in place of measured
///     memory_bandwidth = "1 TB/s"            # prices: to plan for machines that nobody has measured
///     metrics = "127.0.0.1:9465"             # its agent tells Prometheus of itself there, on its host alone; another
///                                            # address for each program of a host; port 0: the system chooses one
///     metrics_instances = true               # so does each of its instances: files in the folder metrics of the
///                                            # node's own name the ports
///
///     [mic.gateway]                          # of the MIC above; every MIC has one where there are gateways or routers
///     name = "mg-1"
///     host = "alpha"
///     port = 7620                            # takes the next one too
///     key = "..."
///     links = ["sr-1"]                       # gateways and routers with which it has a link; either end may name it
///     metrics = "127.0.0.1:9466"             # as of a node
///
///     [mic.gateway.limits]                   # what it lets through; each may be left out
///     task_rate = "200 MB/s"                 # that the instances of one task may send; without it as much as goes
///     mic_rate = "1 GB/s"                    # likewise all instances of the MIC together
///     task_set_ups = 500                     # flows that one task may set up in a second, four times as many at
///     mic_set_ups = 2000                     # once; all tasks together; 0: no limit
///     retries = 10                           # refused set-ups that may be tried again in a second
///     set_up_deadline = "2 s"                # until a set-up that nobody serves is answered
///     policy_validity = "600 s"              # while the orchestrator is away; then nothing is admitted
///
///     [[router]]
///     name = "sr-1"                          # and host, port, key, links, metrics, as a gateway
///
///     [[module]]                             # a functional module, which advises the orchestrator
///     name = "link-trend"
///     program = "divisi-module-link-trend"   # beside the other programs, or with its path; this one by default
///     arguments = ["--horizon", "4"]
///     host = "alpha"                         # and key, metrics, as a router
///
///     [[key]]                                # allow-list
///     name = "alice"
///     role = "operator"                      # viewer, operator, agent, admin, module
///     public = "..."
///
///     [[link]]                               # holds where nothing was measured
///     from = "mic-1/node-1"                  # a node, "mic-1/*" or "*", or a gateway or router that is linked with
///                                            # `to`, which is one too; the pair that says most holds,
///     to = "mic-2/*"                         # also for the way back where nothing is said of that
///     latency = "0.2 ms"                     # ns, us, ms, s
///     bandwidth = "1.2 GB/s"                 # B/s, kB/s, ..., KiB/s, ..., bit/s, kbit/s, ...
///
///     [[pool]]                               # nodes by a name that tasks may ask for; a node may be in several
///     name = "h200"
///     type = "NVIDIA H200"                   # those with a device of this type,
///     nodes = ["mic-2/*"]                    # those that are listed; where both are given, those that are both
///     shared = false                         # true: several tasks on a node at once, as its cores and memory allow;
///     instances = 0                          # so many instances on each at most; 0: no further bound
///
///     [queue]
///     discipline = "priority"                # fcfs, priority, share
///     [queue.weights]                        # share: node-seconds in this proportion; who is not named has 1
///     alice = 2                              # by the name of the key, on ipc by "uid:1000"
///
///     [policy]                               # what is set at gateways and routers when the file first says so, in the
///     entries = ["breaker=5", "retries=20",  # words of `divisictl policies set`; what is set there later stands until
///         "send:mic-1/node-1:gpt=deny"]      # the file says something else
///
///     [alerts]                               # when the orchestrator raises an alert; 0: never
///     slow = 3                               # steps take so many times the median of those before,
///     slow_for = "30 s"                      # and have for so long
///     silent = "10 s"                        # a node is not heard for so long
///     queue = 20                             # more tasks wait
///     disk = "1 GiB"                         # less is free where a node, or divisid, keeps its files
///     loss = true                            # a loss is nan or infinite

enum class Transport : std::uint8_t { ipc, tcp };
const char* to_string(Transport transport);

/// A machine with its address.
struct ClusterHost {
    std::string name;
    std::string address;  ///< as it stands before a port: IPv6 in brackets
    bool operator==(const ClusterHost&) const = default;
};

/// What a gateway lets through; what is not said is as divisi-gateway has it by default.
struct ClusterLimits {
    std::optional<double> task_bytes_per_s, mic_bytes_per_s;  ///< that instances may send
    std::optional<double> task_set_ups_per_s, mic_set_ups_per_s;
    std::optional<double> retries_per_s;  ///< of set-ups that were refused
    std::optional<double> set_up_deadline_s, policy_validity_s;
    bool operator==(const ClusterLimits&) const = default;
};

/// A gateway or router.
struct ClusterDevice {
    std::string name;
    std::string host;
    std::string address;       ///< of the host
    std::int64_t port = 7620;  ///< of chunks; the lane has the next one
    std::string key;
    std::vector<std::string> links;  ///< names of gateways and routers
    ClusterLimits limits = {};       ///< of a gateway
    std::string metrics = {};        ///< loopback address and port where it tells Prometheus of itself; empty: nowhere
    bool operator==(const ClusterDevice&) const = default;
};

struct ClusterNode {
    std::string name;
    std::string host;  ///< empty: the file names no hosts
    std::string endpoint;
    std::string key;
    std::vector<std::string> devices = {"cpu"};
    std::int64_t cores = 0;          ///< 0: what the machine has
    Bytes memory = 0;                ///< 0: what the machine has
    bool secure = false;             ///< may run sensitive operators
    std::string type;                ///< of its GPUs, else of its processor; empty: what the machine has
    double flops_per_s = 0;          ///< of that device; 0: as measured, or by default
    double bytes_per_s = 0;          ///< of its memory; likewise
    std::string metrics;             ///< as of a gateway
    bool metrics_instances = false;  ///< each of its instances tells of itself too
    bool operator==(const ClusterNode&) const = default;
};

struct ClusterMic {
    std::string name;
    std::vector<ClusterNode> nodes;
    std::optional<ClusterDevice> gateway = std::nullopt;
    bool operator==(const ClusterMic&) const = default;
};

struct ClusterModule {
    std::string name;
    std::string program;
    std::vector<std::string> arguments;
    std::string host;  ///< empty: the file names no hosts
    std::string key;
    std::string metrics;  ///< as of a gateway
    bool operator==(const ClusterModule&) const = default;
};

struct AllowedKey {
    std::string name;
    std::string role;        ///< viewer, operator, agent, admin, module
    std::string public_key;  ///< CURVE, Z85, 40 characters
    bool operator==(const AllowedKey&) const = default;
};

struct ClusterLink {
    std::string from = "*", to = "*";              ///< MIC/NODE, or the beginning of one and a star
    std::optional<double> latency_s, bytes_per_s;  ///< at least one
    bool operator==(const ClusterLink&) const = default;
};

struct ClusterPool {
    std::string name;
    std::string type;                ///< of a device; empty: any
    std::vector<std::string> nodes;  ///< MIC/NODE, or the beginning of one and a star; empty: any
    bool shared = false;
    std::int64_t instances = 0;  ///< on each node at most; 0: as cores and memory allow
    bool operator==(const ClusterPool&) const = default;
};

struct ClusterQueue {
    std::string discipline = "priority";    ///< fcfs, priority, share
    std::map<std::string, double> weights;  ///< by submitter; 1 for the others
    bool operator==(const ClusterQueue&) const = default;
};

/// An entry of [policy], as it is written.
struct StatedPolicy {
    std::string text;
    std::string where;  ///< file and line
    bool operator==(const StatedPolicy& other) const { return text == other.text; }
};
inline constexpr std::size_t most_stated_policies = 64;

struct ClusterSpec {
    std::string name = "cluster";
    Transport transport = Transport::ipc;
    std::string orchestrator;      ///< endpoint
    std::string orchestrator_key;  ///< CURVE, Z85
    bool trusted_network = false;
    std::string metrics;  ///< loopback address and port where divisid tells Prometheus of itself; empty: nowhere
    std::string host;     ///< of the orchestrator; empty: the file names no hosts
    std::vector<ClusterHost> hosts;
    std::vector<ClusterMic> mics;
    std::vector<ClusterDevice> routers;
    std::vector<ClusterModule> modules;
    std::vector<AllowedKey> keys;
    std::vector<ClusterLink> links;
    std::vector<ClusterPool> pools;
    ClusterQueue queue;
    AlertRules alerts = {};
    std::vector<StatedPolicy> policies = {};
    bool operator==(const ClusterSpec&) const = default;

    /// A node by "mic/node"; null when there is none.
    const ClusterNode* find(std::string_view path) const;
    const ClusterHost* find_host(std::string_view name) const;
    /// All gateways, then all routers.
    std::vector<const ClusterDevice*> devices() const;
    /// Whether either end names the other.
    bool linked(std::string_view a, std::string_view b) const;
};

/// Fails (invalid_input) with file and line as parse_task() does. Checks names (unique, letters, digits,
/// '-', '_', '.'), endpoints against the transport, keys, roles, weights, and that links and pools are of nodes of the
/// file.
Result<ClusterSpec> parse_cluster(std::string_view text, const std::string& filename);

/// A cluster file that parses to the same spec.
std::string print_cluster(const ClusterSpec& spec);

}  // namespace divisi::task
