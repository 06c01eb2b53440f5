// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/protocol/failure_detector.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/protocol/orchestrator_io.h"
#include "backend/control/state/stated_nodes.h"

namespace divisi::control::inline types {
struct PolicySetting;
struct ReceiptSeal;
}  // namespace divisi::control::inline types

namespace divisi::control::inline network {
class MeshDevices;
class Mics;
}  // namespace divisi::control::inline network

namespace divisi::task {
struct AlertRules;
}

namespace divisi::control::inline dispatch {

struct StateMachines;

/// Runs the service mesh orchestrator without I/O: step(input, now) -> output. Checks who may send which message and
/// passes each message to the state machine that handles it. The durable state is computed from the events. Everything
/// else (connections, deadlines, loads) is rebuilt at a restart: running tasks are adopted and queued tasks continue.
class Orchestrator {
public:
    explicit Orchestrator(OrchestratorLimits limits = {});
    Orchestrator(const Orchestrator&) = delete;  // its state machines refer to its context
    Orchestrator& operator=(const Orchestrator&) = delete;
    ~Orchestrator();

    /// Applies an event of the log to the state. Call before the first step().
    void replay(const Event& event) { context_.replay(event); }
    /// Sets the state computed from the log, and the findings about its unreadable parts. Call before start().
    void restore(ClusterState state, std::vector<Finding> findings);
    /// Appends the first event and decides how earlier tasks continue. Call after the replay. `hold`: whether tasks
    /// queued before the restart are held until an operator releases them, since their submitters are gone.
    Output start(const std::string& name, const std::string& version, TimePoint now, bool hold = false);
    Output step(const Input& input, TimePoint now);

    const ClusterState& state() const { return context_.state(); }
    /// Returns the gateways and routers, as they describe themselves.
    const MeshDevices& mesh() const;
    const Mics& mics() const;
    /// Returns how many messages and role requests were denied since the start.
    std::uint64_t denied() const { return context_.denied(); }
    /// Returns the next time at which the orchestrator needs a Tick; none if nothing is pending.
    std::optional<TimePoint> next_deadline() const;
    /// Returns the time until which a placement waits for functional modules; a Tick is due then. Returns none if no
    /// placement waits.
    std::optional<TimePoint> question_due() const;
    /// Returns the skeletons in memory by task. Skeletons are also stored durably, as blobs next to the log.
    const std::map<TaskId, std::string>& skeletons() const;
    /// Sets the keys of the cluster file. These keys are allowed even if the log revokes them. Call before start().
    void allow_always(std::vector<KeyChanged> keys);
    /// Sets the statements of the cluster file about nodes that will join.
    void describe_nodes(std::map<NodeId, StatedNode> nodes) { stated_nodes_ = std::move(nodes); }
    /// Sets the statements of the cluster file about links, used for links that were not measured. Call before start().
    void state_links(std::vector<StatedLink> links) { stated_links_ = std::move(links); }
    /// Lets operators inject faults into links, routers, nodes and instances. Call before start().
    void allow_faults();
    /// Sets the seal that signs lease receipts. Call before start().
    void seal_receipts(ReceiptSeal seal);
    /// Sets the pools and queue rules of the cluster file. Call before start().
    void state_queue(std::vector<Pool> pools, QueueRules rules) {
        pools_ = std::move(pools);
        rules_ = std::move(rules);
    }
    /// Sets the cluster file's policies for gateways and routers. Call before start().
    void state_policies(std::vector<PolicySetting> settings);
    /// Sets the alert rules of the cluster file. Call before start().
    void state_alerts(const task::AlertRules& rules);
    /// Returns the latest machine figures that each node reported.
    const std::map<NodeId, MachineFigures>& machines() const { return context_.machines(); }
    /// Restores a task's skeleton from the store. Ignores bytes whose hash differs from the hash of the
    /// task's skeleton. Call after the replay.
    void restore_skeleton(const TaskId& task, std::string bytes);

private:
    // Handlers of the inputs.
    void on(const PeerConnected& input);
    void on(const PeerGone& input);
    void on(const Received& input);
    void on(const Tick& input);
    void on(const JobDone& input);
    void on(const PeerEnded& input);
    void on(const Noticed& input) { context_.append(input.note); }
    void on(const DiskMeasured& input);

    /// Returns why the sender is not permitted to send this message; none if it is permitted.
    std::optional<Error> not_allowed(const Received& received, const Session& peer) const;
    /// Passes the message to the state machine that handles its type.
    template <typename M>
    void pass(const Received& received, const M& message);
    void follow(const Event& event);

    // Messages about connections and keys (orchestrator_connections.cpp).
    void handle(const Received& received, const Hello& message);
    void handle(const Received& received, const Goodbye& message);
    void handle(const Received& received, const RegisterNode& message);
    void handle(const Received& received, const NodeReport& message);
    void handle(const Received& received, const ChangeKey& message);
    // Messages that are answered from the state, or by a job outside the main loop.
    void handle(const Received& received, const QueryLog& message);
    void handle(const Received& received, const QueryLines& message);
    void handle(const Received& received, const SegmentModel& message);
    void handle(const Received& received, const BackUp& message);
    void handle(const Received& received, const WhichBlobs& message);
    void handle(const Received& received, const Note& message);
    void handle(const Received& received, const Heartbeat& message);
    void handle(const Received& received, const OrderCheckpoint& message);
    void handle(const Received& received, const Shutdown& message);

    void note(const Result<BackedUp>& backup);
    void forget(PeerId peer, NodeState state, const std::string& why, bool closed = false);
    void close(PeerId peer, const Error& why);
    void supersede(PeerId peer);
    void node_away(const NodeId& node, const Sessions::Away& away);
    void lose_node(const NodeId& node, NodeState state, const std::string& reason);
    void check_away_nodes();
    void send_access_keys(PeerId peer);
    void send_access_keys();
    void tell_findings();
    void admit();
    void wake_adviser();
    Output take_output();

    OrchestratorContext context_;
    FailureDetector detector_;
    std::unique_ptr<StateMachines> machines_;
    std::vector<KeyChanged> fixed_keys_;
    std::map<NodeId, StatedNode> stated_nodes_;
    std::vector<StatedLink> stated_links_;
    std::vector<Pool> pools_;
    QueueRules rules_;
    std::vector<Finding> findings_;  ///< findings about the restored log, until start() logs them
};

}  // namespace divisi::control::inline dispatch
