// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <variant>
#include <vector>

#include "backend/control/jobs.h"
#include "backend/control/message.h"
#include "backend/control/placement.h"
#include "backend/control/sessions.h"
#include "backend/control/stated_nodes.h"

namespace divisi::control {

struct PeerConnected {
    PeerId peer;
    Credentials credentials;
};
struct PeerGone {
    PeerId peer;
    std::string why = "its connection ended";
};
/// The process behind a connection that broke has ended: nobody comes back.
struct PeerEnded {
    PeerId peer;
};
struct Received {
    PeerId peer;
    std::uint64_t correlation = 0;
    Message message;
};
struct Tick {};
using Input = std::variant<PeerConnected, PeerGone, Received, Tick, JobDone, PeerEnded>;

struct Send {
    PeerId peer;
    std::uint64_t correlation = 0;  ///< of the request that this answers; 0: not an answer
    Message message;
};

/// What to do, in this order: make `events` durable, then send, then close, then exit if asked. `jobs` are begun once
/// the events are durable, those of one kind one after the other, and each ends with the input JobDone.
struct Output {
    std::vector<Event> events;
    std::vector<Send> sends;
    std::vector<PeerId> closes;     ///< connections that are over; no PeerGone is expected for them
    std::vector<TaskId> forgotten;  ///< whose skeletons nobody needs any more
    std::vector<Job> jobs;
    bool exit = false;
};

/// Deadlines of the life cycle; each ends in the exception phase with a message.
struct OrchestratorLimits {
    Duration registration = std::chrono::seconds(60);  ///< from start to the last registration
    Duration preparation = std::chrono::seconds(300);  ///< loading a large model takes its time
    Duration ending = std::chrono::seconds(5);         ///< from EndInstance to StopInstance
    Duration killing = std::chrono::seconds(5);        ///< from StopInstance to giving up on the node's word
    Duration suspect = std::chrono::seconds(60);       ///< in one operation; a large one takes seconds on a CPU
    Duration away = return_grace;                      ///< from a broken connection to giving up on who had it
    Duration quiet = std::chrono::seconds(10);         ///< without a tensor, before a task says whom it waits for
    Duration link_settle = std::chrono::seconds(1);    ///< without a task or a new node, before links are measured
    Duration link_probe = std::chrono::seconds(30);    ///< of one link; a slow one is given up
    Duration link_age = std::chrono::hours(24);        ///< after which one is measured anew: networks change
    Duration link_retry = std::chrono::minutes(10);    ///< after a probe that failed
    std::size_t queued_tasks = 1000;                   ///< a task file is some KiB, a skeleton some MiB
    JobLimit segmentations{1, 16};                     ///< each may hold a skeleton, and search for a minute
    JobLimit log_queries{8, 64};                       ///< each may hold a page; a person types ahead of a search
};

/// The detail of a queued task's phase until its client has brought its files.
inline constexpr const char* waiting_for_files = "waiting for its files";

/// The service mesh orchestrator without I/O: step(input, now) -> output. Its durable state is the fold of
/// its events; the rest (connections, deadlines, who is prepared) is forgotten at a restart, when tasks that
/// were running end as failed and queued ones go on.
class Orchestrator {
public:
    explicit Orchestrator(OrchestratorLimits limits = {});

    /// Folds an event of the log back in, before the first step().
    void replay(const Event& event);
    /// The state as the log gives it, and what of it could not be read. Before start().
    void restore(ClusterState state, std::vector<Finding> findings);
    /// After the replay: the first event, and what the restart did to running tasks.
    /// `hold`: queued tasks of before wait until they are released, since whoever queued them is gone.
    Output start(const std::string& name, const std::string& version, TimePoint now, bool hold = false);
    Output step(const Input& input, TimePoint now);

    const ClusterState& state() const { return state_; }
    /// The next moment at which a Tick matters; none while nothing waits.
    std::optional<TimePoint> next_deadline() const;
    /// The skeletons in memory, by task: durable as blobs beside the log.
    const std::map<TaskId, std::string>& skeletons() const { return skeletons_; }
    /// Keys that are allowed whatever the log says: those of the cluster file. Before start().
    void allow_always(std::vector<KeyChanged> keys) { fixed_keys_ = std::move(keys); }
    /// What the cluster file says of nodes that will join.
    void describe_nodes(std::map<NodeId, StatedNode> nodes) { stated_nodes_ = std::move(nodes); }
    /// What the cluster file says of links; it holds where nothing was measured. Before start().
    void state_links(std::vector<StatedLink> links) { stated_links_ = std::move(links); }
    /// What the store has of a task's model; nothing is kept that is not what the task came with. After the replay.
    void restore_skeleton(const TaskId& task, std::string bytes);

private:
    /// A task whose client brings files to the nodes that will run it; it starts on no others.
    struct Delivery {
        PeerId client;
        std::vector<NodeId> nodes;  ///< as place() gives them
        bool done = false;
        std::string process = {};               ///< the client's, under which it may come back
        std::optional<TimePoint> awaited = {};  ///< while it is away: until when, in lived time
    };
    /// A link that is being measured.
    struct Probe {
        std::uint64_t number = 0;
        NodeId from, to;
        TimePoint deadline{};
    };
    /// What a running task waits for.
    struct Run {
        std::vector<InstanceId> instances;
        std::map<InstanceId, Peer> registered;
        std::set<InstanceId> prepared, finished, exited, suspect;
        std::map<InstanceId, InstanceLoad> loads;     ///< the last that each reported
        std::map<InstanceId, std::string> processes;  ///< Hello::process of who registered
        std::string awaited;                          ///< who is away, as its phase's detail says it
        std::optional<TimePoint> deadline;            ///< in lived time
        std::int32_t threads = 1;
        std::int32_t eval_microbatches = 0;
        bool ending = false, killing = false;
        Outcome outcome = Outcome::succeeded;
        std::optional<Error> error;
    };

    // Inputs.
    void on(const PeerConnected& input);
    void on(const PeerGone& input);
    void on(const Received& input);
    void on(const Tick& input);
    void on(const JobDone& input);
    void on(const PeerEnded& input);

    // Messages; `received` carries the peer and the correlation to answer.
    void handle(const Received& received, const Hello& message);
    void handle(const Received& received, const Subscribe& message);
    void handle(const Received& received, const FetchSnapshotPage& message);
    void handle(const Received& received, const SubmitTask& message);
    void handle(const Received& received, const UploadsDone& message);
    void handle(const Received& received, const StopTask& message);
    void handle(const Received& received, const ReleaseTask& message);
    void handle(const Received& received, const QueryLog& message);
    void handle(const Received& received, const ChangeKey& message);
    void handle(const Received& received, const Shutdown& message);
    void handle(const Received& received, const FetchSkeleton& message);
    void handle(const Received& received, const SegmentModel& message);
    void handle(const Received& received, const RegisterNode& message);
    void handle(const Received& received, const NodeReport& message);
    void handle(const Received& received, const InstanceExited& message);
    void handle(const Received& received, const RegisterInstance& message);
    void handle(const Received& received, const InstancePrepared& message);
    void handle(const Received& received, const StepReport& message);
    void handle(const Received& received, const EvalReport& message);
    void handle(const Received& received, const LoadReport& message);
    void handle(const Received& received, const InstanceFinished& message);
    void handle(const Received& received, const InstanceFailed& message);
    void handle(const Received& received, const MissedReports& message);
    void handle(const Received& received, const MeasureLinks& message);
    void handle(const Received& received, const WhichBlobs& message);
    void handle(const Received& received, const ProbeServed& message);
    void handle(const Received& received, const ProbeEnded& message);
    void handle(const Received& received, const Note& message);
    void handle(const Received& received, const Heartbeat& message);
    void handle(const Received& received, const Goodbye& message);
    template <typename M>
    void handle(const Received& received, const M&) {
        refuse(received, unexpected(received.message));
    }

    // What is done beside the loop.
    void begin(const Received& received, Job::What what, JobLimit limit);
    void submit(const JobBook::Asked& asked, const Result<PlanSummary>& plan);
    void plan_again(const TaskView& task);
    void planned_again(const TaskId& task, const Result<PlanSummary>& plan);

    // Tasks.
    void admit();
    std::vector<const TaskView*> queue() const;
    void start_task(const TaskId& task, const PlanSummary& plan, const std::vector<NodeId>& nodes);
    NodeUse node_use() const;
    Result<std::vector<NodeId>> place(const TaskId& task, const PlanSummary& plan, const NodeUse& use) const;
    void deploy(const Received& received, const InstanceView& instance);
    static Peers peers_message(const TaskView& task, const Run& run);
    void all_registered(const TaskId& task, Run& run);
    void all_prepared(const TaskId& task, Run& run);
    void fail(const TaskId& task, const InstanceId& culprit, Error error);
    void end_instances(const TaskId& task, Run& run, const std::string& reason);
    void kill_instances(const TaskId& task, Run& run);
    void instance_gone(const InstanceId& instance, const std::string& detail);
    void finish_if_all_gone(const TaskId& task);
    void lose_node(const NodeId& node, NodeState state, const std::string& reason);
    void check_deadlines();
    void step_done(const TaskId& task, const StepRecord& record);
    void evaluated(const TaskId& task, const EvalRecord& record);
    void look_for_stuck(const TaskId& task, Run& run, const InstanceLoad& load);

    // Links.
    void survey_links();
    std::optional<std::pair<NodeId, NodeId>> link_to_measure() const;
    bool idle() const;
    void start_probe(const NodeId& from, const NodeId& to);
    void fail_probe(const std::string& why);
    void end_probe();
    LinkKey key_of_probe() const;

    // Connections (orchestrator_sessions.cpp).
    void forget(PeerId peer, NodeState state, const std::string& why);
    void close(PeerId peer, const Error& why);
    void supersede(PeerId peer);
    void wait_for(const NodeId& node, PeerId peer, const std::string& why);
    void wait_for(const InstanceId& instance, PeerId peer, const std::string& why);
    void check_away();
    void say_who_is_awaited();
    void agree_on_instances(PeerId peer, const NodeId& node, const std::vector<InstanceId>& running);
    void resume(const Received& received, const InstanceView& instance, Run& run);
    void deny(const Received& received, Error error);
    void log_denial(const Session& peer, const std::string& what);
    void notes_due();

    // Files and keys.
    void end_with_brought_files();
    void end_without_model();
    /// What a task's model is checked by when it is read again; empty for the zoo.
    static std::string skeleton_name(const std::string& bytes);
    Result<std::vector<Upload>> uploads(PeerId client, const PlanSummary& plan, const std::vector<NodeId>& nodes,
                                        const std::vector<FileRef>& files) const;
    void client_gone(PeerId client, bool comes_back);
    void client_back(PeerId client);
    void fail_delivery(const TaskId& task);
    void send_policy(PeerId peer);
    void send_policy();

    void tell_findings();

    // Output.
    void append(Event::Body body);
    void push(const std::vector<Event>& events);
    void send(PeerId peer, Message message, std::uint64_t correlation = 0);
    void answer(const Received& received, Message message);
    void refuse(const Received& received, Error error);
    static Error unexpected(const Message& message);
    Output take_output();
    std::optional<PeerId> peer_of(const NodeId& node) const;
    std::optional<PeerId> peer_of(const InstanceId& instance) const;
    Run* run_of(const InstanceId& instance, TaskId* task = nullptr);

    OrchestratorLimits limits_;
    ClusterState state_;
    Sessions peers_;
    std::map<TaskId, Run> runs_;
    std::map<TaskId, std::string> skeletons_;
    std::map<TaskId, Delivery> deliveries_;
    std::map<TaskId, PlanSummary> plans_;  ///< of queued tasks; after a restart each is planned when its turn comes
    JobBook jobs_;
    std::vector<KeyChanged> fixed_keys_;
    std::map<NodeId, StatedNode> stated_nodes_;
    std::vector<StatedLink> stated_links_;
    std::optional<Probe> probe_;
    std::uint64_t last_probe_ = 0;
    TimePoint quiet_since_{};  ///< since when nothing that would disturb a probe has happened
    TimePoint links_asked_{};  ///< an operator wants links that were measured after this
    TimePoint next_survey_{};  ///< all links are known; until then there is nothing to look for
    std::map<LinkKey, TimePoint> probe_failed_;
    /// Of who has not fetched them all: pages of one moment.
    std::map<PeerId, std::vector<Snapshot>> open_snapshots_;
    std::vector<Finding> findings_;  ///< of the restored log, until start() tells them
    std::vector<InstanceLoad> loads_;
    std::map<NodeId, Bytes> memory_free_;         ///< as each node last reported
    std::map<std::string, NoteLimiter> denials_;  ///< by name: who is denied may come over ever new connections
    bool queue_changed_ = false;                  ///< something happened that may let a queued task start
    TimePoint now_{};
    LivedTime time_;
    TimePoint lived_{};  ///< now_, without the pauses of this process: patience is measured in it
    Output output_;
};

}  // namespace divisi::control
