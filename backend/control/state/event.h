// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "backend/base/log.h"
#include "backend/base/one_of.h"
#include "backend/control/types/alert_types.h"
#include "backend/control/types/checkpoint_types.h"
#include "backend/control/types/drain_types.h"
#include "backend/control/types/exception_types.h"
#include "backend/control/types/lease_types.h"
#include "backend/control/types/mesh_map.h"
#include "backend/control/types/policy_types.h"
#include "backend/control/types/queue_types.h"
#include "backend/control/types/recut_advice.h"
#include "backend/control/types/recut_types.h"
#include "backend/control/types/types.h"
#include "backend/control/types/version_types.h"
#include "backend/mesh/registry/registry_table.h"
#include "backend/task/checkpoint_rule.h"

namespace divisi::control::inline state {

// The events of the log. The orchestrator's state and every client's view are computed from these events (state.h). An
// event is durable before any action that follows from it is taken. Append new kinds only at the end of AnyEvent: the
// position of a kind determines its number on disk and on the wire.

struct ClusterStarted {
    std::string name;
    std::string version;
    std::vector<StatedLink> links;  ///< from the cluster file
    std::vector<Pool> pools = {};   ///< from the cluster file
    QueueRules queue = {};          ///< from the cluster file
};
struct NodeJoined {
    NodeInfo node;
    std::string key = {};  ///< key of the node's connection; empty: this machine's owner, on ipc
};
struct NodeEnded {
    NodeId node;
    NodeState state = NodeState::lost;
    std::string reason;
};

struct TaskSubmitted {
    TaskId task;
    std::string name;
    std::string text;      ///< the task file in force, with all overrides applied
    std::string folder;    ///< folder of the task file at the client
    std::string skeleton;  ///< hash of the model's skeleton; empty for the zoo
    std::vector<FileRef> files;
    std::string submitted_by;
    std::int64_t priority = 0;
    std::vector<NodeId> nodes = {};  ///< nodes to which the files are uploaded, by stage; empty: no uploads
    std::string client = {};         ///< client that uploads the files (client_name() in deliveries.h)
    std::string submitter = {};      ///< identity that the orchestrator determined (queue_types.h)
    std::uint64_t parent = 0;        ///< version whose weights the task starts from; 0: the model's first version
};
/// The plan in force, as compiled by backend/task.
struct TaskPlanned {
    TaskId task;
    Generation generation = 1;
    std::vector<std::string> cuts;  ///< graph nodes at which the model is cut, by name
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::string model;      ///< readable name, for example "zoo:gpt" or "resnet18.onnx"
    std::string plan_hash;  ///< hash, equal for all processes that compile the same plan
    std::vector<UnitView> units;
    std::int32_t threads = 1;       ///< threads of each instance
    Bytes memory = 0;               ///< estimated memory of the largest instance; 0: unknown
    bool exclusive = false;         ///< no other task may use its nodes
    std::int64_t most_seconds = 0;  ///< time limit of the task; 0: none
    std::string group = {};         ///< group of batches that can share processes (batch_group.h); empty: none
    task::CheckpointRule checkpoint = {};
    task::FaultAnswer answer = task::FaultAnswer::fail;
};
struct InstancePlaced {
    TaskId task;
    InstanceId instance;
    Sid sid;
    NodeId node;
    std::int32_t stage = 0;
    Generation generation = 1;  ///< generation of the plan for which the instance was placed
};
struct InstanceChanged {
    InstanceId instance;
    InstanceState state = InstanceState::placed;
    std::string detail;
};
struct PhaseChanged {
    TaskId task;
    TaskPhase phase = TaskPhase::queued;
    std::string detail;
};
struct StepDone {
    TaskId task;
    StepRecord record;
};
struct Evaluated {
    TaskId task;
    EvalRecord record;
};
/// An instance stored its segment's weights, or the results of a batch, in a file on its node.
struct WeightsStored {
    TaskId task;
    InstanceId instance;
    std::int64_t step = 0;
    std::string hash;  ///< hash of the snapshot file
    std::string path;  ///< path on the node
    Bytes size = 0;
    Generation generation = 1;
    bool results = false;  ///< true: results of a batch (CSV), not weights
};
struct TaskEnded {
    TaskId task;
    Outcome outcome = Outcome::succeeded;
    std::optional<Error> error;
};
struct KeyChanged {
    std::string public_key;
    std::string name;
    Role role = Role::viewer;
    bool revoked = false;
};
/// A queued task, left over from an embedded cluster that ended, waits for its release (`held`), or was released.
struct TaskHeld {
    TaskId task;
    bool held = true;
};
/// A log line for people, from a node, an instance or the orchestrator.
struct Noted {
    Severity severity = Severity::info;
    std::string component;  ///< "node mic-1/node-2", "instance gpt-1/stage-0/0", "orchestrator"
    std::string task;       ///< empty if the line concerns no task
    std::string text;
};
/// Measured properties of the link between two nodes, valid for all nodes of the two hosts that use this transport.
struct LinkMeasured {
    NodeId from, to;
    std::string from_host, to_host;
    LinkTransport transport = LinkTransport::ipc;
    LinkFigures figures;
};

/// An instance registered: its process and its data endpoint are now known.
struct InstanceJoined {
    InstanceId instance;
    std::string process;  ///< Hello::process, by which the instance is recognised if it reconnects
    std::string data_endpoint;
    std::string data_key;
};
/// The instance has loaded its segment and opened its data.
struct InstanceLoaded {
    InstanceId instance;
    std::int32_t eval_microbatches = -1;  ///< micro-batches of one evaluation; -1 on instances without data
    std::int64_t samples = 0;             ///< samples in a batch task's data; 0 on instances without data
};
/// The instance's process is gone.
struct InstanceEnded {
    InstanceId instance;
    std::string detail;
};
/// A task is in the queue; `state` says what the task waits for.
struct TaskQueued {
    TaskId task;
    QueueState state = QueueState::nodes;
};
/// The task's instances were told to end. TaskEnded follows with this outcome when the last instance has ended.
struct TaskEnding {
    TaskId task;
    Outcome outcome = Outcome::succeeded;
    std::optional<Error> error;
    std::string reason;
};

/// An instance was granted a place on a node (draft-li, computation response).
struct LeaseGranted {
    Lease lease;
};
/// The instance's device begins its work.
struct LeaseActivated {
    std::uint64_t lease = 0;
    InstanceId instance;
    /// gateway that wrote the lease into the instance's first data; empty: activated by the orchestrator
    std::string by = {};
};
/// The task no longer needs the lease. The node's resources are free again when the process is gone.
struct LeaseFinished {
    std::uint64_t lease = 0;
    InstanceId instance;
    std::string reason;
};
/// The lease's consumption so far, logged in case the node never returns to report the total.
struct LeaseMeasured {
    std::uint64_t lease = 0;
    InstanceId instance;
    Usage usage;
    TimePoint measured{};
};
/// The node's resources are free again, or presumed to be free. The event holds the only receipt of this share of the
/// lease. If the lease continues with another task, LeaseTakenOver follows.
struct LeaseReclaimed {
    Receipt receipt;
    std::string hash;  ///< hash of the receipt's line (receipt.h); the next receipt contains this hash
};
/// A waiting task takes over a lease of its consumer's previous task (draft-li, step 3). Number and terms stay the
/// same; the instance changes, and the next share begins.
struct LeaseTakenOver {
    Lease lease;
    InstanceId from;  ///< previous instance of the lease
};
/// The key that signs receipts from now on.
struct ReceiptKeyChanged {
    std::string public_key;  ///< Ed25519, 64 hexadecimal digits
};
/// The policy in force from now on.
struct PolicyChanged {
    PolicyVersion policy;
};
/// A service is new in the registry, or its registration has changed (signaling type 1).
struct ServiceJoined {
    mesh::Epoch epoch = 0;
    mesh::Service service;
};
/// A service has left the registry, or its lease has lapsed.
struct ServiceLeft {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;
    Sid sid;
};
/// The lease of a gateway or router was granted, is overdue, or is over. The event advances the registry's revision.
struct DeviceLease {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;
    std::string name;
    mesh::LeaseStanding standing = mesh::LeaseStanding::held;
};

using AnyEvent =
    OneOf<ClusterStarted, NodeJoined, NodeEnded, TaskSubmitted, TaskPlanned, InstancePlaced, InstanceChanged,
          PhaseChanged, StepDone, Evaluated, WeightsStored, TaskEnded, KeyChanged, Noted, LinkMeasured, TaskHeld,
          InstanceJoined, InstanceLoaded, InstanceEnded, TaskQueued, TaskEnding, LeaseGranted, LeaseActivated,
          LeaseFinished, LeaseMeasured, LeaseReclaimed, ReceiptKeyChanged, ReservationMade, ReservationEnded,
          DeviceJoined, DeviceLeft, PolicyChanged, ServiceJoined, ServiceLeft, LeaseTakenOver, CheckpointCommitted,
          TaskRecovers, ExceptionRaised, ExceptionClosed, TaskRecut, DrainChanged, VersionMade, VersionDropped,
          AlertRaised, AlertCleared, RecutAdvised, DeviceLease>;

/// The body of an event.
class EventBody : public AnyEvent {
public:
    using AnyEvent::AnyEvent;
};

struct Event {
    using Body = EventBody;
    std::uint64_t sequence = 0;  ///< sequence number, from 1, without gaps
    TimePoint time{};
    Body body;
};

/// Returns the kind's name in logs and JSON, for example "task_submitted". The list in event.cpp is the only source of
/// these names.
const char* kind_name(const Event::Body& body);
/// The only kinds for which severity_of() may return a level above info.
inline constexpr const char* grave_kinds[] = {"noted",      "task_ended",    "exception_raised", "instance_changed",
                                              "node_ended", "task_recovers", "alert_raised"};
/// Returns the severity. A Noted has its own. Failed tasks are errors, events for operators warnings, all others info.
Severity severity_of(const Event::Body& body);
/// Returns one readable line, as shown by `divisictl logs` and the console.
std::string describe(const Event::Body& body);
/// Returns the task that an event concerns, or an empty id. For events of instances, the task is the beginning of the
/// instance's id, before the first '/'.
TaskId task_of(const Event::Body& body);

}  // namespace divisi::control::inline state
