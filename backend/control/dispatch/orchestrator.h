// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "backend/control/change/blob_transfers.h"
#include "backend/control/change/checkpoints.h"
#include "backend/control/change/drains.h"
#include "backend/control/change/exceptions.h"
#include "backend/control/change/recut_adviser.h"
#include "backend/control/change/recuts.h"
#include "backend/control/change/versions.h"
#include "backend/control/core/desk.h"
#include "backend/control/dispatch/alerts.h"
#include "backend/control/dispatch/span_watch.h"
#include "backend/control/dispatch/store_questions.h"
#include "backend/control/dispatch/watchers.h"
#include "backend/control/network/device_leases.h"
#include "backend/control/network/line_desk.h"
#include "backend/control/network/link_survey.h"
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

/// The service mesh orchestrator without I/O: step(input, now) -> output. It says who may say what, and passes each
/// message to the state machine that takes it. Its durable state is the fold of its events; the rest (connections,
/// deadlines, loads) is made anew at a restart, when running tasks are adopted and queued ones go on.
class Orchestrator {
public:
    explicit Orchestrator(OrchestratorLimits limits = {});
    Orchestrator(const Orchestrator&) = delete;  // its state machines know each other
    Orchestrator& operator=(const Orchestrator&) = delete;

    /// Folds an event of the log back in, before the first step().
    void replay(const Event& event) { desk_.replay(event); }
    /// The state as the log gives it, and what of it could not be read. Before start().
    void restore(ClusterState state, std::vector<Finding> findings);
    /// After the replay: the first event, and what becomes of the tasks of before.
    /// `hold`: queued tasks of before wait until they are released, since whoever queued them is gone.
    Output start(const std::string& name, const std::string& version, TimePoint now, bool hold = false);
    Output step(const Input& input, TimePoint now);

    const ClusterState& state() const { return desk_.state(); }
    /// Gateways and routers, as they report themselves.
    const MeshDevices& mesh() const { return devices_; }
    const Mics& mics() const { return mics_; }
    /// Messages and roles that were not their sender's to ask for, since it began.
    std::uint64_t denied() const { return desk_.denied(); }
    /// The next moment at which a Tick matters; none while nothing waits.
    std::optional<TimePoint> next_deadline() const;
    /// Until when a placement waits for functional modules, if it does: a Tick is due then.
    std::optional<TimePoint> question_due() const;
    /// The skeletons in memory, by task: durable as blobs beside the log.
    const std::map<TaskId, std::string>& skeletons() const { return models_.all(); }
    /// Keys that are allowed whatever the log says: those of the cluster file. Before start().
    void allow_always(std::vector<KeyChanged> keys) {
        devices_.allow_always(keys);
        fixed_keys_ = std::move(keys);
    }
    /// What the cluster file says of nodes that will join.
    void describe_nodes(std::map<NodeId, StatedNode> nodes) { stated_nodes_ = std::move(nodes); }
    /// What the cluster file says of links; it holds where nothing was measured. Before start().
    void state_links(std::vector<StatedLink> links) { stated_links_ = std::move(links); }
    /// Operators may make faults of links, routers, nodes and instances. Before start().
    void allow_faults() {
        devices_.allow_faults();
        process_faults_.allow();
    }
    /// What signs the receipts of leases. Before start().
    void seal_receipts(ReceiptSeal seal) { leases_.seal(std::move(seal)); }
    /// What the cluster file says of pools and of the queue. Before start().
    void state_queue(std::vector<Pool> pools, QueueRules rules) {
        pools_ = std::move(pools);
        rules_ = std::move(rules);
    }
    /// What the cluster file sets at gateways and routers. Before start().
    void state_policies(std::vector<PolicySetting> settings) { policies_.state(std::move(settings)); }
    /// What the cluster file says of alerts. Before start().
    void state_alerts(const task::AlertRules& rules) { alerts_.set_rules(rules); }
    /// What nodes say of their machines, the last of each.
    const std::map<NodeId, MachineFigures>& machines() const { return desk_.machines(); }
    /// What the store has of a task's model; nothing is kept that is not what the task came with. After the replay.
    void restore_skeleton(const TaskId& task, std::string bytes) { models_.restore(task, std::move(bytes)); }

private:
    // Inputs.
    void on(const PeerConnected& input);
    void on(const PeerGone& input);
    void on(const Received& input);
    void on(const Tick& input);
    void on(const JobDone& input);
    void on(const PeerEnded& input);
    void on(const Noticed& input) { desk_.append(input.note); }
    void on(const DiskMeasured& input) { alerts_.own_disk(input.disk, input.free); }

    /// Why the sender may not say that, if so.
    std::optional<Error> not_allowed(const Received& received, const Session& peer) const;
    /// Gives the message to whoever takes it.
    template <typename M>
    void pass(const Received& received, const M& message);
    void follow(const Event& event);

    // Messages about connections and keys (orchestrator_connections.cpp).
    void handle(const Received& received, const Hello& message);
    void handle(const Received& received, const Goodbye& message);
    void handle(const Received& received, const RegisterNode& message);
    void handle(const Received& received, const NodeReport& message);
    void handle(const Received& received, const ChangeKey& message);
    // Messages that are answered from the state, or beside the loop.
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

    Desk desk_;
    FailureDetector detector_;
    Models models_{desk_};
    Deliveries deliveries_{desk_};
    KeptProcesses kept_{desk_};
    TaskQueue queue_{desk_, deliveries_, models_, kept_};
    MeshDevices devices_{desk_};
    Policies policies_{desk_, devices_, models_};
    Mics mics_{desk_, devices_};
    Services services_{desk_};
    DeviceLeases device_leases_{desk_, devices_, services_};
    Leases leases_{desk_};
    Runs runs_{desk_, models_, devices_, leases_, kept_};
    Exceptions exceptions_{desk_, models_, queue_, runs_};
    Versions versions_{desk_, models_};
    Alerts alerts_{desk_};
    LineDesk lines_{desk_, devices_};
    LinkSurvey survey_{desk_, devices_};
    BlobTransfers transfers_{desk_, devices_};
    Checkpoints checkpoints_{desk_, transfers_};
    Recuts recuts_{desk_, models_, queue_, transfers_, checkpoints_, runs_};
    Drains drains_{desk_, queue_, recuts_, runs_};
    RecutAdviser adviser_{desk_, models_, recuts_};
    Reservations reservations_{desk_};
    Modules modules_{desk_, devices_, policies_, queue_, services_, runs_};
    StoreQuestions stores_{desk_};
    Watchers watchers_{desk_, runs_};
    SpanWatch spans_{desk_};
    ProcessFaults process_faults_{desk_};
    std::vector<KeyChanged> fixed_keys_;
    std::map<NodeId, StatedNode> stated_nodes_;
    std::vector<StatedLink> stated_links_;
    std::vector<Pool> pools_;
    QueueRules rules_;
    std::vector<Finding> findings_;  ///< of the restored log, until start() tells them
};

}  // namespace divisi::control::inline dispatch
