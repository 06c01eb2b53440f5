// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "backend/control/change/blob_transfers.h"
#include "backend/control/change/checkpoints.h"
#include "backend/control/change/drains.h"
#include "backend/control/change/exceptions.h"
#include "backend/control/change/recut_adviser.h"
#include "backend/control/change/recuts.h"
#include "backend/control/change/versions.h"
#include "backend/control/core/orchestrator_context.h"
#include "backend/control/dispatch/alerts.h"
#include "backend/control/dispatch/span_watch.h"
#include "backend/control/dispatch/store_questions.h"
#include "backend/control/dispatch/watchers.h"
#include "backend/control/network/device_leases.h"
#include "backend/control/network/link_survey.h"
#include "backend/control/network/log_collector.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/network/mics.h"
#include "backend/control/network/process_faults.h"
#include "backend/control/network/services.h"
#include "backend/control/policy/modules.h"
#include "backend/control/policy/policies.h"
#include "backend/control/protocol/failure_detector.h"
#include "backend/control/queue/deliveries.h"
#include "backend/control/queue/models.h"
#include "backend/control/queue/reservations.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/leases.h"
#include "backend/control/runs/runs.h"
#include "backend/control/state/stated_nodes.h"

namespace divisi::control::inline dispatch {

/// Runs the service mesh orchestrator without I/O: step(input, now) -> output. It checks who may send which message and
/// passes each message to the state machine that handles it. Its durable state is the fold of its events. Everything
/// else (connections, deadlines, loads) is rebuilt at a restart, when running tasks are adopted and queued tasks
/// continue.
class Orchestrator {
public:
    explicit Orchestrator(OrchestratorLimits limits = {});
    Orchestrator(const Orchestrator&) = delete;  // its state machines refer to each other
    Orchestrator& operator=(const Orchestrator&) = delete;

    /// Folds an event of the log back into the state. Call before the first step().
    void replay(const Event& event) { context_.replay(event); }
    /// Sets the state folded from the log and the findings about what could not be read. Call before start().
    void restore(ClusterState state, std::vector<Finding> findings);
    /// Appends the first event and decides how earlier tasks continue. Call after the replay. `hold`: queued tasks from
    /// before the restart are held until released, since their submitters are gone.
    Output start(const std::string& name, const std::string& version, TimePoint now, bool hold = false);
    Output step(const Input& input, TimePoint now);

    const ClusterState& state() const { return context_.state(); }
    /// Returns the gateways and routers as they report themselves.
    const MeshDevices& mesh() const { return devices_; }
    const Mics& mics() const { return mics_; }
    /// Returns how many messages and role requests were denied since the start.
    std::uint64_t denied() const { return context_.denied(); }
    /// Returns the next time at which a Tick matters; none if nothing is pending.
    std::optional<TimePoint> next_deadline() const;
    /// Returns until when a placement waits for functional modules, when a Tick is due; none if no placement waits.
    std::optional<TimePoint> question_due() const;
    /// Returns the skeletons in memory by task. They are also stored durably, as blobs next to the log.
    const std::map<TaskId, std::string>& skeletons() const { return models_.all(); }
    /// Sets the keys of the cluster file, which are allowed whatever the log says. Call before start().
    void allow_always(std::vector<KeyChanged> keys) {
        devices_.allow_always(keys);
        fixed_keys_ = std::move(keys);
    }
    /// Sets what the cluster file states about nodes that will join.
    void describe_nodes(std::map<NodeId, StatedNode> nodes) { stated_nodes_ = std::move(nodes); }
    /// Sets what the cluster file states about links, used where nothing was measured. Call before start().
    void state_links(std::vector<StatedLink> links) { stated_links_ = std::move(links); }
    /// Lets operators inject faults into links, routers, nodes and instances. Call before start().
    void allow_faults() {
        devices_.allow_faults();
        process_faults_.allow();
    }
    /// Sets the seal that signs lease receipts. Call before start().
    void seal_receipts(ReceiptSeal seal) { leases_.seal(std::move(seal)); }
    /// Sets the pools and queue rules of the cluster file. Call before start().
    void state_queue(std::vector<Pool> pools, QueueRules rules) {
        pools_ = std::move(pools);
        rules_ = std::move(rules);
    }
    /// Sets the cluster file's policies for gateways and routers. Call before start().
    void state_policies(std::vector<PolicySetting> settings) { policies_.state(std::move(settings)); }
    /// Sets the alert rules of the cluster file. Call before start().
    void state_alerts(const task::AlertRules& rules) { alerts_.set_rules(rules); }
    /// Returns the latest machine figures that each node reported.
    const std::map<NodeId, MachineFigures>& machines() const { return context_.machines(); }
    /// Restores a task's skeleton from the store. Ignores bytes whose hash differs from that of the task's skeleton.
    /// Call after the replay.
    void restore_skeleton(const TaskId& task, std::string bytes) { models_.restore(task, std::move(bytes)); }

private:
    // Handlers of the inputs.
    void on(const PeerConnected& input);
    void on(const PeerGone& input);
    void on(const Received& input);
    void on(const Tick& input);
    void on(const JobDone& input);
    void on(const PeerEnded& input);
    void on(const Noticed& input) { context_.append(input.note); }
    void on(const DiskMeasured& input) { alerts_.own_disk(input.disk, input.free); }

    /// Returns why the sender may not send this message; none if it may.
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

    /// Lists the state machines, each once. Each machine has the functions below that it needs, and the machines are
    /// called in the order of this list:
    /// - adopt() after a restart;
    /// - follow(event) for each event, once the state includes it;
    /// - handle(received, message) for a message that the machine takes;
    /// - check_deadlines() at each tick, and next_deadline() in lived time.
    ///
    /// step() has the order in which machines poll.
    template <typename Self>
    static auto list_state_machines(Self& self) {
        return std::tie(self.services_, self.policies_, self.checkpoints_, self.models_, self.deliveries_, self.kept_,
                        self.queue_, self.devices_, self.mics_, self.leases_, self.runs_, self.exceptions_,
                        self.versions_, self.alerts_, self.survey_, self.modules_, self.drains_, self.adviser_,
                        self.transfers_, self.stores_, self.reservations_, self.recuts_, self.watchers_,
                        self.device_leases_, self.lines_, self.process_faults_, self.spans_);
    }
    auto state_machines() { return list_state_machines(*this); }
    auto state_machines() const { return list_state_machines(*this); }

    OrchestratorContext context_;
    FailureDetector detector_;
    Models models_{context_};
    Deliveries deliveries_{context_};
    KeptProcesses kept_{context_};
    TaskQueue queue_{context_, deliveries_, models_, kept_};
    MeshDevices devices_{context_};
    Policies policies_{context_, devices_, models_};
    Mics mics_{context_, devices_};
    Services services_{context_};
    DeviceLeases device_leases_{context_, devices_, services_};
    Leases leases_{context_};
    Runs runs_{context_, models_, devices_, leases_, kept_};
    Exceptions exceptions_{context_, models_, queue_, runs_.reports()};
    Versions versions_{context_, models_};
    Alerts alerts_{context_};
    LogCollector lines_{context_, devices_};
    LinkSurvey survey_{context_, devices_};
    BlobTransfers transfers_{context_, devices_};
    Checkpoints checkpoints_{context_, transfers_};
    Recuts recuts_{context_, models_, queue_, transfers_, checkpoints_, runs_.recovery(), runs_.fitness()};
    Drains drains_{context_, queue_, recuts_, runs_.data(), runs_.fitness()};
    RecutAdviser adviser_{context_, models_, recuts_};
    Reservations reservations_{context_, [this] { queue_.look_again(); }};
    Modules modules_{context_, devices_, policies_, queue_, services_, runs_.reports()};
    StoreQuestions stores_{context_};
    Watchers watchers_{context_, runs_.reports()};
    SpanWatch spans_{context_};
    ProcessFaults process_faults_{context_};
    std::vector<KeyChanged> fixed_keys_;
    std::map<NodeId, StatedNode> stated_nodes_;
    std::vector<StatedLink> stated_links_;
    std::vector<Pool> pools_;
    QueueRules rules_;
    std::vector<Finding> findings_;  ///< about the restored log, until start() logs them
};

}  // namespace divisi::control::inline dispatch
