// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "backend/base/alternative.h"
#include "backend/base/log.h"
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

// The events of the log. The orchestrator's state, and what every client shows, is their fold (state.h);
// an event is durable before the actions that it stands for are taken. Append only: the position in
// Event::Body is the number on disk and on the wire.

struct ClusterStarted {
    std::string name;
    std::string version;
    std::vector<StatedLink> links;  ///< of the cluster file
    std::vector<Pool> pools = {};   ///< likewise
    QueueRules queue = {};          ///< likewise
};
struct NodeJoined {
    NodeInfo node;
    std::string key = {};  ///< that its connection came with; empty: of this machine's owner, on ipc
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
    std::vector<NodeId> nodes = {};  ///< to which its files are brought, stage by stage; empty: it brings none
    std::string client = {};         ///< who brings them (client_name() in deliveries.h)
    std::string submitter = {};      ///< as the orchestrator knows it (queue_types.h)
    std::uint64_t parent = 0;        ///< version whose weights it begins with; 0: its model's first
};
/// The plan in force: what the compiler of backend/task made of it.
struct TaskPlanned {
    TaskId task;
    Generation generation = 1;
    std::vector<std::string> cuts;  ///< node names
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::string model;      ///< for people: "zoo:gpt", "resnet18.onnx"
    std::string plan_hash;  ///< equal on all who compiled the same plan
    std::vector<UnitView> units;
    std::int32_t threads = 1;       ///< of each instance
    Bytes memory = 0;               ///< of the instance that needs most, as estimated; 0: not known
    bool exclusive = false;         ///< no other task on its nodes
    std::int64_t most_seconds = 0;  ///< that it may run; 0: as long as it takes
    std::string group = {};         ///< of batches that the same processes can do (batch_group.h); empty: none
    task::CheckpointRule checkpoint = {};
    task::FaultAnswer answer = task::FaultAnswer::fail;
};
struct InstancePlaced {
    TaskId task;
    InstanceId instance;
    Sid sid;
    NodeId node;
    std::int32_t stage = 0;
    Generation generation = 1;  ///< of the plan for which it was placed
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
/// A segment's weights, or a batch's results, became a version in the model repository.
struct WeightsStored {
    TaskId task;
    InstanceId instance;
    std::int64_t step = 0;
    std::string hash;  ///< of the snapshot file
    std::string path;  ///< on the node
    Bytes size = 0;
    Generation generation = 1;
    bool results = false;  ///< of a batch (CSV), no weights
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
/// A queued task that does not start until it is released: left over from an embedded cluster that ended.
struct TaskHeld {
    TaskId task;
    bool held = true;
};
/// A line for people: what a node, an instance or the orchestrator had to say.
struct Noted {
    Severity severity = Severity::info;
    std::string component;  ///< "node mic-1/node-2", "instance gpt-1/stage-0/0", "orchestrator"
    std::string task;       ///< empty when it concerns none
    std::string text;
};
/// What tensors meet from one node to another; it holds for all nodes of their hosts, by this transport.
struct LinkMeasured {
    NodeId from, to;
    std::string from_host, to_host;
    LinkTransport transport = LinkTransport::ipc;
    LinkFigures figures;
};

/// An instance registered: from now on its process is known, and where it takes tensors.
struct InstanceJoined {
    InstanceId instance;
    std::string process;  ///< Hello::process, under which it may come back
    std::string data_endpoint;
    std::string data_key;
};
/// It has loaded its segment and opened its data.
struct InstanceLoaded {
    InstanceId instance;
    std::int32_t eval_microbatches = -1;  ///< of one evaluation, known where the data are; -1 elsewhere
    std::int64_t samples = 0;             ///< of a batch's data, likewise; 0 elsewhere
};
/// Its process is gone.
struct InstanceEnded {
    InstanceId instance;
    std::string detail;
};
/// A task is in its queue, and what it waits for there.
struct TaskQueued {
    TaskId task;
    QueueState state = QueueState::nodes;
};
/// Its instances were told to end; TaskEnded follows when the last is gone, with this outcome.
struct TaskEnding {
    TaskId task;
    Outcome outcome = Outcome::succeeded;
    std::optional<Error> error;
    std::string reason;
};

/// An instance got a place on a node (draft-li, computation response).
struct LeaseGranted {
    Lease lease;
};
/// The instance's device begins its work.
struct LeaseActivated {
    std::uint64_t lease = 0;
    InstanceId instance;
    std::string by = {};  ///< the gateway that wrote it into the instance's first data; empty: the orchestrator said so
};
/// The task needs it no longer; its node gives the place back when the process is gone.
struct LeaseFinished {
    std::uint64_t lease = 0;
    InstanceId instance;
    std::string reason;
};
/// What it has consumed so far, in case that its node does not come back to say so.
struct LeaseMeasured {
    std::uint64_t lease = 0;
    InstanceId instance;
    Usage usage;
    TimePoint measured{};
};
/// The node has the place back, or is presumed to: the one receipt of this share of the lease. LeaseTakenOver follows
/// where the lease goes on.
struct LeaseReclaimed {
    Receipt receipt;
    std::string hash;  ///< of its line (receipt.h), which the next receipt names
};
/// A task that waited takes a lease over from its consumer's task before (draft-li, step 3): the same number and terms,
/// another instance and the next share.
struct LeaseTakenOver {
    Lease lease;
    InstanceId from;  ///< whose it was
};
/// The key that receipts are signed with from now on.
struct ReceiptKeyChanged {
    std::string public_key;  ///< Ed25519, 64 hexadecimal digits
};
/// From now on this is the policy.
struct PolicyChanged {
    PolicyVersion policy;
};
/// Signaling type 1 as the registry took it: `service` has come, or is otherwise than it was.
struct ServiceJoined {
    mesh::Epoch epoch = 0;
    mesh::Service service;
};
/// It has left the registry, or its lease has lapsed.
struct ServiceLeft {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;
    Sid sid;
};
/// The lease of a gateway's or router's registration is given, overdue or over. It moves the registry's revision on.
struct DeviceLease {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;
    std::string name;
    mesh::LeaseStanding standing = mesh::LeaseStanding::held;
};

using AnyEvent =
    std::variant<ClusterStarted, NodeJoined, NodeEnded, TaskSubmitted, TaskPlanned, InstancePlaced, InstanceChanged,
                 PhaseChanged, StepDone, Evaluated, WeightsStored, TaskEnded, KeyChanged, Noted, LinkMeasured, TaskHeld,
                 InstanceJoined, InstanceLoaded, InstanceEnded, TaskQueued, TaskEnding, LeaseGranted, LeaseActivated,
                 LeaseFinished, LeaseMeasured, LeaseReclaimed, ReceiptKeyChanged, ReservationMade, ReservationEnded,
                 DeviceJoined, DeviceLeft, PolicyChanged, ServiceJoined, ServiceLeft, LeaseTakenOver,
                 CheckpointCommitted, TaskRecovers, ExceptionRaised, ExceptionClosed, TaskRecut, DrainChanged,
                 VersionMade, VersionDropped, AlertRaised, AlertCleared, RecutAdvised, DeviceLease>;

/// What happened. Copies, moves and its end are compiled once, as a Message's.
class EventBody : public AnyEvent {
public:
    template <AlternativeOf<AnyEvent> T>
    EventBody(T&& one) : AnyEvent(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(one)) {}
    EventBody();
    EventBody(const EventBody& other);
    EventBody(EventBody&& other) noexcept;
    EventBody& operator=(const EventBody& other);
    EventBody& operator=(EventBody&& other) noexcept;
    ~EventBody();
};

struct Event {
    using Body = EventBody;
    std::uint64_t sequence = 0;  ///< from 1, without gaps
    TimePoint time{};
    Body body;
};

/// "task_submitted": the name in logs and JSON, from the one list in event.cpp.
const char* kind_name(const Event::Body& body);
/// The only kinds of which severity_of() says more than info.
inline constexpr const char* grave_kinds[] = {"noted",      "task_ended",    "exception_raised", "instance_changed",
                                              "node_ended", "task_recovers", "alert_raised"};
/// How grave it is: what went wrong for good is an error, what somebody should know of a warning.
Severity severity_of(const Event::Body& body);
/// One readable line, as `divisictl logs` and the console show it.
std::string describe(const Event::Body& body);
/// The task an event concerns, or an empty id. Events of instances carry the task in the instance's id
/// (its SID begins with "task/").
TaskId task_of(const Event::Body& body);

}  // namespace divisi::control::inline state
