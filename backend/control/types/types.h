// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/identity/role.h"

namespace divisi::control::inline types {

// Types of roles and rights for messages and events.
using identity::allowed;
using identity::parse_role;
using identity::Right;
using identity::Role;
using identity::to_string;

using PeerId = StrongId<struct PeerTag, std::uint64_t>;  ///< one connection to the orchestrator

enum class NodeState : std::uint8_t {
    ready = 1,
    lost = 2,
    left = 3,
    away = 4,  ///< the node's connection broke; the node may reconnect and continue
};

enum class InstanceState : std::uint8_t {
    placed = 1,      ///< a node was chosen for the instance
    starting = 2,    ///< the node agent was told to start the process
    registered = 3,  ///< the instance has registered (signaling type 1)
    prepared = 4,    ///< segment loaded, data open, peers known
    running = 5,
    finished = 6,  ///< all steps are done, and the weights are stored
    stopped = 7,   ///< the process ended as expected
    failed = 8,
    standby = 9,  ///< the standby is prepared, and waits to replace an instance that dies
};

/// The phases of a task: the six of draft -04 ("communication flow"), between queueing and the end.
enum class TaskPhase : std::uint8_t {
    queued = 1,
    registration = 2,  ///< service registration and communication path configuration
    exchange = 3,      ///< data exchange during the training process
    telemetry = 4,     ///< exchange, with quality and load reported back
    policy = 5,        ///< a policy is being updated
    exception = 6,     ///< exception handling and fault recovery
    termination = 7,   ///< communication termination and resource cleanup
    ended = 8,
};

/// The condition that a queued task waits for. TaskView::held is independent of it.
enum class QueueState : std::uint8_t {
    nodes = 0,  ///< the task waits until its nodes are ready and free
    files = 1,  ///< the task waits until its client has uploaded its files to the nodes
};

enum class Outcome : std::uint8_t { none = 0, succeeded = 1, failed = 2, stopped = 3 };

enum class UnitState : std::uint8_t { waiting = 1, running = 2, done = 3, failed = 4 };

struct Device {
    std::string name;  ///< name of the device: cpu, cuda:0
    std::string type;  ///< model of the processor or GPU
    std::int32_t cores = 0;
    Bytes memory = 0;
    double flops_per_s = 0, bytes_per_s = 0;  ///< from the cluster file; 0: not stated
};

/// A node agent's description of its machine. Hosts with equal `fingerprint` (processor type, libraries) compute
/// bit-identical results.
struct NodeInfo {
    NodeId id;
    MicId mic;
    std::string host;
    std::string fingerprint;
    std::vector<Device> devices;
    std::string blob_endpoint;  ///< endpoint of the node's blob store
    std::string blob_key;       ///< CURVE public key of the blob store, Z85; empty on ipc
    std::int64_t pid = 0;
    Bytes memory = 0;     ///< the node's limit in the cluster file; 0: shared with its host
    bool secure = false;  ///< may run operators that a task marks as sensitive
    std::string machine;  ///< identity of the running system, independent of the host name; empty: unknown
};

/// The transport of tensors between the instances of two nodes.
enum class LinkTransport : std::uint8_t {
    ipc = 1,   ///< a socket within a host
    tcp = 2,   ///< TCP, encrypted with CURVE, also within a host
    mesh = 3,  ///< between two gateways or routers, which take the place of hosts
};

/// Measured performance of the data plane between two nodes. The measurement uses whole tensors, including header,
/// checksum, encryption and reassembly. A spread is the distance between the quartiles.
struct LinkFigures {
    double latency_s = 0;         ///< half the round-trip time of a small tensor and the message that frees its slot
    double latency_spread_s = 0;  ///< spread of latency_s
    double message_s = 0;         ///< time for each of many consecutive small tensors
    double bytes_per_s = 0;       ///< rate of tensors of some MiB
    double bytes_spread_per_s = 0;
};

/// A link between nodes as the cluster file states it. The figures also apply to the reverse direction, unless the file
/// states that direction separately.
struct StatedLink {
    std::string from, to;  ///< MIC/NODE, or its beginning followed by a star: "mic-1/*", "*"
    std::optional<double> latency_s, bytes_per_s;
};

/// A file of a task and its location.
struct FileRef {
    std::string purpose;  ///< purpose of the file: weights, data, labels, validation, validation_labels
    std::string path;     ///< absolute path at the client
    std::string hash;     ///< BLAKE2b-256, hexadecimal; empty when the nodes read `path` themselves
    Bytes size = 0;
    bool folder = false;  ///< `hash` is the hash of a folder's archive (store/folder_archive.h)
};

/// Stage number of an instance that runs only the task's data unit.
inline constexpr std::int32_t data_stage = -1;
/// Stage number of a data instance to which micro-batches are dealt. The task can continue without this instance.
inline constexpr std::int32_t dealt_stage = -2;
/// Stage number of a standby, whose process is kept ready to replace an instance that dies.
inline constexpr std::int32_t standby_stage = -3;

/// An instance of a task, as its peers need to know it.
struct Peer {
    InstanceId instance;
    Sid sid;
    std::int32_t stage = 0;  ///< segment number, data_stage or dealt_stage
    std::string data_endpoint;
    std::string data_key;  ///< CURVE public key of the instance, Z85; empty on ipc
};

/// A unit of the task graph as clients see it.
struct UnitView {
    Sid sid;
    std::string kind;  ///< kind of the unit: load, preprocess, forward, backward, loss, optimizer
    InstanceId instance;
    std::vector<Sid> depends_on;
    UnitState state = UnitState::waiting;
};

/// One head of a multi-task training, in the order of the model's outputs.
struct HeadRecord {
    std::string name;                ///< name of the model's output
    float loss = 0;                  ///< unweighted loss
    std::optional<double> accuracy;  ///< share of correct answers, in evaluations of classification
};

struct StepRecord {
    std::int64_t step = 0;  ///< number of the step, from 1
    float loss = 0;
    double step_ms = 0;
    double samples_per_s = 0;
    Generation generation = 1;
    std::vector<HeadRecord> heads;  ///< multi-task only
};

struct EvalRecord {
    std::int64_t step = 0;
    float loss = 0;
    std::optional<double> accuracy;  ///< share of correct answers, for classification
    std::vector<HeadRecord> heads;   ///< multi-task only; such a task has no overall accuracy
    Generation generation = 1;
};

/// The load of an instance over the last interval, and its memory.
struct InstanceLoad {
    InstanceId instance;
    std::int64_t step = 0;
    double busy_share = 0;  ///< share of wall time spent computing
    double wait_share = 0;  ///< share of wall time spent waiting for inputs or slots
    std::int64_t bytes_sent = 0;
    std::int64_t bytes_received = 0;
    Bytes parameters = 0, gradients = 0, optimizer = 0, activations = 0, resident = 0;
    std::string operation;              ///< current operation: "forward 3 of step 12"; empty while the instance waits
    std::int64_t operation_ms = 0;      ///< time in this operation so far
    std::vector<InstanceId> waits_for;  ///< instances whose tensors or free slots this instance waits for
    std::int64_t waits_ms = 0;          ///< duration of the wait so far
    Generation generation = 1;
    std::int64_t served = 0;      ///< dealt micro-batches that the instance has sent
    std::int64_t duplicates = 0;  ///< chunks of tensors that arrived twice and were dropped
    std::int64_t spared = 0;      ///< operations skipped because routers had the results
    /// Time of the measurement: by the machine's clock when the instance sends it, in the orchestrator's time for
    /// clients. 0: unknown.
    TimePoint measured{};
};

const char* to_string(NodeState state);
const char* to_string(InstanceState state);
const char* to_string(TaskPhase phase);
const char* to_string(QueueState state);
const char* to_string(Outcome outcome);
const char* to_string(UnitState state);
const char* to_string(LinkTransport transport);

/// Returns how instances on two nodes exchange tensors. Returns none if they cannot exchange tensors: a node accepts
/// no data, their kinds of sockets differ, or their sockets are local to different hosts.
std::optional<LinkTransport> transport_between(const NodeInfo& from, const NodeInfo& to);

// Types that describe the other end of a connection.
using identity::Credentials;
using identity::same_holder;

}  // namespace divisi::control::inline types
