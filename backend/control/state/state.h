// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>

#include "backend/control/state/event.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/state/limits.h"

namespace divisi::control::inline state {

struct NodeView {
    NodeInfo info;
    NodeState state = NodeState::ready;
    TimePoint since{};
    std::string reason;
    std::string key;  ///< the key of the node's connection; empty: this machine's owner
    NodeFaults faults;
    bool draining = false;   ///< whether the node gets no new instances
    std::string drained_by;  ///< name of the operator who asked for the drain
};

struct InstanceView {
    InstanceId id;
    TaskId task;
    Sid sid;
    NodeId node;
    std::int32_t stage = 0;
    InstanceState state = InstanceState::placed;
    TimePoint since{};
    std::string detail;
    std::string process;  ///< Hello::process of the instance's registration
    std::string data_endpoint;
    std::string data_key;
    std::int32_t eval_microbatches = -1;  ///< -1: unknown
    bool joined = false;                  ///< whether the instance has registered
    bool exited = false;                  ///< whether the instance's process is gone
    Generation generation = 1;            ///< generation in which the instance was placed
    std::int64_t samples = 0;             ///< samples in the data of a batch task; 0 until the data is open
    bool retired = false;                 ///< whether a re-cut removed the SID from the plan

    /// Returns whether the instance has loaded its segment and has not failed since.
    bool ready() const {
        return state == InstanceState::prepared || state == InstanceState::running || state == InstanceState::finished;
    }
};

/// The outcome that an ending task gets once its last instance is gone.
struct Ending {
    Outcome outcome = Outcome::succeeded;
    std::optional<Error> error;
};

struct TaskView {
    TaskId id;
    std::string name;
    std::string text;
    std::string folder;
    std::string skeleton;
    std::vector<FileRef> files;
    std::string submitted_by;
    std::int64_t priority = 0;
    TaskPhase phase = TaskPhase::queued;
    std::string phase_detail;
    Outcome outcome = Outcome::none;
    std::optional<Error> error;
    TimePoint submitted{}, started{}, ended{};
    Generation generation = 0;
    std::vector<std::string> cuts;
    std::int64_t steps = 0;  ///< number of steps; for a batch, 0 until the data is open
    std::int64_t batch = 0;
    std::string model;
    std::string plan_hash;
    std::vector<UnitView> units;
    std::int64_t step = 0;           ///< last completed step
    std::deque<StepRecord> history;  ///< the loss curve: newest steps and a thinned selection of older steps (curve.h)
    std::deque<EvalRecord> evaluations;            ///< the curve of evaluations, thinned in the same way
    std::vector<WeightsStored> weights;            ///< newest weights of each instance; the results of a batch
    std::uint64_t submitted_at = 0, ended_at = 0;  ///< sequence numbers, which unlike clocks never go back
    bool held = false;                             ///< whether the task waits in the queue for a release
    QueueState queue = QueueState::nodes;          ///< what a queued task waits for
    std::vector<NodeId> nodes;                     ///< nodes to which files are uploaded, by stage; empty: no uploads
    std::string client;                            ///< client that uploads the files (client_name() in deliveries.h)
    std::int32_t threads = 1;                      ///< threads of each instance
    Bytes memory = 0;                              ///< memory of the largest instance; 0: unknown
    bool exclusive = false;                        ///< no other task may use the task's nodes
    std::int64_t most_seconds = 0;                 ///< time limit; 0: none
    std::string submitter;                         ///< name of the submitter, as authenticated by the orchestrator
    TimePoint placed{};                            ///< time when the task got its nodes
    std::optional<Ending> ending;                  ///< set once the task's instances were told to end
    std::uint64_t passages = 0;                    ///< rounds of the cycle of telemetry (phase 3) and policy (phase 4)
    bool adapting = false;  ///< whether phase 4 continues: not all instances have reported under the new policy
    std::string group;      ///< batches that can share processes (batch_group.h); empty: none
    task::CheckpointRule checkpoint;
    task::FaultAnswer answer = task::FaultAnswer::fail;
    std::int64_t from_step = 0;  ///< step after which the current generation began
    /// Committed checkpoints, oldest first. There are at most `checkpoint.keep`, and fewer if many stages would exceed
    /// `most_snapshots`. Empty once the task is over.
    std::vector<Checkpoint> checkpoints;
    std::uint32_t recovered = 0;        ///< number of recoveries
    std::vector<Recovery> recoveries;   ///< the newest most_recoveries, oldest first
    Generation plan_since = 1;          ///< the first generation of the plan in force
    std::vector<StageOrigin> origins;   ///< by stage: the old stages with its operators; empty: never re-cut
    std::string text_before;            ///< `text` before the last re-cut; empty: never re-cut
    std::uint64_t parent = 0;           ///< version with the initial weights; 0: the model's own initial weights
    std::optional<RecutAdvice> advice;  ///< latest advice about the plan in force

    bool over() const { return phase == TaskPhase::ended; }
    /// Returns whether the task runs, or will run without an operator's release.
    bool pending() const { return !over() && !held; }
    /// Returns whether the task's instances are placed and not all of them are gone.
    bool runs() const { return !over() && phase != TaskPhase::queued; }
    /// Returns the text shown next to the phase.
    std::string detail() const {
        return phase == TaskPhase::queued && queue == QueueState::files ? to_string(queue) : phase_detail;
    }
};

/// The key of a measured link.
struct LinkKey {
    std::string from_host, to_host;
    LinkTransport transport = LinkTransport::ipc;
    auto operator<=>(const LinkKey&) const = default;  // NOLINT(modernize-use-nullptr)
};
struct LinkView {
    LinkMeasured link;
    TimePoint measured{};
};
LinkKey key_of(const LinkMeasured& link);

/// The last number given to a task of this name. Task ids have the form NAME-NUMBER. An empty name stands for all names
/// that are not remembered individually.
struct TaskNumber {
    std::string name;
    std::uint64_t last = 0;
};

/// The progress of a lease. The state keeps the entry as long as its task, and at least until the lease is reclaimed.
struct LeaseView {
    Lease lease;
    LeaseState state = LeaseState::granted;
    TimePoint granted{}, activated{}, finished{}, reclaimed{};  ///< TimePoint{}: not yet
    std::string reason;                                         ///< reason for the finish
    Usage usage;                                                ///< the latest logged figures
    TimePoint measured{};                                       ///< time of the last figure in `usage`
    std::uint64_t receipt = 0;                                  ///< receipt number, once the lease is reclaimed
    bool presumed = false;
    std::string activated_by;  ///< gateway that activated the lease; empty: the orchestrator, or not yet

    bool open() const { return state != LeaseState::reclaimed; }
};

/// The newest lease and receipt numbers, the hash that links the next receipt to the last, and the receipts' key.
struct LeaseBook {
    std::uint64_t leases = 0, receipts = 0;  ///< numbers of the newest lease and receipt
    std::string last_receipt;                ///< hash of the last receipt
    std::string key;                         ///< public key of the receipts' signatures
};

/// The epoch and revision of the registry; epoch 0: no service or device has registered yet.
struct RegistryMark {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;
    bool operator==(const RegistryMark&) const = default;
};

/// The state of the cluster, computed from its events. The orchestrator and its clients run the same apply().
struct ClusterState {
    std::string name;
    std::string version;
    std::uint64_t sequence = 0;  ///< sequence of the last applied event
    TimePoint time{};            ///< time of the last applied event
    std::map<NodeId, NodeView> nodes;
    std::map<InstanceId, InstanceView> instances;
    std::map<TaskId, TaskView> tasks;
    std::map<std::string, KeyChanged> keys;     ///< allowed keys, by public key
    std::deque<Event> recent;                   ///< the last recent_limit events, except frequent kinds; see line()
    std::map<LinkKey, LinkView> links;          ///< latest measurements
    std::vector<StatedLink> stated_links;       ///< from the cluster file that the orchestrator started with
    std::map<std::string, TaskNumber> numbers;  ///< last number of each task name
    std::map<std::uint64_t, LeaseView> leases;  ///< by number
    LeaseBook lease_book;
    std::vector<Pool> pools;  ///< from the cluster file
    QueueRules queue;         ///< from the cluster file
    std::map<std::string, SubmitterView> submitters;
    std::map<std::uint64_t, Reservation> reservations;  ///< by number, only reservations that are not over
    std::map<std::string, MeshMember> devices;        ///< gateways and routers by name, since the orchestrator's start
    std::map<std::uint64_t, PolicyVersion> policies;  ///< the newest versions, by number; empty: version 0 is in force
    std::map<Sid, mesh::Service> services;            ///< registered services
    RegistryMark registry;
    std::map<std::uint64_t, ExceptionEntry> exceptions;  ///< the exception queue, by number
    std::map<std::uint64_t, ModelVersion> versions;      ///< the model repository, by number
    std::uint64_t last_version = 0;                      ///< number of the newest version
    std::map<std::uint64_t, Alert> alerts;               ///< raised alerts and the newest cleared alerts, by number
};

/// Returns whether an instance no longer occupies its node: its process is gone, and it was a standby or belonged to an
/// older generation of its task.
bool has_left(const TaskView& task, const InstanceView& instance);
/// Returns roughly how much memory a task takes without its model.
std::size_t kept_bytes(const TaskView& task);
/// Returns the entry of a task in the exception queue; null if it has none.
const ExceptionEntry* exception_of(const ClusterState& state, const TaskId& task);
/// Returns the instances of a task, sorted by SID. The result contains only the newest incarnation of each SID, because
/// reports of older incarnations do not count. Retired instances are left out.
std::vector<const InstanceView*> instances_of(const ClusterState& state, const TaskId& task);
/// Returns the standbys of a task, sorted and selected as by instances_of(), which does not return standbys.
std::vector<const InstanceView*> standbys_of(const ClusterState& state, const TaskId& task);
/// Returns whether a standby can still take over: its process exists and has no other role.
bool stands_by(const InstanceView& instance);
/// Returns the next instance of a SID: the incarnation after the last known one. The state knows all incarnations of a
/// task.
InstanceId next_instance(const ClusterState& state, const Sid& sid);
/// Returns whether the instance is the newest incarnation of its SID.
bool is_newest(const ClusterState& state, const InstanceId& instance);
/// Returns the id of the next task of this name. An id is never given twice, not even after its task was forgotten.
TaskId next_task_id(const ClusterState& state, const std::string& name);
/// Returns the event with only the fields that its line (describe) needs: a submission without its text, a plan without
/// its units' edges, a node without its devices.
Event line(Event event);

/// A part of the log that could not be read at the replay and was left out.
struct Finding {
    std::uint64_t sequence = 0;
    std::string kind;  ///< kind_name() of the event; empty: no single event
    TaskId task;       ///< the task concerned, if any
    std::string what;
};

/// Applies one event to the state. Ignores an event that was already applied: its sequence is not above the state's.
void apply(ClusterState& state, const Event& event);

}  // namespace divisi::control::inline state
