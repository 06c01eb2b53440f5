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
    std::string key;  ///< that it came with; empty: of this machine's owner
    NodeFaults faults;
    bool draining = false;   ///< it gets no new instances
    std::string drained_by;  ///< who asked for that
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
    std::string process;  ///< Hello::process of who registered
    std::string data_endpoint;
    std::string data_key;
    std::int32_t eval_microbatches = -1;  ///< -1: it does not know
    bool joined = false;                  ///< it has registered
    bool exited = false;                  ///< its process is gone
    Generation generation = 1;            ///< of the plan for which it was placed
    std::int64_t samples = 0;             ///< of a batch's data, where it has opened them
    bool retired = false;                 ///< a re-cut has left its SID no part in the plan

    /// It has loaded its segment, and nothing has gone wrong since.
    bool ready() const {
        return state == InstanceState::prepared || state == InstanceState::running || state == InstanceState::finished;
    }
};

/// How a task ends once its last instance is gone.
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
    std::int64_t steps = 0;  ///< of a batch 0 until its data are open
    std::int64_t batch = 0;
    std::string model;
    std::string plan_hash;
    std::vector<UnitView> units;
    std::int64_t step = 0;                         ///< last step done
    std::deque<StepRecord> history;                ///< the curve: its newest steps, before them fewer (curve.h)
    std::deque<EvalRecord> evaluations;            ///< likewise
    std::vector<WeightsStored> weights;            ///< newest per instance; of a batch its results
    std::uint64_t submitted_at = 0, ended_at = 0;  ///< sequence numbers: clocks are set back, these are not
    bool held = false;                             ///< queued, and not to start until it is released
    QueueState queue = QueueState::nodes;          ///< while it is queued
    std::vector<NodeId> nodes;                     ///< to which its files are brought; it starts on no others
    std::string client;                            ///< who brings them (client_name() in deliveries.h)
    std::int32_t threads = 1;                      ///< of each instance
    Bytes memory = 0;                              ///< of the instance that needs most; 0: not known
    bool exclusive = false;                        ///< no other task on its nodes
    std::int64_t most_seconds = 0;                 ///< that it may run; 0: as long as it takes
    std::string submitter;                         ///< as the orchestrator knows it
    TimePoint placed{};                            ///< when its nodes became its own
    std::optional<Ending> ending;                  ///< once its instances were told to end
    std::uint64_t passages = 0;                    ///< of the cycle of telemetry (phase 3) and policy (phase 4)
    bool adapting = false;  ///< it stands at phase 4 of that: a policy that nobody has reported on
    std::string group;      ///< of batches that the same processes can do (batch_group.h); empty: none
    task::CheckpointRule checkpoint;
    task::FaultAnswer answer = task::FaultAnswer::fail;
    std::int64_t from_step = 0;  ///< after which the generation in force began
    /// Committed, oldest first: `checkpoint.keep` at most, and of many stages no more than `most_snapshots` allow.
    /// None once it is over.
    std::vector<Checkpoint> checkpoints;
    std::uint32_t recovered = 0;        ///< how often
    std::vector<Recovery> recoveries;   ///< the newest most_recoveries, oldest first
    Generation plan_since = 1;          ///< the first generation of the plan in force
    std::vector<StageOrigin> origins;   ///< by stage: what it has of the plan before; empty: it was never re-cut
    std::string text_before;            ///< `text` before the last re-cut; empty likewise
    std::uint64_t parent = 0;           ///< version whose weights it began with; 0: its model's first
    std::optional<RecutAdvice> advice;  ///< the last, about the plan in force

    bool over() const { return phase == TaskPhase::ended; }
    /// It runs, or will run without anybody's doing.
    bool pending() const { return !over() && !held; }
    /// Its instances are placed, and the last of them is not gone.
    bool runs() const { return !over() && phase != TaskPhase::queued; }
    /// What people are told beside the phase.
    std::string detail() const {
        return phase == TaskPhase::queued && queue == QueueState::files ? to_string(queue) : phase_detail;
    }
};

/// What a measured link holds for.
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

/// The last number that a task of this name got: ids are NAME-NUMBER. Without a name: of all names that are not
/// remembered one by one.
struct TaskNumber {
    std::string name;
    std::uint64_t last = 0;
};

/// A lease as far as it has come. Those of a task are kept as long as the task is, and until they are reclaimed.
struct LeaseView {
    Lease lease;
    LeaseState state = LeaseState::granted;
    TimePoint granted{}, activated{}, finished{}, reclaimed{};  ///< TimePoint{}: not yet
    std::string reason;                                         ///< why it was finished
    Usage usage;                                                ///< as far as it was made durable
    TimePoint measured{};                                       ///< of the last figure in `usage`
    std::uint64_t receipt = 0;                                  ///< its number, once it is reclaimed
    bool presumed = false;
    std::string activated_by;  ///< a gateway; empty: the orchestrator, or nobody yet

    bool open() const { return state != LeaseState::reclaimed; }
};

/// How far leases and receipts are numbered, and what the next receipt builds on.
struct LeaseBook {
    std::uint64_t leases = 0, receipts = 0;  ///< the last numbers given
    std::string last_receipt;                ///< hash of the last receipt
    std::string key;                         ///< public, that receipts are signed with
};

/// Which life of the registry it is, and how far it has come; epoch 0: nobody has registered yet.
struct RegistryMark {
    mesh::Epoch epoch = 0;
    mesh::Revision revision = 0;
    bool operator==(const RegistryMark&) const = default;
};

/// What the cluster is: the fold of its events. Orchestrator and clients run the same apply().
struct ClusterState {
    std::string name;
    std::string version;
    std::uint64_t sequence = 0;  ///< of the last event applied
    TimePoint time{};            ///< of the last event applied
    std::map<NodeId, NodeView> nodes;
    std::map<InstanceId, InstanceView> instances;
    std::map<TaskId, TaskView> tasks;
    std::map<std::string, KeyChanged> keys;     ///< by public key, without the revoked
    std::deque<Event> recent;                   ///< the last recent_limit events, each as its line(); no steps
    std::map<LinkKey, LinkView> links;          ///< as last measured
    std::vector<StatedLink> stated_links;       ///< of the cluster file that the orchestrator was started with
    std::map<std::string, TaskNumber> numbers;  ///< by name
    std::map<std::uint64_t, LeaseView> leases;  ///< by number
    LeaseBook lease_book;
    std::vector<Pool> pools;  ///< of the cluster file, as the links
    QueueRules queue;         ///< likewise
    std::map<std::string, SubmitterView> submitters;
    std::map<std::uint64_t, Reservation> reservations;  ///< by number, those that are not over
    std::map<std::string, MeshMember> devices;          ///< gateways and routers by name, since the orchestrator began
    std::map<std::uint64_t, PolicyVersion> policies;    ///< by version, the last most_policy_versions; empty: version 0
    std::map<Sid, mesh::Service> services;              ///< that are registered
    RegistryMark registry;
    std::map<std::uint64_t, ExceptionEntry> exceptions;  ///< the exception queue, by number
    std::map<std::uint64_t, ModelVersion> versions;      ///< the model repository, by number
    std::uint64_t last_version = 0;                      ///< the last number given
    std::map<std::uint64_t, Alert> alerts;  ///< that stand, and the newest of those that were cleared, by number
};

/// Whether its process is gone, and it was a standby or of an older generation of its task: the node is no longer the
/// task's for it.
bool has_left(const TaskView& task, const InstanceView& instance);
/// What a task takes in memory, nearly, without its model.
std::size_t kept_bytes(const TaskView& task);
/// The entry of a task in the exception queue; null where it has none.
const ExceptionEntry* exception_of(const ClusterState& state, const TaskId& task);
/// The instances of a task, in the order of their SIDs: of each SID the newest incarnation, which alone is heard. None
/// of those that are retired.
std::vector<const InstanceView*> instances_of(const ClusterState& state, const TaskId& task);
/// A task's standbys likewise; they are none of its instances.
std::vector<const InstanceView*> standbys_of(const ClusterState& state, const TaskId& task);
/// Whether a standby can still take over: its process is there, and it was given no other part.
bool stands_by(const InstanceView& instance);
/// Who plays a SID next: the incarnation after the last that the state knows, which knows all of a task.
InstanceId next_instance(const ClusterState& state, const Sid& sid);
/// Whether no newer incarnation plays its SID.
bool is_newest(const ClusterState& state, const InstanceId& instance);
/// The id of the next task of this name. An id is never given twice, also not after its task was forgotten.
TaskId next_task_id(const ClusterState& state, const std::string& name);
/// The event with no more than its line (describe) tells: a submission without its text, a plan without its units'
/// edges, a node without its devices.
Event line(Event event);

/// Something that could not be read when the log was replayed, and was left out.
struct Finding {
    std::uint64_t sequence = 0;
    std::string kind;  ///< kind_name() of the event; empty: no single event
    TaskId task;       ///< that it concerns, if any
    std::string what;
};

/// Folds one event in. An event that was applied already (its sequence is not above the state's) is ignored.
void apply(ClusterState& state, const Event& event);

}  // namespace divisi::control::inline state
