// SPDX-License-Identifier: Apache-2.0
#include "backend/control/core/sessions.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/probe_messages.h"
#include "backend/control/types/span_types.h"

#include <random>

#include "backend/control/dispatch/orchestrator.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace sessions_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::hours, std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// Plans two stages and ten steps.
Result<PlanSummary> plan_of(const SubmitTask&) {
    PlanSummary plan;
    plan.name = "t";
    plan.stages = 2;
    plan.steps = 10;
    plan.threads = 3;
    plan.plan_hash = "hash";
    return plan;
}

const InstanceId first("t-1/stage-0/0#1"), second("t-1/stage-1/0#1");
const TaskId the_task("t-1");

/// Wraps a message: without the wrapper, Qt would look for a comparison of the message's variant type.
struct Said {
    Message message;
};

/// A cluster on tcp. Every node and instance has a key, and every process has a unique name.
struct Cluster {
    Orchestrator core;
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;
    std::map<std::string, PeerId> nodes;
    std::map<InstanceId, PeerId> instances;
    task::FaultAnswer answer = task::FaultAnswer::fail;

    Cluster() { (void)core.start("test", "1", now); }
    Output step(const Input& input, Duration after = milliseconds(1)) {
        now += after;
        const auto plan = [this](const SubmitTask& submission) -> Result<PlanSummary> {
            PlanSummary made = plan_of(submission).value();
            made.answer = answer;
            return made;
        };
        return test::plan_at_once(core, core.step(input, now), now, plan);
    }
    Output say(PeerId peer, Message message, std::uint64_t correlation = 1) {
        return step(Received{peer, correlation, std::move(message)});
    }
    Output pass(Duration time) {
        Output all;
        for (const TimePoint until = now + time; now < until;) {
            const Output output = step(Tick{}, heartbeat_interval);
            all.events.insert(all.events.end(), output.events.begin(), output.events.end());
        }
        return all;
    }
    /// Lets time pass while connected nodes and instances send heartbeats.
    void beat(Duration time) {
        for (const TimePoint until = now + time; now < until;) {
            (void)step(Tick{}, heartbeat_interval);
            for (const auto& [name, peer] : nodes) (void)step(Received{peer, 0, Heartbeat{}});
            for (const auto& [id, peer] : instances) (void)step(Received{peer, 0, Heartbeat{}});
        }
    }
    void close(PeerId peer) { (void)step(PeerGone{peer, "its connection ended", true}); }
    /// Opens a connection with the key of `name`, from the process `process`.
    PeerId connect(const std::string& name, Role role = Role::agent, const std::string& process = {}) {
        const PeerId peer(++last_peer);
        (void)step(PeerConnected{peer, {false, role, name, "key of " + name}});
        (void)say(peer, Hello{"test", "1", role, "", process});
        return peer;
    }
    static NodeInfo info(const std::string& name) {
        NodeInfo node;
        node.id = NodeId(name);
        node.host = name;
        node.blob_key = "key of " + name;
        return node;
    }
    Output join(const std::string& name, const std::vector<InstanceId>& running = {}, const std::string& process = {}) {
        nodes[name] = connect(name, Role::agent, process.empty() ? "process of " + name : process);
        return say(nodes[name], RegisterNode{info(name), running});
    }
    static RegisterInstance registration(const InstanceId& id, const std::string& node, InstanceState state) {
        return {id, sid_of(id), "tcp://" + id.value(), "key of " + node, "f", 1, state};
    }
    Output serve(const InstanceId& id, const std::string& node, InstanceState state = InstanceState::starting,
                 const std::string& process = {}) {
        instances[id] = connect(node, Role::agent, process.empty() ? "process of " + id.value() : process);
        return say(instances[id], registration(id, node, state));
    }
    /// Runs both stages, on a and b.
    void run(Duration before = {}) {
        (void)join("a");
        (void)join("b");
        beat(before);
        (void)say(connect("me", Role::operate), SubmitTask{"t", "/", "", {}, "me"});
        (void)serve(first, "a");
        (void)serve(second, "b");
        for (const InstanceId& id : {first, second}) (void)say(instances[id], InstancePrepared{id, "hash", 0}, 0);
        if (core.state().tasks.at(the_task).phase != TaskPhase::exchange) qFatal("the task does not run");
    }
    const TaskView& view() const { return core.state().tasks.at(the_task); }
    NodeState state_of(const std::string& node) const { return core.state().nodes.at(NodeId(node)).state; }
};

template <typename M>
std::optional<M> sent_to(const Output& output, PeerId peer) {
    for (const Send& sent : output.sends)
        if (const auto* message = get_if<M>(&sent.message); message && sent.peer == peer) return *message;
    return std::nullopt;
}

std::string noted(const Output& output) {
    std::string text;
    for (const Event& event : output.events)
        if (holds_alternative<Noted>(event.body)) text += describe(event.body) + "\n";
    return text;
}

StepRecord step_record(std::int64_t step) {
    StepRecord record;
    record.step = step;
    return record;
}

}  // namespace

/// Tests identities on the control plane: which names a peer may take, whose reports count, and which identity a
/// reconnecting peer gets.
class SessionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void key_registers_only_its_own_node();
    void connection_serves_only_one_node_or_instance();
    void instance_needs_the_key_of_its_node();
    void report_about_another_process_is_denied_data();
    void report_about_another_process_is_denied();
    void denied_reports_are_counted_in_the_log();
    void another_client_cannot_end_an_upload();
    void node_that_reconnects_in_time_continues();
    void node_that_stays_away_is_lost();
    void pause_of_the_orchestrator_loses_no_node();
    void node_whose_process_ended_is_not_waited_for();
    void node_that_closes_with_its_instances_is_soon_lost();
    void node_that_dies_after_new_instances_is_soon_lost_data();
    void node_that_dies_after_new_instances_is_soon_lost();
    void newly_connected_node_is_waited_for();
    void possibly_live_node_is_waited_for_data();
    void possibly_live_node_is_waited_for();
    void peers_that_gave_up_during_a_pause_are_waited_for();
    void return_is_reported_as_a_transient_fault();
    void reconnected_instance_continues_in_place();
    void second_process_cannot_take_over_an_instance();
    void missing_tensors_are_named();
    void instance_that_ended_while_its_node_was_away_is_noticed();
    void unknown_instance_is_stopped();
    void new_connection_of_a_process_replaces_the_old_one();
    void session_index_matches_linear_search();
};

void SessionsTest::key_registers_only_its_own_node() {
    Cluster cluster;
    const PeerId other = cluster.connect("mic-3/other");
    const Output output = cluster.say(other, RegisterNode{Cluster::info("mic-1/node-1")});
    const auto refused = sent_to<Refused>(output, other);
    QVERIFY(refused);
    QCOMPARE(refused->error.code, ErrorCode::denied);
    QVERIFY2(refused->error.message().find("keys add 'key of mic-3/other' --name mic-1/node-1") != std::string::npos,
             refused->error.message().c_str());
    QVERIFY2(noted(output).find("denied: register_node from mic-3/other (agent)") != std::string::npos,
             noted(output).c_str());
    QVERIFY(cluster.core.state().nodes.empty());
    // A node may register under its own name, but not with a blob key other than its own.
    NodeInfo own = Cluster::info("mic-3/other");
    own.blob_key = "key of mic-1/node-1";
    QVERIFY(sent_to<Refused>(cluster.say(other, RegisterNode{own}), other));
    QVERIFY(sent_to<Done>(cluster.say(other, RegisterNode{Cluster::info("mic-3/other")}), other));
    // The owner of the machine may register any name.
    const PeerId owner(77);
    (void)cluster.step(PeerConnected{owner, {true, {}, "uid:1", ""}});
    (void)cluster.say(owner, Hello{"test", "1", Role::agent});
    NodeInfo embedded;
    embedded.id = NodeId("mic-1/node-1");
    QVERIFY(sent_to<Done>(cluster.say(owner, RegisterNode{embedded}), owner));
}

void SessionsTest::connection_serves_only_one_node_or_instance() {
    Cluster cluster;
    const PeerId owner(77);
    (void)cluster.step(PeerConnected{owner, {true, {}, "uid:1", ""}});
    (void)cluster.say(owner, Hello{"test", "1", Role::agent});
    NodeInfo node;
    node.id = NodeId("a");
    QVERIFY(sent_to<Done>(cluster.say(owner, RegisterNode{node}), owner));
    QVERIFY(sent_to<Done>(cluster.say(owner, RegisterNode{node}), owner));  // a repeated registration
    node.id = NodeId("b");
    const auto refused = sent_to<Refused>(cluster.say(owner, RegisterNode{node}), owner);
    QVERIFY(refused);
    QVERIFY2(refused->error.what.find("already registered as node a") != std::string::npos,
             refused->error.what.c_str());
    QCOMPARE(cluster.core.state().nodes.size(), std::size_t{1});
    (void)cluster.step(PeerGone{owner});
    QCOMPARE(cluster.state_of("a"), NodeState::away);  // the connection still belongs to node a

    Cluster other;
    other.run();
    QVERIFY(sent_to<Refused>(other.say(other.nodes["a"], Cluster::registration(first, "a", InstanceState::starting)),
                             other.nodes["a"]));
    QVERIFY(
        sent_to<Refused>(other.say(other.instances[first], RegisterNode{Cluster::info("a")}), other.instances[first]));
}

void SessionsTest::instance_needs_the_key_of_its_node() {
    Cluster cluster;
    (void)cluster.join("a");
    (void)cluster.join("b");
    (void)cluster.join("c");
    (void)cluster.say(cluster.connect("me", Role::operate), SubmitTask{"t", "/", "", {}, "me"});
    const Output stolen = cluster.serve(first, "c");
    QCOMPARE(sent_to<Refused>(stolen, cluster.instances[first])->error.code, ErrorCode::denied);
    QVERIFY2(noted(stolen).find("denied: register_instance from c") != std::string::npos, noted(stolen).c_str());
    // An instance must not offer its peers a key that it has not proven.
    const PeerId peer = cluster.connect("a");
    const Output foreign = cluster.say(peer, Cluster::registration(first, "c", InstanceState::starting));
    QCOMPARE(sent_to<Refused>(foreign, peer)->error.code, ErrorCode::denied);
    QVERIFY(sent_to<Deploy>(cluster.serve(first, "a"), cluster.instances[first]));
}

void SessionsTest::report_about_another_process_is_denied_data() {
    QTest::addColumn<Said>("said");
    QTest::addColumn<QString>("sender");  // the name of a node, or the id of an instance
    const auto row = [](const char* name, Message message, const char* sender) {
        QTest::newRow(name) << Said{std::move(message)} << QString(sender);
    };
    row("a step of another instance", StepReport{the_task, second, step_record(999'999)}, "t-1/stage-0/0#1");
    row("a step by a node", StepReport{the_task, second, step_record(999'999)}, "b");
    row("a step of another task", StepReport{TaskId("t-2"), second, step_record(1)}, "t-1/stage-1/0#1");
    row("missed steps of another", MissedReports{the_task, second, {step_record(7)}, {}}, "t-1/stage-0/0#1");
    row("an evaluation of another", EvalReport{the_task, second, {1, 0.5f, {}, {}}}, "t-1/stage-0/0#1");
    row("another's failure", InstanceFailed{second, {ErrorCode::failed, "it lies", "", ""}}, "t-1/stage-0/0#1");
    row("a failure by another node", InstanceFailed{second, {ErrorCode::failed, "it lies", "", ""}}, "a");
    row("another's end", InstanceFinished{{the_task, second, 10, "h", "p", 1}}, "t-1/stage-0/0#1");
    row("an exit by another node", InstanceExited{second, 0, 9, ""}, "a");
    row("an exit by an instance", InstanceExited{second, 0, 9, ""}, "t-1/stage-0/0#1");
    row("another's load", LoadReport{{second}}, "t-1/stage-0/0#1");
    row("another's spans", SpanReport{{the_task, second}}, "t-1/stage-0/0#1");
    row("another node's report", NodeReport{NodeId("b"), 0, 0, {}}, "a");
    row("a node's report by an instance", NodeReport{NodeId("a"), 0, 0, {}}, "t-1/stage-0/0#1");
    row("prepared by another", InstancePrepared{second, "other hash", 0}, "t-1/stage-0/0#1");
    row("a probe by an instance", ProbeEnded{1, {}, {}}, "t-1/stage-0/0#1");
    row("a note as another", Note{{Severity::error, "instance t-1/stage-1/0#1", "t-1", "it lies"}}, "t-1/stage-0/0#1");
    row("a note as the orchestrator", Note{{Severity::error, "orchestrator", "", "it lies"}}, "a");
    row("a note on another task", Note{{Severity::error, "instance t-1/stage-0/0#1", "t-2", "it lies"}},
        "t-1/stage-0/0#1");
}

void SessionsTest::report_about_another_process_is_denied() {
    QFETCH(Said, said);
    QFETCH(QString, sender);
    Cluster cluster;
    cluster.run();
    const std::string name = sender.toStdString();
    const PeerId peer = cluster.nodes.contains(name) ? cluster.nodes[name] : cluster.instances.at(InstanceId(name));
    const Output output = cluster.say(peer, said.message, 5);
    QCOMPARE(sent_to<Refused>(output, peer)->error.code, ErrorCode::denied);
    QCOMPARE(output.events.size(), std::size_t{1});  // the output contains only the log line
    const std::string line = noted(output);
    QVERIFY2(line.find(std::string("denied: ") + kind_name(said.message)) != std::string::npos, line.c_str());
    QVERIFY(line.find("it lies") == std::string::npos);
    QCOMPARE(cluster.view().phase, TaskPhase::exchange);
    QCOMPARE(cluster.view().step, std::int64_t{0});
}

void SessionsTest::denied_reports_are_counted_in_the_log() {
    Cluster cluster;
    cluster.run();
    std::size_t lines = 0;
    for (int i = 0; i < 1000; ++i)
        lines += cluster.say(cluster.instances[first], StepReport{the_task, second, step_record(i)}, 0).events.size();
    QCOMPARE(lines, static_cast<std::size_t>(note_burst));
    const std::string counted = noted(cluster.pass(note_interval + seconds(1)));
    QVERIFY2(counted.find(std::to_string(1000 - note_burst) + " such lines") != std::string::npos, counted.c_str());
}

void SessionsTest::another_client_cannot_end_an_upload() {
    Cluster cluster;
    NodeInfo node = Cluster::info("a");
    node.blob_endpoint = "tcp://a";
    (void)cluster.say(cluster.connect("a"), RegisterNode{node});
    const PeerId mine = cluster.connect("me", Role::operate, "mine"), other = cluster.connect("other", Role::operate);
    const Output submitted = cluster.say(mine, SubmitTask{"t", "/", "", {{"data", "/d", "hash", 1, false}}, "me"});
    QVERIFY(sent_to<SubmitReply>(submitted, mine));
    QCOMPARE(cluster.view().queue, QueueState::files);
    const UploadsDone lie{the_task, Error{ErrorCode::failed, "it lies", "", ""}};
    const Output output = cluster.say(other, lie);
    QCOMPARE(sent_to<Refused>(output, other)->error.code, ErrorCode::denied);
    QVERIFY(!cluster.view().over());
    // The client that uploads may end the upload, also over a new connection.
    (void)cluster.step(PeerGone{mine});
    (void)cluster.pass(seconds(10));
    QVERIFY(!cluster.view().over());
    const PeerId again = cluster.connect("me", Role::operate, "mine");
    QVERIFY(sent_to<Done>(cluster.say(again, UploadsDone{the_task, {}}), again));
    QCOMPARE(cluster.view().queue, QueueState::nodes);
}

void SessionsTest::node_that_reconnects_in_time_continues() {
    Cluster cluster;
    cluster.run();
    const Output gone = cluster.step(PeerGone{cluster.nodes["b"], "it fell silent"});
    QCOMPARE(cluster.state_of("b"), NodeState::away);
    // Viewers see what the task waits for. No other task waits.
    QCOMPARE(cluster.view().phase, TaskPhase::exception);
    QCOMPARE(cluster.view().phase_detail, std::string("waits for node b (it fell silent)"));
    QVERIFY(gone.events.size() < 4);
    (void)cluster.pass(seconds(10));
    (void)cluster.say(cluster.instances[second], StepReport{the_task, second, step_record(1)}, 0);
    const Output back = cluster.join("b", {second});
    QCOMPARE(cluster.state_of("b"), NodeState::ready);
    QVERIFY(!sent_to<StopInstance>(back, cluster.nodes["b"]));
    QCOMPARE(cluster.view().phase_detail, std::string());
    (void)cluster.pass(hours(1));
    QVERIFY(!cluster.view().over());
    QCOMPARE(cluster.view().step, std::int64_t{1});
}

void SessionsTest::node_that_stays_away_is_lost() {
    Cluster cluster;
    cluster.run();
    (void)cluster.step(PeerGone{cluster.nodes["b"]});
    (void)cluster.pass(OrchestratorLimits{}.away + seconds(1));
    QCOMPARE(cluster.state_of("b"), NodeState::lost);
    QVERIFY(cluster.view().phase == TaskPhase::termination || cluster.view().over());
    // A node that returns too late counts as new, and the instances that still run there are ended.
    const Output back = cluster.join("b", {second});
    QCOMPARE(cluster.state_of("b"), NodeState::ready);
    QVERIFY(sent_to<StopInstance>(back, cluster.nodes["b"]));
}

void SessionsTest::pause_of_the_orchestrator_loses_no_node() {
    Cluster cluster;
    cluster.run();
    (void)cluster.pass(seconds(1));
    (void)cluster.step(PeerGone{cluster.nodes["b"]});
    (void)cluster.step(Tick{}, hours(2));  // the orchestrator was stopped and could hear no peer
    QCOMPARE(cluster.state_of("b"), NodeState::away);
    (void)cluster.join("b", {second});
    (void)cluster.pass(hours(1));
    QVERIFY(!cluster.view().over());
}

void SessionsTest::node_whose_process_ended_is_not_waited_for() {
    Cluster cluster;
    cluster.run();
    (void)cluster.step(PeerGone{cluster.nodes["b"]});
    (void)cluster.step(PeerEnded{cluster.nodes["b"]});
    QCOMPARE(cluster.state_of("b"), NodeState::lost);
    QVERIFY(cluster.view().phase == TaskPhase::termination);
    QVERIFY(cluster.core.state().nodes.at(NodeId("b")).reason.find("process ended") != std::string::npos);
}

/// The connections close as when the kernel ends killed processes.
void SessionsTest::node_that_closes_with_its_instances_is_soon_lost() {
    Cluster cluster;
    cluster.answer = task::FaultAnswer::recover;
    cluster.run();
    cluster.beat(seconds(5));
    const TimePoint before = cluster.now;
    cluster.close(cluster.nodes["b"]);
    cluster.close(cluster.instances[second]);
    QCOMPARE(cluster.state_of("b"), NodeState::away);
    while (cluster.state_of("b") == NodeState::away && cluster.now < before + seconds(10))
        cluster.beat(heartbeat_interval);
    QCOMPARE(cluster.state_of("b"), NodeState::lost);
    QVERIFY(cluster.now - before < milliseconds(2500));
    const std::string& reason = cluster.core.state().nodes.at(NodeId("b")).reason;
    QVERIFY2(reason.find("between regular heartbeats, as did the connection of its instance") != std::string::npos,
             reason.c_str());
    QCOMPARE(cluster.view().generation, Generation(2));
    QVERIFY(!cluster.view().ending);
    // If the verdict is wrong, steps are repeated: the instance that still runs there ends.
    const Output back = cluster.join("b", {second});
    QVERIFY(sent_to<StopInstance>(back, cluster.nodes["b"]));
    QCOMPARE(cluster.state_of("b"), NodeState::ready);
}

void SessionsTest::node_that_dies_after_new_instances_is_soon_lost_data() {
    QTest::addColumn<int>("beats");
    for (const int beats : {0, 1, 2, 4}) QTest::addRow("after %d heartbeats", beats) << beats;
}

/// The instances have sent too few heartbeats to prove anything. Their node on the same machine has sent enough.
void SessionsTest::node_that_dies_after_new_instances_is_soon_lost() {
    QFETCH(int, beats);
    Cluster cluster;
    cluster.answer = task::FaultAnswer::recover;
    cluster.run(seconds(5));
    cluster.beat(beats * heartbeat_interval);
    const TimePoint before = cluster.now;
    cluster.close(cluster.instances[second]);
    cluster.close(cluster.nodes["b"]);
    QCOMPARE(cluster.state_of("b"), NodeState::away);
    while (cluster.state_of("b") == NodeState::away && cluster.now < before + seconds(10))
        cluster.beat(heartbeat_interval);
    QCOMPARE(cluster.state_of("b"), NodeState::lost);
    QVERIFY(cluster.now - before < milliseconds(2600));
    QVERIFY(cluster.core.state().nodes.at(NodeId("b")).reason.find("just joined") != std::string::npos);
    QCOMPARE(cluster.view().generation, Generation(2));
}

/// A node that connects and disconnects may connect again.
void SessionsTest::newly_connected_node_is_waited_for() {
    Cluster cluster;
    cluster.answer = task::FaultAnswer::recover;
    cluster.run();
    cluster.beat(2 * heartbeat_interval);
    cluster.close(cluster.instances[second]);
    cluster.close(cluster.nodes["b"]);
    cluster.beat(seconds(10));
    QCOMPARE(cluster.state_of("b"), NodeState::away);
    QCOMPARE(cluster.view().generation, Generation(1));
}

void SessionsTest::possibly_live_node_is_waited_for_data() {
    QTest::addColumn<int>("answer");
    QTest::addColumn<bool>("node_closed");
    QTest::addColumn<bool>("instance_gone");
    QTest::addColumn<bool>("instance_closed");
    QTest::addColumn<int>("steps");
    const int recover = static_cast<int>(task::FaultAnswer::recover), fail = static_cast<int>(task::FaultAnswer::fail);
    const int wait = static_cast<int>(task::FaultAnswer::wait);
    QTest::newRow("it fell silent") << recover << false << true << true << 0;
    QTest::newRow("its instance is still connected") << recover << true << false << false << 0;
    QTest::newRow("its instance fell silent") << recover << true << true << false << 0;
    QTest::newRow("its task continues without it") << recover << true << true << true << 5;
    QTest::newRow("its task would end") << fail << true << true << true << 0;
    QTest::newRow("its task waits for it") << wait << true << true << true << 0;
}

void SessionsTest::possibly_live_node_is_waited_for() {
    QFETCH(int, answer);
    QFETCH(bool, node_closed);
    QFETCH(bool, instance_gone);
    QFETCH(bool, instance_closed);
    QFETCH(int, steps);
    Cluster cluster;
    cluster.answer = static_cast<task::FaultAnswer>(answer);
    cluster.run();
    cluster.beat(seconds(5));
    (void)cluster.step(PeerGone{cluster.nodes["b"], "gone", node_closed});
    if (instance_gone) (void)cluster.step(PeerGone{cluster.instances[second], "gone", instance_closed});
    for (int step = 1; step <= steps; ++step)
        (void)cluster.say(cluster.instances[first], StepReport{the_task, first, step_record(step)}, 0);
    QCOMPARE(cluster.view().step, std::int64_t{steps});
    cluster.beat(seconds(10));
    QCOMPARE(cluster.state_of("b"), NodeState::away);
    QCOMPARE(cluster.view().generation, Generation(1));
    QVERIFY(!cluster.view().ending);
}

/// The peers have not heard the orchestrator for long, so they disconnected and will connect again.
void SessionsTest::peers_that_gave_up_during_a_pause_are_waited_for() {
    Cluster cluster;
    cluster.answer = task::FaultAnswer::recover;
    cluster.run();
    cluster.beat(seconds(5));
    (void)cluster.step(Tick{}, seconds(9));
    cluster.close(cluster.nodes["b"]);
    cluster.close(cluster.instances[second]);
    cluster.beat(seconds(10));
    QCOMPARE(cluster.state_of("b"), NodeState::away);
    (void)cluster.join("b", {second});
    QCOMPARE(cluster.view().generation, Generation(1));
}

void SessionsTest::return_is_reported_as_a_transient_fault() {
    Cluster cluster;
    cluster.run();
    (void)cluster.step(PeerGone{cluster.nodes["b"], "it fell silent"});
    (void)cluster.pass(seconds(10));
    const std::string told = noted(cluster.join("b", {second}));
    QVERIFY2(told.find("node b is back after 1") != std::string::npos, told.c_str());
    QVERIFY2(told.find("the fault was transient (it fell silent), and waiting resolved it") != std::string::npos,
             told.c_str());
}

void SessionsTest::reconnected_instance_continues_in_place() {
    Cluster cluster;
    cluster.run();
    (void)cluster.say(cluster.instances[second], StepReport{the_task, second, step_record(3)}, 0);
    (void)cluster.say(cluster.instances[second], EvalReport{the_task, second, {3, 0.5f, {}, {}}}, 0);
    (void)cluster.step(PeerGone{cluster.instances[second]});
    QCOMPARE(cluster.view().phase_detail, std::string("waits for instance t-1/stage-1/0#1 (its connection ended)"));
    (void)cluster.pass(seconds(15));
    const Output back = cluster.serve(second, "b", InstanceState::running);
    const auto resume = sent_to<ResumeInstance>(back, cluster.instances[second]);
    QVERIFY(resume);
    QCOMPARE(resume->step, std::int64_t{3});
    QCOMPARE(resume->evaluation, std::int64_t{3});
    QVERIFY(!sent_to<Deploy>(back, cluster.instances[second]));
    // The instance may have missed the order to begin.
    QVERIFY(sent_to<Peers>(back, cluster.instances[second]) && sent_to<Begin>(back, cluster.instances[second]));
    QCOMPARE(cluster.view().phase_detail, std::string());
    MissedReports missed{the_task, second, {}, {}};
    for (std::int64_t step = 2; step <= 6; ++step) missed.steps.push_back(step_record(step));
    missed.evaluations = {{3, 0.5f, {}, {}}, {5, 0.4f, {}, {}}};
    const Output caught_up = cluster.say(cluster.instances[second], missed, 0);
    std::vector<std::string> kinds;
    for (const Event& event : caught_up.events) kinds.push_back(kind_name(event.body));
    // steps 4 and 5, evaluation after 5, step 6
    QCOMPARE(kinds, (std::vector<std::string>{"step_done", "step_done", "evaluated", "step_done"}));
    QCOMPARE(cluster.view().step, std::int64_t{6});
    (void)cluster.pass(hours(1));
    QVERIFY(!cluster.view().over());
}

void SessionsTest::second_process_cannot_take_over_an_instance() {
    Cluster cluster;
    cluster.run();
    for (const char* process : {"another", ""}) {
        const PeerId peer = cluster.connect("b", Role::agent, process);
        const Output output = cluster.say(peer, Cluster::registration(second, "b", InstanceState::running));
        QCOMPARE(sent_to<Refused>(output, peer)->error.code, ErrorCode::conflict);
    }
    (void)cluster.step(PeerGone{cluster.instances[second]});
    const PeerId peer = cluster.connect("b", Role::agent, "another");
    QVERIFY(sent_to<Refused>(cluster.say(peer, Cluster::registration(second, "b", InstanceState::starting)), peer));
    QVERIFY(sent_to<ResumeInstance>(cluster.serve(second, "b", InstanceState::running), cluster.instances[second]));
}

void SessionsTest::missing_tensors_are_named() {
    Cluster cluster;
    cluster.run();
    const auto wait = [&](const InstanceId& id, const InstanceId& other, Duration time, const char* operation = "") {
        InstanceLoad load{id};
        load.waits_for = {other};
        load.waits_ms = time / milliseconds(1);
        load.operation = operation;
        (void)cluster.say(cluster.instances[id], LoadReport{load}, 0);
    };
    const Duration quiet = OrchestratorLimits{}.quiet;
    wait(first, second, Duration(0), "forward 3 of step 7");
    wait(second, first, 2 * quiet);
    // the first instance is computing, so the second may wait for it
    QCOMPARE(cluster.view().phase_detail, std::string());
    wait(first, second, quiet);
    QCOMPARE(cluster.view().phase_detail,
             std::string("waits for instance t-1/stage-0/0#1 (no data from it reaches t-1/stage-1/0#1), "
                         "instance t-1/stage-1/0#1 (no data from it reaches t-1/stage-0/0#1)"));
    wait(second, first, Duration(0));
    wait(first, second, Duration(0));
    QCOMPARE(cluster.view().phase_detail, std::string());
}

void SessionsTest::instance_that_ended_while_its_node_was_away_is_noticed() {
    Cluster cluster;
    cluster.run();
    (void)cluster.step(PeerGone{cluster.nodes["b"]});
    (void)cluster.step(PeerGone{cluster.instances[second]});
    (void)cluster.pass(seconds(5));
    (void)cluster.join("b", {}, "a node agent that was started anew");
    QCOMPARE(cluster.view().phase, TaskPhase::termination);
    QVERIFY2(
        cluster.core.state().instances.at(second).detail.find("ended while its node was away") != std::string::npos,
        cluster.core.state().instances.at(second).detail.c_str());

    // An instance that had not registered yet is started again: the order to start may have been lost.
    Cluster young;
    (void)young.join("a");
    (void)young.join("b");
    (void)young.say(young.connect("me", Role::operate), SubmitTask{"t", "/", "", {}, "me"});
    (void)young.step(PeerGone{young.nodes["b"]});
    const auto start = sent_to<StartInstance>(young.join("b"), young.nodes["b"]);
    QVERIFY(start);
    QCOMPARE(start->instance, instance_of(sid_of(second), 2));  // incarnation 1 may have started and ended
    QCOMPARE(start->threads, 3);
}

void SessionsTest::unknown_instance_is_stopped() {
    Cluster cluster;
    const Output joined = cluster.join("a", {InstanceId("old-1/stage-0/0#1")});
    QCOMPARE(sent_to<StopInstance>(joined, cluster.nodes["a"])->instance, InstanceId("old-1/stage-0/0#1"));
}

void SessionsTest::new_connection_of_a_process_replaces_the_old_one() {
    Cluster cluster;
    cluster.run();
    const PeerId before = cluster.nodes["b"];
    const PeerId stranger = cluster.connect("a", Role::agent, "process of b");  // a matching process name is not enough
    QVERIFY(sent_to<Refused>(cluster.say(stranger, RegisterNode{Cluster::info("b")}), stranger));
    const PeerId after(++cluster.last_peer);
    (void)cluster.step(PeerConnected{after, {false, Role::agent, "b", "key of b"}});
    const Output hello = cluster.say(after, Hello{"test", "1", Role::agent, "", "process of b"});
    QCOMPARE(hello.closes, std::vector<PeerId>{before});
    QVERIFY(sent_to<Done>(cluster.say(after, RegisterNode{Cluster::info("b"), {second}}), after));
    QCOMPARE(cluster.state_of("b"), NodeState::ready);
    QVERIFY(!cluster.view().over());
}

void SessionsTest::session_index_matches_linear_search() {
    std::mt19937 random(3);
    Sessions sessions;
    const auto searched = [&](auto member, const auto& name) {
        std::optional<PeerId> found;
        for (const auto& [peer, session] : sessions)
            if (session.*member == name) found = peer;
        return found;
    };
    for (int i = 0; i < 5'000; ++i) {
        const PeerId peer(1 + random() % 12);
        const std::string number = std::to_string(random() % 6);
        const NodeId node(number);
        const InstanceId instance("t-1/stage-" + number + "/0#1");
        const auto action = random() % 4;
        if (action == 0) (void)sessions.close(peer);
        if (action == 1) sessions.open(peer, {true, Role::agent, "me", ""});  // also replaces an open connection
        NodeInfo info;
        info.id = node;
        if (action == 2 && sessions.contains(peer)) (void)sessions.bind_node(peer, info);
        if (action == 3 && sessions.contains(peer) && sessions.of(node))
            (void)sessions.bind_instance(peer, Cluster::registration(instance, "me", InstanceState::starting), node);
        for (int one = 0; one < 6; ++one) {
            const NodeId known(std::to_string(one));
            const InstanceId started("t-1/stage-" + known.value() + "/0#1");
            QCOMPARE(sessions.of(known), searched(&Session::node, known));
            QCOMPARE(sessions.of(started), searched(&Session::instance, started));
        }
    }
    QVERIFY(!sessions.of(NodeId()) && !sessions.of(InstanceId()));
}

DIVISI_TEST(SessionsTest)

}  // namespace sessions_test

#include "sessions_test.moc"
