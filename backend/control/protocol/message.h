// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "backend/base/alternative.h"
#include "backend/control/state/policy_trial.h"
#include "backend/control/state/state.h"
#include "backend/control/types/admission_types.h"
#include "backend/control/types/backup_types.h"
#include "backend/control/types/blob_types.h"
#include "backend/control/types/checkpoint_types.h"
#include "backend/control/types/dealing_types.h"
#include "backend/control/types/drain_types.h"
#include "backend/control/types/exception_types.h"
#include "backend/control/types/fault_types.h"
#include "backend/control/types/log_types.h"
#include "backend/control/types/machine_types.h"
#include "backend/control/types/mesh_map.h"
#include "backend/control/types/mesh_types.h"
#include "backend/control/types/mic_types.h"
#include "backend/control/types/module_types.h"
#include "backend/control/types/policy_types.h"
#include "backend/control/types/recut_advice.h"
#include "backend/control/types/recut_types.h"
#include "backend/control/types/service_types.h"
#include "backend/control/types/span_types.h"
#include "backend/control/types/store_types.h"
#include "backend/task/priced_plan.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline protocol {

// Every message of the control plane, in one append-only list (Message, below): its position is its
// number on the wire. Requests are answered by the message their comment names, or by Refused.

struct Refused {
    Error error;
    std::vector<Error> others = {};  ///< where several fields of a request are bad: all but the first
};
/// The one error for whoever shows one: the others stand in its `next`.
Error combined(const Refused& refused);
struct Done {};

/// Of the control plane: rises when a message means something else than it did. Both ends name theirs in their first
/// message, and do not talk to another; 0: from before it was named.
inline constexpr std::uint32_t protocol_version = 1;
/// Why the other end, which runs `version`, is not talked to; none where its protocol is ours.
Result<void> check_protocol(std::uint32_t protocol, const std::string& version, const std::string& where);

// --- clients -> orchestrator -------------------------------------------------------------------
/// Answered by Welcome. The first message on every connection, of clients and agents alike.
/// `role` is what the sender comes as; it is granted only if its key (or, on ipc, its uid) allows it.
struct Hello {
    std::string program;
    std::string version;
    Role role = Role::viewer;
    /// A client's on ipc: the public key with which it comes to nodes on tcp. Its uid vouches for the key as long
    /// as the connection lives; on tcp the key is known already.
    std::string key;
    /// Names the sender's process among all: whoever says hello with it again, and with the same key or uid, is the
    /// same process over a new connection, and the old connection is over. 32 hexadecimal digits of randomness.
    std::string process = {};
    std::uint32_t protocol = protocol_version;
};
struct Welcome {
    std::string cluster;
    std::string version;
    Role role = Role::viewer;
    std::uint64_t sequence = 0;
    std::uint32_t protocol = protocol_version;
};
/// Answered by the first page of a Snapshot; then EventPush and LoadPush come as things happen.
struct Subscribe {};
/// The state at one sequence number, in pages (snapshot_pages.h): each has some of its entries.
struct Snapshot {
    ClusterState state;
    std::vector<InstanceLoad> loads;  ///< the last of each instance that runs
    std::uint32_t page = 0;
    bool more = false;                    ///< a page follows: FetchSnapshotPage
    std::vector<NodeMachine> nodes = {};  ///< the last of each node that is there
};
struct EventPush {
    std::vector<Event> events;
};
struct LoadPush {
    std::vector<InstanceLoad> loads;
    std::vector<NodeMachine> nodes = {};
};
/// Answered by SubmitReply. Files with a hash must then be brought to `uploads`, and UploadsDone follows from the
/// same connection, or the task ends as failed; without uploads the task is queued at once.
struct SubmitTask {
    std::string text;
    std::string folder;
    std::string skeleton;  ///< the model's skeleton itself, empty for the zoo
    std::vector<FileRef> files;
    std::string submitted_by;
};
/// What a node must hold before the task can start; what it holds already is its blob store's to say.
struct Upload {
    NodeId node;
    std::string endpoint;
    std::string key;
    std::vector<std::string> hashes;
};
struct SubmitReply {
    TaskId task;
    std::vector<Upload> uploads;
};
/// Answered by Done.
struct UploadsDone {
    TaskId task;
    std::optional<Error> error;  ///< why the files could not be brought; the task fails with it
};
struct StopTask {
    TaskId task;
    std::string reason;
};
/// Answered by LogPage. The newest events that fit, or with `oldest` the first: who pages backwards asks again with
/// `before` the oldest that came, who pages forwards with `after` the newest.
struct QueryLog {
    std::string task;
    std::string contains;
    std::uint64_t after = 0;
    std::uint32_t limit = 200;
    std::uint64_t before = 0;  ///< 0: no bound
    bool oldest = false;
    std::string kind;  ///< only events of this kind_name(): "step_done" gives a task's whole curve
    // Only events whose line names this SID, or this node; of this level and above (severity_of()); of this time.
    std::string sid = {}, node = {};
    Severity level = Severity::debug;
    TimePoint since{}, until{};  ///< TimePoint{}: no bound
};
/// In order of their sequence numbers, whichever end was asked for.
struct LogPage {
    std::vector<Event> events;
    bool more = false;  ///< there are others beyond the page, at the end that pages go to
};
/// Answered by Done (admin only).
struct ChangeKey {
    KeyChanged change;
};
struct Shutdown {
    std::string reason;
};

// --- node agents <-> orchestrator --------------------------------------------------------------
/// Answered by Done, or Refused (a name in use, or not this key's). Said again over every new connection.
struct RegisterNode {
    NodeInfo node;
    /// What runs on it, ended processes included whose InstanceExited follows: after a lost connection both sides
    /// agree again. The orchestrator answers with StopInstance for what it no longer knows, and starts what is missing.
    std::vector<InstanceId> instances = {};
};
/// Every heartbeat interval, not answered. `instances` are the processes alive, `usages` what they have consumed.
struct NodeReport {
    NodeId node;
    double load = 0;
    Bytes memory_free = 0;
    std::vector<InstanceId> instances;
    std::vector<InstanceUsage> usages = {};
    MachineFigures machine = {};
};
/// To the node, not answered; the instance registers, or InstanceFailed and InstanceExited follow.
struct StartInstance {
    TaskId task;
    InstanceId instance;
    Sid sid;
    std::int32_t threads = 1;
    Generation generation = 1;
    /// An instance whose process is kept (StopInstance::keep), which plays this one from now on; empty: a new process,
    /// as where that one is not there any more.
    InstanceId from = {};
};
/// To the node, not answered; InstanceExited follows.
struct StopInstance {
    InstanceId instance;
    /// The process is not ended: its task is over, and a StartInstance may follow that names it as `from`. What it has
    /// consumed so far is the instance's. A node that does not know this ends it.
    bool keep = false;
};
/// From the node. `output` is the end of what the process wrote to standard error.
struct InstanceExited {
    InstanceId instance;
    std::int32_t code = 0;
    std::int32_t signal = 0;
    std::string output;
    Usage usage = {};  ///< over its whole life
};

// --- instances <-> orchestrator ----------------------------------------------------------------
/// Over every new connection. Answered by Deploy, or by
/// ResumeInstance when the instance was registered before and comes back.
struct RegisterInstance {
    InstanceId instance;
    Sid sid;
    std::string data_endpoint;
    std::string data_key;
    std::string fingerprint;
    std::int64_t pid = 0;
    InstanceState state = InstanceState::starting;  ///< where it is
    TaskId task = {};                               ///< as it was deployed; empty: it was not yet
    Generation generation = 0;                      ///< likewise
    std::int64_t step = 0;                          ///< the last that it has reported, or would have
    std::int64_t kept_from = 0;                     ///< the first step that it can still report; 0: it has none
    /// It knows ReportSpans; from before there was one: it does not.
    bool reports_spans = false;
};
/// To the instance: everything it needs to compile the plan itself and to take part.
struct Deploy {
    TaskId task;
    Generation generation = 1;
    InstanceId instance;
    std::int32_t stage = 0;  ///< or data_stage, or dealt_stage
    bool data = false;       ///< this instance loads and preprocesses
    std::string text;
    std::string folder;
    std::vector<std::string> cuts;
    std::string plan_hash;
    std::string skeleton;  ///< bytes
    std::vector<FileRef> files;
    std::uint64_t lease = 0;  ///< under which it works; 0: none
    std::uint32_t share = 0;  ///< of that lease
    LeaseTerms terms = {};    ///< likewise
    Restore restore = {};
};
/// To the instance, once all are registered: where the others are.
struct Peers {
    TaskId task;
    Generation generation = 1;
    std::vector<Peer> peers;
    std::string gateway, gateway_key;  ///< of its MIC, which deals what it asks for; empty: the MIC has none
};
/// From the instance. `eval_microbatches`: of one evaluation, known where the data are; -1 elsewhere. `samples`: of a
/// batch's data, known there too; 0 elsewhere.
struct InstancePrepared {
    InstanceId instance;
    std::string plan_hash;
    std::int32_t eval_microbatches = -1;
    Generation generation = 1;
    std::int64_t samples = 0;
};
/// To the instance: all are prepared, go.
struct Begin {
    TaskId task;
    Generation generation = 1;
    std::int32_t eval_microbatches = 0;
    std::int64_t samples = 0;  ///< of a batch's data
};
/// From the instance, not answered.
struct StepReport {
    TaskId task;
    InstanceId instance;
    StepRecord record;
};
struct EvalReport {
    TaskId task;
    InstanceId instance;
    EvalRecord record;
};
struct LoadReport {
    InstanceLoad load;
};
struct InstanceFinished {
    WeightsStored weights;
};
struct InstanceFailed {
    InstanceId instance;
    Error error;
};
/// From agents: a line for the log.
struct Note {
    Noted note;
};
/// To the instance: end in order, now.
struct EndInstance {
    InstanceId instance;
    std::string reason;
};

/// Both ways, at the heartbeat interval, when nothing else was sent.
struct Heartbeat {};

/// Answered by SkeletonData: a client that exports a trained model asks for its skeleton.
struct FetchSkeleton {
    TaskId task;
};
struct SkeletonData {
    std::string bytes;
};

/// Both ways, the last message on a connection: who sends it ends in order and does not come back by itself.
struct Goodbye {
    std::string reason;
};

/// To node agents, when they register and at every change: whose keys their blob stores let in, and as what. Comes in
/// pages, one after the other; with the last, all keys are known, and others hold no longer.
struct AccessKeys {
    std::vector<KeyChanged> keys;
    std::uint32_t page = 0;
    bool more = false;
};

/// The model segmentation interface of draft-yang-dmsc-distributed-model-03, 6.2.4: which plan would such a task get on
/// the nodes that are ready now? Changes nothing. Answered by ModelSegmented, or by Refused with every bad field of
/// `split`, each as "split.key"; a `split.version` that is not spoken is refused alone.
struct SegmentModel {
    task::SplitSection split;  ///< mode, ranges, tabu search, shared layers, privacy: [split] of a task file
    std::string text;          ///< the other sections, as TOML; any may be left out, [model] only beside `skeleton`
    std::string skeleton;      ///< the model's skeleton, or an ONNX model; empty for the zoo
};
struct ModelSegmented {
    std::int64_t version = search::segmentation_version;  ///< of the interface
    std::string cluster;                                  ///< whose nodes the stages' devices are
    double time_ms = 0;                                   ///< that planning took
    task::PricedPlan plan;
};

/// From operators: measure the links anew, as soon as no task runs. Answered by Done.
struct MeasureLinks {};
/// To a node, not answered; ProbeServed follows. It listens for tensors of the data plane from the other node and
/// frees their slots at once, until EndProbe.
struct ServeProbe {
    std::uint64_t probe = 0;  ///< a number of its own, also the flow of its tensors
    NodeId from;
    std::string from_key;  ///< CURVE public key, Z85; empty on ipc
};
struct ProbeServed {
    std::uint64_t probe = 0;
    std::string endpoint;
    std::optional<Error> error;
};
/// To a node, not answered; ProbeEnded follows.
struct RunProbe {
    std::uint64_t probe = 0;
    std::string endpoint;
    std::string key;  ///< of the node that serves; empty on ipc
};
struct ProbeEnded {
    std::uint64_t probe = 0;
    LinkFigures figures;
    std::optional<Error> error;
};
/// To both nodes: the probe is over, or something more important came.
struct EndProbe {
    std::uint64_t probe = 0;
};

/// To an instance that came back: go on. What it reported after these did not arrive and follows as MissedReports;
/// what it has missed itself (Peers, Begin, EndInstance) follows this.
struct ResumeInstance {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;        ///< of the last StepReport of this generation that arrived
    std::int64_t evaluation = 0;  ///< of its last EvalReport, the step that it followed
};
/// Steps and evaluations of the time without a connection, each in ascending order; at most missed_reports_limit.
struct MissedReports {
    TaskId task;
    InstanceId instance;
    std::vector<StepRecord> steps;
    std::vector<EvalRecord> evaluations;
};

/// The next page of the Snapshot that Subscribe began on this connection. Answered by Snapshot, or by Refused where it
/// is not kept any longer: subscribe again.
struct FetchSnapshotPage {
    std::uint32_t page = 0;
};

/// From operators: let a held task start. Answered by Done.
struct ReleaseTask {
    TaskId task;
};

/// From nodes that make room: blobs that could go. Answered by NeededBlobs.
struct WhichBlobs {
    std::vector<std::string> hashes;
};
/// Those of them that a task or an export still needs.
struct NeededBlobs {
    std::vector<std::string> hashes;
};

/// From a gateway or router, over every new connection. Answered by DeviceRegistered, or Refused.
struct RegisterDevice {
    DeviceInfo device;
    std::uint32_t held = 0;  ///< routing identifier that it had before its orchestrator was restarted; 0: none
};
struct DeviceRegistered {
    std::uint32_t id = 0;
};
/// Signaling type 2 (service route advertisement), to a gateway or router that has registered, and to all where a
/// change is no MeshChange. Devices stand in the order of their names, links in that of their ends, places by task and
/// SID.
struct MeshTable {
    std::uint64_t revision = 0;
    std::vector<TableDevice> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
};
/// Signaling type 2 to a device that has the table of the revision `since`: what has come, and who plays where now.
struct MeshChange {
    std::uint64_t since = 0, revision = 0;
    std::vector<TableDevice> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
    std::vector<Sid> ended;  ///< that nobody plays any more
};
/// Signaling types 4 (load and latency) and 5 (quality), from each gateway and router, not answered.
struct DeviceReport {
    std::uint64_t table = 0;  ///< revision that it has applied
    DeviceCounters counters;
    Bytes held = 0, promised = 0;
    std::vector<NeighbourReport> neighbours;
    std::vector<FlowReport> flows;
    std::vector<SignalRecord> signals;  ///< that it has sent since the last report, within the bounds
    GuardReport guard = {};
    std::vector<RequestRecord> requests = {};  ///< decided since the last report, most_reported_requests at most
    std::uint64_t period = 0;                  ///< numbers the second that the qualities are of
    std::vector<DealtReport> dealt = {};       ///< of a gateway
    std::vector<SegmentPath> segments = {};    ///< likewise, with --srv6
    CacheReport cache = {};                    ///< of a router
};
/// From clients. Answered by MeshState.
struct QueryMesh {};
struct MeshState {
    std::uint64_t revision = 0;
    std::vector<DeviceView> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
    std::vector<LinkFault> faults = {};
    bool faults_allowed = false;  ///< FaultLink, KillRouter and those of processes are not refused
};
/// From clients. Answered by Signals: the messages after this number that the orchestrator still has.
struct QuerySignals {
    std::uint64_t after = 0;
};
struct Signals {
    std::vector<SignalRecord> records;  ///< in the order of their numbers
    bool more = false;
};

/// From operators, where the cluster was started with faults allowed: makes this of a link, whatever was made of it
/// before. Answered by Done. It holds until it is healed, until one of the two devices begins anew, or until the
/// orchestrator does.
struct FaultLink {
    LinkFault fault;
};
/// From operators, likewise: a router's process ends as if it was killed. Answered by Done.
struct KillRouter {
    std::string name;
};
/// From operators: the link between the two is whole again, or without names all links. Answered by Done.
struct HealFaults {
    std::string a, b;
};
/// To a gateway or router, not answered: the faults of its links, all of them, when it registers and at every change.
struct DeviceFaults {
    std::vector<NeighbourFault> links;
};
/// To a router or a node, not answered: die at once, a node with its instances.
struct KillDevice {};

/// Signaling type 3, to a gateway when it registers and at every change, not answered: all that it may let in. It holds
/// while the connection does, and for a time after that which the gateway was started with.
struct AdmissionPolicy {
    std::uint64_t version = 0;
    std::vector<AdmissionRule> rules;
    std::vector<std::string> revoked_keys;    ///< denied whatever the rules say
    std::vector<AdmissionOrder> orders = {};  ///< asked before the rules, the one that says most first
};
/// From clients. Answered by Requests, or Refused: the requests after this number that the orchestrator still has.
struct QueryRequests {
    std::uint64_t after = 0;
    std::string gateway;   ///< empty: all
    TaskId task;           ///< likewise
    bool refused = false;  ///< only those that were not admitted
};
struct Requests {
    std::vector<RequestRecord> records;  ///< in the order of their numbers
    bool more = false;
};
/// Signaling type 5, downwards: to a gateway or router, when it registers and at every change. Answered by
/// PolicyAnswer.
struct DevicePolicy {
    std::uint64_t version = 0;
    std::vector<PolicyEntry> entries;
};
/// It goes by this version from now on, or does not and goes on by the one before.
struct PolicyAnswer {
    std::uint64_t version = 0;
    std::optional<Error> refused;
};
/// From operators: "KEY=VALUE" each, or "KEY=default". Answered by PolicyNumber.
struct SetPolicies {
    std::vector<std::string> settings;
};
/// From operators: the entries of that version again, as a new version; 0: of the one before. Answered by PolicyNumber.
struct RollBackPolicies {
    std::uint64_t version = 0;
};
struct PolicyNumber {
    std::uint64_t version = 0;
};
/// From clients. Answered by PoliciesState.
struct QueryPolicies {};
struct PoliciesState {
    std::uint64_t current = 0;
    std::vector<PolicyVersion> versions;  ///< ascending
    std::vector<PolicyAtDevice> devices;
    std::vector<PathStanding> paths;
};
/// From a gateway or router, at once: an abnormal state began or ended. Not answered.
struct AbnormalState {
    mesh::AbnormalKind kind = mesh::AbnormalKind::neighbour_silent;
    std::uint32_t neighbour = 0;
    TimePoint since{};
    std::vector<AbnormalFlow> flows;
};

/// From operators: a running task with data instances is to have so many of them. Answered by Done.
struct ScaleData {
    TaskId task;
    std::int32_t instances = 1;
};

/// From the instance, not answered: its first data came with this lease, which a gateway had written there.
struct InstanceActivated {
    InstanceId instance;
    std::uint64_t lease = 0;
    std::uint32_t share = 0;
    std::uint32_t gateway = 0;  ///< its routing identifier
};

using AnyMessage = std::variant<
    Refused, Done, Hello, Welcome, Subscribe, Snapshot, EventPush, LoadPush, SubmitTask, SubmitReply, UploadsDone,
    StopTask, QueryLog, LogPage, ChangeKey, Shutdown, RegisterNode, NodeReport, StartInstance, StopInstance,
    InstanceExited, RegisterInstance, Deploy, Peers, InstancePrepared, Begin, StepReport, EvalReport, LoadReport,
    InstanceFinished, InstanceFailed, Note, EndInstance, Heartbeat, FetchSkeleton, SkeletonData, Goodbye, AccessKeys,
    SegmentModel, ModelSegmented, MeasureLinks, ServeProbe, ProbeServed, RunProbe, ProbeEnded, EndProbe, ResumeInstance,
    MissedReports, FetchSnapshotPage, ReleaseTask, WhichBlobs, NeededBlobs, RegisterDevice, DeviceRegistered, MeshTable,
    DeviceReport, QueryMesh, MeshState, QuerySignals, Signals, RegisterService, RenewService, ServiceRegistered,
    WatchServices, ServiceChanges, FaultLink, KillRouter, HealFaults, DeviceFaults, KillDevice, Reserve, Reserved,
    CancelReservation, QueryNodes, NodesState, ProbeNeighbour, AdmissionPolicy, QueryRequests, Requests, DevicePolicy,
    PolicyAnswer, SetPolicies, RollBackPolicies, PolicyNumber, QueryPolicies, PoliciesState, AbnormalState, MeshChange,
    DescribeModule, Observe, Advise, Echo, ControlModule, QueryModules, ModulesState, ChangeModule, MicUnits, MicReport,
    QueryMics, MicsState, TryPolicies, PolicyTrial, ScaleData, BringBlob, BlobBrought, OpenBlobEnd, BlobEndOpened,
    JoinBlobEnds, FetchBlob, BlobFetched, CloseBlobEnd, InstanceActivated, TakeSnapshot, SnapshotTaken, DropBlobs,
    OrderCheckpoint, CheckpointOrdered, RetryException, DropException, Recut, RecutDone, DrainNode, DropVersion, BackUp,
    BackedUp, LogLines, QueryLines, LinesPage, KillInstance, KillNode, PauseInstance, FaultInstance, ListStores,
    StoreList, ReadStore, StorePage, AskRecutAdvice, RecutAdvised, WatchSpans, ReportSpans, SpanReport, SpanPush,
    KeepCheckpoint, VersionMade, HoldSteps, PreparePlan, PlanPrepared>;

/// What goes over a control connection. Copies, moves and its end are compiled once, in message.cpp: they concern a
/// hundred types, and took every file that has a message 3 s.
class Message : public AnyMessage {
public:
    template <AlternativeOf<AnyMessage> T>
    Message(T&& one) : AnyMessage(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(one)) {}
    Message();
    Message(const Message& other);
    Message(Message&& other) noexcept;
    Message& operator=(const Message& other);
    Message& operator=(Message&& other) noexcept;
    ~Message();
};

/// "submit_task": for logs and denials, from the one list in message.cpp.
const char* kind_name(const Message& message);
/// What a sender must be allowed to do to send it to the orchestrator.
Right needed_right(const Message& message);

/// The control plane's heartbeat; silence for ten of them is a lost peer. It is for machines that vanish and
/// processes that hang: a process that ends closes its connection, which is noticed at once. Training is not
/// hurt by a slow verdict, but a busy two-core machine delays heartbeats by seconds.
inline constexpr Duration heartbeat_interval = std::chrono::milliseconds(500);
inline constexpr Duration peer_timeout = 10 * heartbeat_interval;

/// How long a node or an instance whose connection broke may take to come back as the same one. A network that is
/// gone for 10 s takes 5 s more to be dialled again; whoever is away longer has vanished.
inline constexpr Duration return_grace = std::chrono::seconds(20);

/// Steps and evaluations of one MissedReports at most; one that is as large as a page (page_fill) is sent before.
inline constexpr std::size_t missed_reports_limit = 500;

}  // namespace divisi::control::inline protocol
