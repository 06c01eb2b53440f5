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

namespace divisi::task {

/// Rules for the orchestrator's alerts: [alerts] of a cluster file. A threshold of 0 switches its rule off.
struct AlertRules {
    double slow = 3;              ///< minimum ratio of a step's time to the median of earlier steps
    double slow_for_s = 30;       ///< minimum time for which steps must have been this slow
    double silent_s = 10;         ///< minimum time without a message from a node
    std::int64_t queue = 20;      ///< number of waiting tasks that must be exceeded
    Bytes disk = Bytes{1} << 30;  ///< limit below which a node's or the orchestrator's free space for files must fall
    bool loss = true;             ///< whether a loss that is NaN or infinite raises an alert
    bool operator==(const AlertRules&) const = default;
};

/// A parsed and checked cluster file:
///
///     [cluster]
///     name = "lab"
///     transport = "tcp"                      # ipc: one host, one user; tcp: CURVE
///     orchestrator = "tcp://10.0.0.1:7600"   # where clients and agents find divisid
///     orchestrator_key = "..."               # its public key (Z85); tcp only, after its first start
///     trusted_network = false                # collectives may open plain TCP
///     metrics = "127.0.0.1:9464"             # where divisid serves metrics to Prometheus; absent: nowhere
///     host = "head"                          # where `divisictl cluster start` runs divisid
///
///     [[host]]                               # machines for `divisictl cluster start`; tcp only. If any are listed,
///     name = "alpha"                         # every program is on one; `divisictl cluster keys` makes missing keys
///     address = "10.0.0.2"                   # or an IPv6 address: "fd77::2" or "[fd77::2]"
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
///     type = "NVIDIA H200"                   # device type whose measured prices apply while the node is away
///     flops = "40 TFLOP/s"                   # of its GPUs, or else of one processor thread; replaces measured prices,
///     memory_bandwidth = "1 TB/s"            # to plan for machines without measurements
///     metrics = "127.0.0.1:9465"             # where its agent serves metrics to Prometheus, on its host only; every
///                                            # program of a host needs its own; port 0: the system chooses one
///     metrics_instances = true               # its instances serve metrics, too; the folder `metrics` in the node's
///                                            # data folder contains a file with the port of each
///
///     [mic.gateway]                          # of the MIC above; required if there are gateways or routers
///     name = "mg-1"
///     host = "alpha"
///     port = 7620                            # also uses the next port
///     key = "..."
///     links = ["sr-1"]                       # gateways and routers that it is linked to; either end may list the link
///     metrics = "127.0.0.1:9466"             # as for a node
///
///     [mic.gateway.limits]                   # limits of the traffic that it admits; each is optional
///     task_rate = "200 MB/s"                 # sent by the instances of one task; absent: unlimited
///     mic_rate = "1 GB/s"                    # sent by all instances of the MIC together; absent: unlimited
///     task_set_ups = 500                     # flows that one task may set up per second; 0: unlimited
///     mic_set_ups = 2000                     # the same for all tasks together; bursts may be four times as large
///     retries = 10                           # refused set-ups that may be retried per second
///     set_up_deadline = "2 s"                # a set-up that nobody serves is refused after this time
///     policy_validity = "600 s"              # if the orchestrator is away longer, nothing is admitted
///
///     [[router]]
///     name = "sr-1"                          # also host, port, key, links, metrics, as for a gateway
///
///     [[module]]                             # a functional module, which advises the orchestrator
///     name = "link-trend"
///     program = "divisi-module-link-trend"   # beside the other programs, or with its path; this is the default
///     arguments = ["--horizon", "4"]
///     host = "alpha"                         # also key, metrics, as for a router
///
///     [[key]]                                # access list
///     name = "alice"
///     role = "operator"                      # viewer, operator, agent, admin, module
///     public = "..."
///
///     [[link]]                               # applies if nothing was measured
///     from = "mic-1/node-1"                  # a node, "mic-1/*" or "*"; or a gateway or router if the file lists its
///                                            # link to the device in `to`. The most specific pair applies.
///     to = "mic-2/*"                         # like from; a pair also applies to a reverse direction without an entry
///     latency = "0.2 ms"                     # ns, us, ms, s
///     bandwidth = "1.2 GB/s"                 # B/s, kB/s, ..., KiB/s, ..., bit/s, kbit/s, ...
///
///     [[pool]]                               # a named set of nodes that tasks may request; pools may overlap
///     name = "h200"
///     type = "NVIDIA H200"                   # nodes with a device of this type,
///     nodes = ["mic-2/*"]                    # or listed nodes; if both keys are given, nodes that match both
///     shared = false                         # true: several tasks on a node at once, as its cores and memory allow;
///     instances = 0                          # maximum number of instances per node; 0: no further limit
///
///     [queue]
///     discipline = "priority"                # fcfs, priority, share
///     [queue.weights]                        # share: node-seconds in this proportion; 1 for anybody not listed
///     alice = 2                              # by the name of the key, on ipc by "uid:1000"
///
///     [policy]                               # set at gateways and routers when the file first lists it, in the syntax
///     entries = ["breaker=5", "retries=20",  # of `divisictl policies set`; entries set there later apply until the
///         "send:mic-1/node-1:gpt=deny"]      # file changes
///
///     [alerts]                               # when the orchestrator raises an alert; 0: never
///     slow = 3                               # steps take this many times the median of earlier ones,
///     slow_for = "30 s"                      # and have been slow for this time
///     silent = "10 s"                        # no message from a node for this time
///     queue = 20                             # more tasks than this wait
///     disk = "1 GiB"                         # a node or divisid has less free space for its files
///     loss = true                            # a loss is NaN or infinite

enum class Transport : std::uint8_t { ipc, tcp };
const char* to_string(Transport transport);

/// A machine and its address.
struct ClusterHost {
    std::string name;
    std::string address;  ///< in the form used before a port: IPv6 in brackets
    bool operator==(const ClusterHost&) const = default;
};

/// Limits of the traffic that a gateway admits. An absent limit has the default of divisi-gateway.
struct ClusterLimits {
    std::optional<double> task_bytes_per_s, mic_bytes_per_s;  ///< maximum rates at which instances may send
    std::optional<double> task_set_ups_per_s, mic_set_ups_per_s;
    std::optional<double> retries_per_s;  ///< retries of refused set-ups
    std::optional<double> set_up_deadline_s, policy_validity_s;
    bool operator==(const ClusterLimits&) const = default;
};

/// A gateway or router.
struct ClusterDevice {
    std::string name;
    std::string host;
    std::string address;       ///< address of the host
    std::int64_t port = 7620;  ///< port for chunks; the lane uses the next port
    std::string key;
    std::vector<std::string> links;  ///< names of gateways and routers
    ClusterLimits limits = {};       ///< only for a gateway
    std::string metrics = {};        ///< loopback address and port for metrics (Prometheus); empty: no metrics
    bool operator==(const ClusterDevice&) const = default;
};

struct ClusterNode {
    std::string name;
    std::string host;  ///< empty: the file names no hosts
    std::string endpoint;
    std::string key;
    std::vector<std::string> devices = {"cpu"};
    std::int64_t cores = 0;          ///< 0: all cores of the machine
    Bytes memory = 0;                ///< 0: all memory of the machine
    bool secure = false;             ///< may run sensitive operators
    std::string type;                ///< type of its GPUs or, without GPUs, of its processor; empty: detected
    double flops_per_s = 0;          ///< FLOP/s of one GPU or, without GPUs, of one thread; 0: measured or default
    double bytes_per_s = 0;          ///< rate of its memory; 0: measured or default
    std::string metrics;             ///< loopback address and port for metrics; empty: no metrics
    bool metrics_instances = false;  ///< each of its instances serves metrics as well
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
    std::string metrics;  ///< loopback address and port for metrics; empty: no metrics
    bool operator==(const ClusterModule&) const = default;
};

struct AllowedKey {
    std::string name;
    std::string role;        ///< viewer, operator, agent, admin, module
    std::string public_key;  ///< CURVE key, Z85, 40 characters
    bool operator==(const AllowedKey&) const = default;
};

struct ClusterLink {
    std::string from = "*", to = "*";              ///< MIC/NODE, or a prefix and a star
    std::optional<double> latency_s, bytes_per_s;  ///< at least one is set
    bool operator==(const ClusterLink&) const = default;
};

struct ClusterPool {
    std::string name;
    std::string type;                ///< device type; empty: any
    std::vector<std::string> nodes;  ///< MIC/NODE, or a prefix and a star; empty: any
    bool shared = false;
    std::int64_t instances = 0;  ///< maximum per node; 0: as cores and memory allow
    bool operator==(const ClusterPool&) const = default;
};

struct ClusterQueue {
    std::string discipline = "priority";    ///< fcfs, priority, share
    std::map<std::string, double> weights;  ///< by submitter; 1 for submitters not listed
    bool operator==(const ClusterQueue&) const = default;
};

/// An entry of [policy] as written in the file.
struct StatedPolicy {
    std::string text;
    std::string where;  ///< file and line
    bool operator==(const StatedPolicy& other) const { return text == other.text; }
};
inline constexpr std::size_t most_stated_policies = 64;

struct ClusterSpec {
    std::string name = "cluster";
    Transport transport = Transport::ipc;
    std::string orchestrator;      ///< endpoint of the orchestrator
    std::string orchestrator_key;  ///< CURVE key, Z85
    bool trusted_network = false;
    std::string metrics;  ///< loopback address and port for divisid's metrics (Prometheus); empty: no metrics
    std::string host;     ///< host of the orchestrator; empty: the file names no hosts
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

    /// Returns a node by "mic/node"; nullptr if there is none.
    const ClusterNode* find(std::string_view path) const;
    const ClusterHost* find_host(std::string_view name) const;
    /// Returns all gateways, then all routers.
    std::vector<const ClusterDevice*> devices() const;
    /// Returns whether device `a` lists a link to `b`, or `b` lists a link to `a`.
    bool linked(std::string_view a, std::string_view b) const;
};

/// Parses a cluster file. Fails (invalid_input) with file and line, as parse_task() does. Checks names (unique;
/// letters, digits, '-', '_', '.'), endpoints against the transport, keys, roles and weights. Links and pools must
/// refer to nodes of the file.
Result<ClusterSpec> parse_cluster(std::string_view text, const std::string& filename);

/// Returns a cluster file that parses to the same spec.
std::string print_cluster(const ClusterSpec& spec);

}  // namespace divisi::task
