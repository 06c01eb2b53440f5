// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/one_of.h"
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

// All messages of the control plane, in one append-only list (Message, below). A message's position in the list is its
// number on the wire. Each request names its answer in its comment; Refused is always possible.

struct Refused {
    Error error;
    std::vector<Error> others = {};  ///< all errors but the first, if several fields of a request are bad
};
/// Returns one error for display, which lists the other errors in its `next`.
Error combined(const Refused& refused);
struct Done {};

/// Version of the control plane protocol. Increases when a message changes its meaning. Both ends state their version
/// in their first message, and refuse any other version. 0: from before versions existed.
inline constexpr std::uint32_t protocol_version = 1;
/// Fails if the peer, which runs `version`, has another protocol than ours.
Result<void> check_protocol(std::uint32_t protocol, const std::string& version, const std::string& where);

// --- clients -> orchestrator -------------------------------------------------------------------
/// The first message on every connection, of clients and agents alike. `role` is the requested role; it is granted only
/// if the key (or, on ipc, the uid) allows it. Answered by Welcome.
struct Hello {
    std::string program;
    std::string version;
    Role role = Role::viewer;
    /// Clients on ipc: the public key that the client uses towards nodes on tcp. Its uid vouches for the key while the
    /// connection lives. On tcp the key is known already.
    std::string key;
    /// Unique identity of the sender's process: 32 random hexadecimal digits. If a hello has the same value and the
    /// same key or uid, the same process has reconnected. Its old connection then ends.
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
/// Subscribes to the state. Answered by the first page of a Snapshot; EventPush and LoadPush follow whenever there is
/// something new.
struct Subscribe {};
/// The state at one sequence number, in pages (snapshot_pages.h). Each page has some of its entries.
struct Snapshot {
    ClusterState state;
    std::vector<InstanceLoad> loads;  ///< latest load of each running instance
    std::uint32_t page = 0;
    bool more = false;                    ///< another page follows: FetchSnapshotPage
    std::vector<NodeMachine> nodes = {};  ///< latest report of each connected node
};
struct EventPush {
    std::vector<Event> events;
};
struct LoadPush {
    std::vector<InstanceLoad> loads;
    std::vector<NodeMachine> nodes = {};
};
/// Submits a task. Answered by SubmitReply. Files with a hash must then be brought to `uploads`, followed by
/// UploadsDone from the same connection; otherwise the task fails. Without uploads the task is queued at once.
struct SubmitTask {
    std::string text;
    std::string folder;
    std::string skeleton;  ///< content of the model's skeleton; empty for the zoo
    std::vector<FileRef> files;
    std::string submitted_by;
};
/// The files that a node must hold before the task can start. The node's blob store knows which of them it already
/// holds.
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
/// Sent by a client that has brought the files of a task, or could not bring them. Answered by Done.
struct UploadsDone {
    TaskId task;
    std::optional<Error> error;  ///< why the files could not be brought; the task fails with this error
};
struct StopTask {
    TaskId task;
    std::string reason;
};
/// Asks for the newest matching events that fit on a page, or with `oldest` for the first ones. To page backwards, set
/// `before` to the oldest event received; to page forwards, set `after` to the newest. Answered by LogPage.
struct QueryLog {
    std::string task;
    std::string contains;
    std::uint64_t after = 0;
    std::uint32_t limit = 200;
    std::uint64_t before = 0;  ///< 0: no bound
    bool oldest = false;
    std::string kind;  ///< only events of this kind_name(): "step_done" gives a task's whole curve
    // Filters: only events whose line names this SID or this node, has at least this level (severity_of()), and lies in
    // this time.
    std::string sid = {}, node = {};
    Severity level = Severity::debug;
    TimePoint since{}, until{};  ///< TimePoint{}: no bound
};
/// Events in the order of their sequence numbers, whichever end of the log the query asked for.
struct LogPage {
    std::vector<Event> events;
    bool more = false;  ///< more events follow in the direction of paging
};
/// Changes a key's permission. Answered by Done (admin only).
struct ChangeKey {
    KeyChanged change;
};
struct Shutdown {
    std::string reason;
};

// --- node agents <-> orchestrator --------------------------------------------------------------
/// Sent over every new connection. Answered by Done, or by Refused if the name is in use or does not belong to this
/// key.
struct RegisterNode {
    NodeInfo node;
    /// The instances on the node, including ended ones whose InstanceExited follows. The list lets both sides agree
    /// again after a lost connection: the orchestrator answers with StopInstance for unknown instances, and starts
    /// missing ones.
    std::vector<InstanceId> instances = {};
};
/// Sent at every heartbeat interval, not answered. `instances` are the live processes, `usages` what they have
/// consumed.
struct NodeReport {
    NodeId node;
    double load = 0;
    Bytes memory_free = 0;
    std::vector<InstanceId> instances;
    std::vector<InstanceUsage> usages = {};
    MachineFigures machine = {};
};
/// Sent to the node, not answered. The instance registers, or InstanceFailed and InstanceExited follow.
struct StartInstance {
    TaskId task;
    InstanceId instance;
    Sid sid;
    std::int32_t threads = 1;
    Generation generation = 1;
    /// The instance whose kept process (StopInstance::keep) plays this one from now on. Empty: a new process. A new
    /// process is also started if the kept one no longer exists.
    InstanceId from = {};
};
/// Sent to the node, not answered. InstanceExited follows.
struct StopInstance {
    InstanceId instance;
    /// Whether the process is kept after its task is over. A StartInstance that names it as `from` may follow. The
    /// process's consumption so far belongs to the old instance. A node that does not know this field ends the process.
    bool keep = false;
};
/// Sent by the node. `output` is the end of what the process wrote to standard error.
struct InstanceExited {
    InstanceId instance;
    std::int32_t code = 0;
    std::int32_t signal = 0;
    std::string output;
    Usage usage = {};  ///< over the instance's whole life
};

// --- instances <-> orchestrator ----------------------------------------------------------------
/// Sent over every new connection. Answered by Deploy, or by ResumeInstance if the instance was registered before.
struct RegisterInstance {
    InstanceId instance;
    Sid sid;
    std::string data_endpoint;
    std::string data_key;
    std::string fingerprint;
    std::int64_t pid = 0;
    InstanceState state = InstanceState::starting;  ///< current state of the instance
    TaskId task = {};                               ///< task for which it was deployed; empty: not deployed yet
    Generation generation = 0;                      ///< generation it was deployed for
    std::int64_t step = 0;                          ///< last step that it reported, or should have reported
    std::int64_t kept_from = 0;                     ///< first step that it can still report; 0: none
    /// Whether the instance understands ReportSpans. Instances that are older than that message do not set this field.
    bool reports_spans = false;
};
/// Sent to the instance: everything that it needs to compile the plan itself and to take part.
struct Deploy {
    TaskId task;
    Generation generation = 1;
    InstanceId instance;
    std::int32_t stage = 0;  ///< the stage, or data_stage or dealt_stage
    bool data = false;       ///< this instance loads and preprocesses the data
    std::string text;
    std::string folder;
    std::vector<std::string> cuts;
    std::string plan_hash;
    std::string skeleton;  ///< content of the model's skeleton
    std::vector<FileRef> files;
    std::uint64_t lease = 0;  ///< number of the instance's lease; 0: none
    std::uint32_t share = 0;  ///< share of that lease
    LeaseTerms terms = {};    ///< terms of that lease
    Restore restore = {};
};
/// Sent to the instance once all are registered: the endpoints of the others.
struct Peers {
    TaskId task;
    Generation generation = 1;
    std::vector<Peer> peers;
    /// gateway of the instance's MIC, which deals the data that the instance requests; empty: the MIC has none
    std::string gateway, gateway_key;
};
/// Sent by the instance. On instances with data, `eval_microbatches` is the number of micro-batches of one evaluation,
/// and `samples` the number of samples in a batch's data. Elsewhere they are -1 and 0.
struct InstancePrepared {
    InstanceId instance;
    std::string plan_hash;
    std::int32_t eval_microbatches = -1;
    Generation generation = 1;
    std::int64_t samples = 0;
};
/// Sent to the instance: all instances are prepared, begin.
struct Begin {
    TaskId task;
    Generation generation = 1;
    std::int32_t eval_microbatches = 0;
    std::int64_t samples = 0;  ///< samples in a batch's data
};
/// Sent by the instance, not answered.
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
/// Sent by agents: a line for the log.
struct Note {
    Noted note;
};
/// Sent to the instance: end now in an orderly way.
struct EndInstance {
    InstanceId instance;
    std::string reason;
};

/// Sent both ways at the heartbeat interval if nothing else was sent.
struct Heartbeat {};

/// Requests the skeleton of a task's model, for a client that exports a trained model. Answered by SkeletonData.
struct FetchSkeleton {
    TaskId task;
};
struct SkeletonData {
    std::string bytes;
};

/// The last message on a connection, in either direction. The sender ends in an orderly way and will not reconnect by
/// itself.
struct Goodbye {
    std::string reason;
};

/// Sent to node agents when they register and at every change: the keys that their blob stores admit, with their roles.
/// The list comes in consecutive pages. After the last page, keys that were not listed are no longer admitted.
struct AccessKeys {
    std::vector<KeyChanged> keys;
    std::uint32_t page = 0;
    bool more = false;
};

/// The model segmentation interface of draft-yang-dmsc-distributed-model-03, 6.2.4. Asks which plan such a task would
/// get on the nodes that are ready now, and changes nothing. Answered by ModelSegmented, or by Refused with every
/// invalid field of `split` as "split.key". If `split.version` is not supported, the answer has only this error.
struct SegmentModel {
    task::SplitSection split;  ///< mode, ranges, tabu search, shared layers, privacy: [split] of a task file
    std::string text;          ///< the other sections, as TOML; each is optional, [model] only if `skeleton` is given
    std::string skeleton;      ///< the model's skeleton, or an ONNX model; empty for the zoo
};
struct ModelSegmented {
    std::int64_t version = search::segmentation_version;  ///< version of the interface
    std::string cluster;                                  ///< cluster whose nodes the stages are placed on
    double time_ms = 0;                                   ///< time that planning took
    task::PricedPlan plan;
};

/// Sent by operators: measure the links again as soon as no task runs. Answered by Done.
struct MeasureLinks {};
/// Sent to a node: listen for data plane tensors from the other node, and free their slots at once, until EndProbe. Not
/// answered; ProbeServed follows.
struct ServeProbe {
    std::uint64_t probe = 0;  ///< unique number, which is also the flow of the probe's tensors
    NodeId from;
    std::string from_key;  ///< CURVE public key, Z85; empty on ipc
};
struct ProbeServed {
    std::uint64_t probe = 0;
    std::string endpoint;
    std::optional<Error> error;
};
/// Sent to a node: send the probe's tensors to the other node. Not answered; ProbeEnded follows.
struct RunProbe {
    std::uint64_t probe = 0;
    std::string endpoint;
    std::string key;  ///< key of the serving node; empty on ipc
};
struct ProbeEnded {
    std::uint64_t probe = 0;
    LinkFigures figures;
    std::optional<Error> error;
};
/// Sent to both nodes: the probe is over, or something more important has to run.
struct EndProbe {
    std::uint64_t probe = 0;
};

/// Sent to an instance that reconnected: continue. Its reports after `step` and `evaluation` did not arrive, and follow
/// as MissedReports. The messages that it missed itself (Peers, Begin, EndInstance) follow this one.
struct ResumeInstance {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;        ///< step of the last StepReport of this generation that arrived
    std::int64_t evaluation = 0;  ///< step of the last EvalReport of this generation that arrived
};
/// Steps and evaluations from the time without a connection, each in ascending order; at most missed_reports_limit in
/// all.
struct MissedReports {
    TaskId task;
    InstanceId instance;
    std::vector<StepRecord> steps;
    std::vector<EvalRecord> evaluations;
};

/// Requests the next page of the Snapshot that Subscribe began on this connection. Answered by Snapshot, or by Refused
/// if the snapshot is no longer kept: subscribe again.
struct FetchSnapshotPage {
    std::uint32_t page = 0;
};

/// Sent by operators: let a held task start. Answered by Done.
struct ReleaseTask {
    TaskId task;
};

/// Sent by nodes that make room: the blobs that could be deleted. Answered by NeededBlobs.
struct WhichBlobs {
    std::vector<std::string> hashes;
};
/// The blobs of a WhichBlobs request that a task or an export still needs.
struct NeededBlobs {
    std::vector<std::string> hashes;
};

/// Sent by a gateway or router over every new connection. Answered by DeviceRegistered, or Refused.
struct RegisterDevice {
    DeviceInfo device;
    std::uint32_t held = 0;  ///< routing identifier it had before the orchestrator restarted; 0: none
};
struct DeviceRegistered {
    std::uint32_t id = 0;
};
/// Signaling type 2 (service route advertisement). Sent to a gateway or router that has registered, and to all of them
/// if a change does not fit a MeshChange. Devices are ordered by name, links by their ends, places by task and SID.
struct MeshTable {
    std::uint64_t revision = 0;
    std::vector<TableDevice> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
};
/// Signaling type 2 for a device that has the table of revision `since`: the new devices and links, and the changed
/// places.
struct MeshChange {
    std::uint64_t since = 0, revision = 0;
    std::vector<TableDevice> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
    std::vector<Sid> ended;  ///< SIDs that no instance plays any more
};
/// Signaling types 4 (load and latency) and 5 (quality). Sent by each gateway and router, not answered.
struct DeviceReport {
    std::uint64_t table = 0;  ///< revision of the route table that it has applied
    DeviceCounters counters;
    Bytes held = 0, promised = 0;
    std::vector<NeighbourReport> neighbours;
    std::vector<FlowReport> flows;
    std::vector<SignalRecord> signals;  ///< signals sent since the last report, within the bounds
    GuardReport guard = {};
    /// requests decided since the last report, most_reported_requests at most
    std::vector<RequestRecord> requests = {};
    std::uint64_t period = 0;                ///< number of the one-second period that the qualities belong to
    std::vector<DealtReport> dealt = {};     ///< gateways only
    std::vector<SegmentPath> segments = {};  ///< gateways with --srv6 only
    CacheReport cache = {};                  ///< routers only
};
/// Sent by clients. Answered by MeshState.
struct QueryMesh {};
struct MeshState {
    std::uint64_t revision = 0;
    std::vector<DeviceView> devices;
    std::vector<TableLink> links;
    std::vector<TablePlace> places;
    std::vector<LinkFault> faults = {};
    bool faults_allowed = false;  ///< FaultLink, KillRouter and faults of processes are permitted
};
/// Sent by clients. Answered by Signals with the records after this number that the orchestrator still has.
struct QuerySignals {
    std::uint64_t after = 0;
};
struct Signals {
    std::vector<SignalRecord> records;  ///< in the order of their numbers
    bool more = false;
};

/// Sent by operators, if the cluster was started with faults allowed: sets the fault of a link and replaces any earlier
/// one. Answered by Done. The fault lasts until it is healed, or until one of the two devices or the orchestrator
/// restarts.
struct FaultLink {
    LinkFault fault;
};
/// Sent by operators, if faults are allowed: ends a router's process as if it was killed. Answered by Done.
struct KillRouter {
    std::string name;
};
/// Sent by operators: heals the link between two devices, or all links if no names are given. Answered by Done.
struct HealFaults {
    std::string a, b;
};
/// Sent to a gateway or router when it registers and at every change, not answered: all faults of its links.
struct DeviceFaults {
    std::vector<NeighbourFault> links;
};
/// Sent to a router or node, not answered: end at once. A node ends together with its instances.
struct KillDevice {};

/// Signaling type 3. Sent to a gateway when it registers and at every change, not answered: everything that it may
/// admit. The policy is valid during the connection, and afterwards for the grace time that the gateway was started
/// with.
struct AdmissionPolicy {
    std::uint64_t version = 0;
    std::vector<AdmissionRule> rules;
    std::vector<std::string> revoked_keys;    ///< keys denied whatever the rules say
    std::vector<AdmissionOrder> orders = {};  ///< checked before the rules, the most specific order first
};
/// Sent by clients. Answered by Requests with the requests after this number that the orchestrator still has, or by
/// Refused.
struct QueryRequests {
    std::uint64_t after = 0;
    std::string gateway;   ///< empty: all gateways
    TaskId task;           ///< empty: all tasks
    bool refused = false;  ///< only requests that were not admitted
};
struct Requests {
    std::vector<RequestRecord> records;  ///< in the order of their numbers
    bool more = false;
};
/// Signaling type 5, from the orchestrator to devices. Sent to a gateway or router when it registers and at every
/// change. Answered by PolicyAnswer.
struct DevicePolicy {
    std::uint64_t version = 0;
    std::vector<PolicyEntry> entries;
};
/// The device applies this version from now on, or refuses it and keeps the previous one.
struct PolicyAnswer {
    std::uint64_t version = 0;
    std::optional<Error> refused;
};
/// Sent by operators: settings of the form "KEY=VALUE" or "KEY=default". Answered by PolicyNumber.
struct SetPolicies {
    std::vector<std::string> settings;
};
/// Sent by operators: makes a new policy version with the entries of the given version; 0: with those of the previous
/// version. Answered by PolicyNumber.
struct RollBackPolicies {
    std::uint64_t version = 0;
};
struct PolicyNumber {
    std::uint64_t version = 0;
};
/// Sent by clients. Answered by PoliciesState.
struct QueryPolicies {};
struct PoliciesState {
    std::uint64_t current = 0;
    std::vector<PolicyVersion> versions;  ///< in ascending order
    std::vector<PolicyAtDevice> devices;
    std::vector<PathStanding> paths;
};
/// Sent by a gateway or router at once when an abnormal state begins or ends. Not answered.
struct AbnormalState {
    mesh::AbnormalKind kind = mesh::AbnormalKind::neighbour_silent;
    std::uint32_t neighbour = 0;
    TimePoint since{};
    std::vector<AbnormalFlow> flows;
};

/// Sent by operators: sets the number of data instances of a running task that has some. Answered by Done.
struct ScaleData {
    TaskId task;
    std::int32_t instances = 1;
};

/// Sent by the instance, not answered: its first data has arrived, and a gateway had written this lease into it.
struct InstanceActivated {
    InstanceId instance;
    std::uint64_t lease = 0;
    std::uint32_t share = 0;
    std::uint32_t gateway = 0;  ///< the gateway's routing identifier
};

using AnyMessage =
    OneOf<Refused, Done, Hello, Welcome, Subscribe, Snapshot, EventPush, LoadPush, SubmitTask, SubmitReply, UploadsDone,
          StopTask, QueryLog, LogPage, ChangeKey, Shutdown, RegisterNode, NodeReport, StartInstance, StopInstance,
          InstanceExited, RegisterInstance, Deploy, Peers, InstancePrepared, Begin, StepReport, EvalReport, LoadReport,
          InstanceFinished, InstanceFailed, Note, EndInstance, Heartbeat, FetchSkeleton, SkeletonData, Goodbye,
          AccessKeys, SegmentModel, ModelSegmented, MeasureLinks, ServeProbe, ProbeServed, RunProbe, ProbeEnded,
          EndProbe, ResumeInstance, MissedReports, FetchSnapshotPage, ReleaseTask, WhichBlobs, NeededBlobs,
          RegisterDevice, DeviceRegistered, MeshTable, DeviceReport, QueryMesh, MeshState, QuerySignals, Signals,
          RegisterService, RenewService, ServiceRegistered, WatchServices, ServiceChanges, FaultLink, KillRouter,
          HealFaults, DeviceFaults, KillDevice, Reserve, Reserved, CancelReservation, QueryNodes, NodesState,
          ProbeNeighbour, AdmissionPolicy, QueryRequests, Requests, DevicePolicy, PolicyAnswer, SetPolicies,
          RollBackPolicies, PolicyNumber, QueryPolicies, PoliciesState, AbnormalState, MeshChange, DescribeModule,
          Observe, Advise, Echo, ControlModule, QueryModules, ModulesState, ChangeModule, MicUnits, MicReport,
          QueryMics, MicsState, TryPolicies, PolicyTrial, ScaleData, BringBlob, BlobBrought, OpenBlobEnd, BlobEndOpened,
          JoinBlobEnds, FetchBlob, BlobFetched, CloseBlobEnd, InstanceActivated, TakeSnapshot, SnapshotTaken, DropBlobs,
          OrderCheckpoint, CheckpointOrdered, RetryException, DropException, Recut, RecutDone, DrainNode, DropVersion,
          BackUp, BackedUp, LogLines, QueryLines, LinesPage, KillInstance, KillNode, PauseInstance, FaultInstance,
          ListStores, StoreList, ReadStore, StorePage, AskRecutAdvice, RecutAdvised, WatchSpans, ReportSpans,
          SpanReport, SpanPush, KeepCheckpoint, VersionMade, HoldSteps, PreparePlan, PlanPrepared>;

/// A message of the control plane.
class Message : public AnyMessage {
public:
    using AnyMessage::AnyMessage;
};

/// Returns the kind's name for logs and denials, for example "submit_task". The list in message.cpp is the only source
/// of these names.
const char* kind_name(const Message& message);
/// Returns the right that a sender needs to send the message to the orchestrator.
Right needed_right(const Message& message);

/// The heartbeat of the control plane; a peer that is silent for ten of them is lost. Heartbeats detect machines that
/// vanish and processes that hang: a process that ends closes its connection, which is noticed at once. The timeout is
/// long because a busy two-core machine delays heartbeats by seconds, and a late detection does not hurt training.
inline constexpr Duration heartbeat_interval = std::chrono::milliseconds(500);
inline constexpr Duration peer_timeout = 10 * heartbeat_interval;

/// How long a node or an instance whose connection broke may take to come back as the same one. After a network failure
/// of 10 s, reconnecting takes 5 s more. A peer that is away for longer counts as gone.
inline constexpr Duration return_grace = std::chrono::seconds(20);

/// Maximum number of steps and evaluations of one MissedReports. It is sent earlier if it reaches the size of a page
/// (page_fill).
inline constexpr std::size_t missed_reports_limit = 500;

}  // namespace divisi::control::inline protocol
