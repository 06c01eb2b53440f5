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

// Messages and events speak of who may do what in these words.
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
    away = 4,  ///< its connection broke; it may come back and go on
};

enum class InstanceState : std::uint8_t {
    placed = 1,      ///< a node was chosen
    starting = 2,    ///< the node agent was told to start the process
    registered = 3,  ///< signaling type 1 arrived
    prepared = 4,    ///< segment loaded, data open, peers known
    running = 5,
    finished = 6,  ///< all steps done, weights stored
    stopped = 7,   ///< the process has ended as it should
    failed = 8,
    standby = 9,  ///< it has loaded what it can, and waits to play the part of an instance that dies
};

/// The six phases of draft -04 ("communication flow") between queueing and the end.
enum class TaskPhase : std::uint8_t {
    queued = 1,
    registration = 2,  ///< service registration and communication path configuration
    exchange = 3,      ///< data exchange during the training process
    telemetry = 4,     ///< the same, with quality and load being reported back
    policy = 5,        ///< a policy is being updated
    exception = 6,     ///< exception handling and fault recovery
    termination = 7,   ///< communication termination and resource cleanup
    ended = 8,
};

/// What a queued task waits for; whether somebody holds it is said beside this.
enum class QueueState : std::uint8_t {
    nodes = 0,  ///< that its nodes are there and free
    files = 1,  ///< that its client has brought its files to them
};

enum class Outcome : std::uint8_t { none = 0, succeeded = 1, failed = 2, stopped = 3 };

enum class UnitState : std::uint8_t { waiting = 1, running = 2, done = 3, failed = 4 };

struct Device {
    std::string name;  ///< cpu, cuda:0
    std::string type;  ///< processor or GPU model
    std::int32_t cores = 0;
    Bytes memory = 0;
    double flops_per_s = 0, bytes_per_s = 0;  ///< as the cluster file states them; 0: it does not
};

/// What a node agent tells of its machine. Hosts with equal `fingerprint` (processor type, libraries)
/// compute equal bits.
struct NodeInfo {
    NodeId id;
    MicId mic;
    std::string host;
    std::string fingerprint;
    std::vector<Device> devices;
    std::string blob_endpoint;  ///< where the node's blob store answers
    std::string blob_key;       ///< its CURVE public key, Z85; empty on ipc
    std::int64_t pid = 0;
    Bytes memory = 0;     ///< of it alone, as the cluster file states it; 0: it shares its host's
    bool secure = false;  ///< may run operators that a task marks as sensitive
    std::string machine;  ///< which running system it is, whatever its host is called; empty: unknown
};

/// How tensors travel between the instances of two nodes.
enum class LinkTransport : std::uint8_t {
    ipc = 1,   ///< a socket within a host
    tcp = 2,   ///< with CURVE, also within a host
    mesh = 3,  ///< between two gateways or routers, which stand in the place of hosts
};

/// What the data plane does between two nodes, measured with whole tensors: header, checksum, encryption and
/// reassembly included. A spread is the distance between the quartiles.
struct LinkFigures {
    double latency_s = 0;         ///< half the round trip of a tensor of a few bytes and its freed slot
    double latency_spread_s = 0;  ///< of the same
    double message_s = 0;         ///< of each of many small tensors in a row
    double bytes_per_s = 0;       ///< of tensors of some MiB
    double bytes_spread_per_s = 0;
};

/// What the cluster file says of the links between nodes; one way and, unless something is said of that, back.
struct StatedLink {
    std::string from, to;  ///< MIC/NODE, or the beginning of one and a star: "mic-1/*", "*"
    std::optional<double> latency_s, bytes_per_s;
};

/// A file of the task's and where it lies.
struct FileRef {
    std::string purpose;  ///< weights, data, labels, validation, validation_labels
    std::string path;     ///< the client's, absolute
    std::string hash;     ///< BLAKE2b-256, hexadecimal; empty when the nodes read `path` themselves
    Bytes size = 0;
    bool folder = false;  ///< the hash names a folder's archive (store/folder_archive.h)
};

/// Stands for the number of a stage where an instance has none: it runs the task's data unit alone, ...
inline constexpr std::int32_t data_stage = -1;
/// ... or it is one of several that are asked for micro-batches, and which the task can spare.
inline constexpr std::int32_t dealt_stage = -2;
/// ... or it has no part yet: its process is kept ready for an instance that dies.
inline constexpr std::int32_t standby_stage = -3;

/// One instance of a task as its peers must know it.
struct Peer {
    InstanceId instance;
    Sid sid;
    std::int32_t stage = 0;  ///< segment number, data_stage or dealt_stage
    std::string data_endpoint;
    std::string data_key;  ///< CURVE public key, Z85; empty on ipc
};

/// A unit of the task graph as clients see it.
struct UnitView {
    Sid sid;
    std::string kind;  ///< load, preprocess, forward, backward, loss, optimizer
    InstanceId instance;
    std::vector<Sid> depends_on;
    UnitState state = UnitState::waiting;
};

/// One head of a multi-task training, in the order of the model's outputs.
struct HeadRecord {
    std::string name;                ///< of the model's output
    float loss = 0;                  ///< not weighted
    std::optional<double> accuracy;  ///< in evaluation, for classification
};

struct StepRecord {
    std::int64_t step = 0;  ///< from 1
    float loss = 0;
    double step_ms = 0;
    double samples_per_s = 0;
    Generation generation = 1;
    std::vector<HeadRecord> heads;  ///< multi-task only
};

struct EvalRecord {
    std::int64_t step = 0;
    float loss = 0;
    std::optional<double> accuracy;  ///< share of right answers, for classification
    std::vector<HeadRecord> heads;   ///< multi-task only, which has no accuracy of the whole
    Generation generation = 1;
};

/// How busy an instance was over the last interval, and what it holds.
struct InstanceLoad {
    InstanceId instance;
    std::int64_t step = 0;
    double busy_share = 0;  ///< of wall time, computing
    double wait_share = 0;  ///< of wall time, waiting for inputs or slots
    std::int64_t bytes_sent = 0;
    std::int64_t bytes_received = 0;
    Bytes parameters = 0, gradients = 0, optimizer = 0, activations = 0, resident = 0;
    std::string operation;              ///< that it is in: "forward 3 of step 12"; empty while it waits
    std::int64_t operation_ms = 0;      ///< for how long already
    std::vector<InstanceId> waits_for;  ///< whose tensors or free slots it waits for now
    std::int64_t waits_ms = 0;          ///< for how long already
    Generation generation = 1;
    std::int64_t served = 0;      ///< micro-batches that it was dealt and has sent
    std::int64_t duplicates = 0;  ///< chunks of tensors that came again, and were dropped
    std::int64_t spared = 0;      ///< operations that it did not run, since routers had their results
    /// When: from the instance by its machine's clock, to those who watch in the orchestrator's time. 0: nobody says.
    TimePoint measured{};
};

const char* to_string(NodeState state);
const char* to_string(InstanceState state);
const char* to_string(TaskPhase phase);
const char* to_string(QueueState state);
const char* to_string(Outcome outcome);
const char* to_string(UnitState state);
const char* to_string(LinkTransport transport);

/// How instances on two nodes exchange tensors; empty where they cannot: a node that takes no data, sockets of one
/// kind against the other, or sockets of one host between two.
std::optional<LinkTransport> transport_between(const NodeInfo& from, const NodeInfo& to);

}  // namespace divisi::control::inline types
