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

// The events of the log. The orchestrator's state and every client's view are folds of these events (state.h). An event
// is durable before any action that it describes is taken. Append only: the position in Event::Body is the number on
// disk and on the wire.

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
    std::string text;      ///< the task file in force, overrides applied
    std::string folder;    ///< folder of the task file at the client
    std::string skeleton;  ///< hash of the model's skeleton; empty for the zoo
    std::vector<FileRef> files;
    std::string submitted_by;
    std::int64_t priority = 0;
    std::vector<NodeId> nodes = {};  ///< nodes to which its files are brought, by stage; empty: none are brought
    std::string client = {};         ///< client that brings the files (client_name() in deliveries.h)
    std::string submitter = {};      ///< as the orchestrator knows it (queue_types.h)
    std::uint64_t parent = 0;        ///< version whose weights the task starts from; 0: the first version of its model
};
/// The plan in force, as compiled by backend/task.
struct TaskPlanned {
    TaskId task;
    Generation generation = 1;
    std::vector<std::string> cuts;  ///< graph nodes at which the model is cut, by name
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::string model;      ///< for people: "zoo:gpt", "resnet18.onnx"
    std::string plan_hash;  ///< equal for everyone who compiled the same plan
    std::vector<UnitView> units;
    std::int32_t threads = 1;       ///< threads of each instance
    Bytes memory = 0;               ///< estimate for the instance that needs most; 0: unknown
    bool exclusive = false;         ///< no other task may use its nodes
    std::int64_t most_seconds = 0;  ///< bound on the task's run time; 0: none
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
    Generation generation = 1;  ///< generation of the plan it was placed for
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
/// A segment's weights or a batch's results were stored as a version in the model repository.
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
/// A queued task, left over from an embedded cluster that ended. It does not start until it is released.
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
/// Measured properties of the link between two nodes. They hold for all nodes of their hosts with this transport.
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
    std::int32_t eval_microbatches = -1;  ///< micro-batches of one evaluation, on instances with data; -1 elsewhere
    std::int64_t samples = 0;             ///< samples of a batch's data, on instances with data; 0 elsewhere
};
/// The instance's process is gone.
struct InstanceEnded {
    InstanceId instance;
    std::string detail;
};
/// A task is in the queue; the state says what it waits for.
struct TaskQueued {
    TaskId task;
    QueueState state = QueueState::nodes;
};
/// The task's instances were told to end. TaskEnded follows with this outcome when the last one is gone.
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
/// The lease's consumption so far, in case its node does not come back to report it.
struct LeaseMeasured {
    std::uint64_t lease = 0;
    InstanceId instance;
    Usage usage;
    TimePoint measured{};
};
/// The node's resources are free again, or presumed to be. This is the one receipt of this share of the lease. If the
/// lease continues with another task, LeaseTakenOver follows.
struct LeaseReclaimed {
    Receipt receipt;
    std::string hash;  ///< hash of the receipt's line (receipt.h); the next receipt names it
};
/// A waiting task takes over a lease of its consumer's previous task (draft-li, step 3). Number and terms stay the
/// same; the instance is another one, and the next share begins.
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
/// Signaling type 1 as recorded by the registry: `service` is new or has changed.
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
/// The lease of a gateway's or router's registration was granted, is overdue, or is over. The event advances the
/// registry's revision.
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
    std::uint64_t sequence = 0;  ///< from 1, without gaps
    TimePoint time{};
    Body body;
};

/// Returns the kind's name in logs and JSON, for example "task_submitted". The list in event.cpp is the only source of
/// these names.
const char* kind_name(const Event::Body& body);
/// The only kinds for which severity_of() may return more than info.
inline constexpr const char* grave_kinds[] = {"noted",      "task_ended",    "exception_raised", "instance_changed",
                                              "node_ended", "task_recovers", "alert_raised"};
/// Returns the severity: error for a permanent failure, warning for something that people should know.
Severity severity_of(const Event::Body& body);
/// Returns one readable line, as shown by `divisictl logs` and the console.
std::string describe(const Event::Body& body);
/// Returns the task that an event concerns, or an empty id. Events of instances carry the task in the instance's id
/// (its SID begins with "task/").
TaskId task_of(const Event::Body& body);

}  // namespace divisi::control::inline state
