// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/protocol/all_messages.h"

#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace orchestrator_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// A task text here is "name stages", or "name stages N" with N as the number of steps between checkpoints. The plan is
/// derived from the text.
Result<PlanSummary> plan_of(const SubmitTask& submission) {
    PlanSummary plan;
    std::istringstream words(submission.text);
    words >> plan.name >> plan.stages;
    if (plan.name == "unplannable")
        return Error{ErrorCode::invalid_input, "it cannot be planned", submission.text, "submit another"};
    plan.steps = 10;
    if (words >> plan.checkpoint.count) plan.checkpoint.every = task::CheckpointRule::Every::steps;
    plan.plan_hash = "hash";
    plan.units = {{{Sid("task/load/0"), "load", {}, {}}, 0},
                  {{Sid("task/stage-0-forward/0"), "forward", {}, {Sid("task/load/0")}}, 0}};
    return plan;
}

/// A fixture with an orchestrator, nodes and clients.
struct Cluster {
    Orchestrator core;
    int plans = 0;
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;

    explicit Cluster(OrchestratorLimits limits = {}) : core(limits) { (void)core.start("test", "1", now); }
    /// Steps the orchestrator and runs all planning jobs immediately.
    Output step(const Input& input, Duration after = milliseconds(1)) {
        now += after;
        return test::plan_at_once(core, core.step(input, now), now, [this](const SubmitTask& submission) {
            ++plans;
            return plan_of(submission);
        });
    }
    Output say(PeerId peer, Message message, std::uint64_t correlation = 1) {
        return step(Received{peer, correlation, std::move(message)});
    }
    /// Lets time pass as in a running loop, which polls at every heartbeat.
    Output pass(Duration time) {
        Output all;
        for (const TimePoint until = now + time; now < until;) {
            const Output output = step(Tick{}, std::min<Duration>(heartbeat_interval, until - now));
            all.events.insert(all.events.end(), output.events.begin(), output.events.end());
            all.sends.insert(all.sends.end(), output.sends.begin(), output.sends.end());
        }
        return all;
    }
    PeerId connect(Role role, const std::string& key = {}, const std::string& name = "someone") {
        const PeerId peer(++last_peer);
        (void)step(PeerConnected{peer, {key.empty(), role, name, key}});
        (void)say(peer, Hello{"test", "1", role});
        return peer;
    }
    PeerId node(const std::string& name) {
        const PeerId peer = connect(Role::agent);
        (void)say(peer, RegisterNode{{NodeId(name), MicId("m"), "host", "f", {}, "", "", 1}});
        return peer;
    }
    TaskId submit(PeerId peer, const std::string& text, const std::string& skeleton = {}) {
        for (const Send& sent : say(peer, SubmitTask{text, "/", skeleton, {}, "me"}).sends)
            if (const auto* reply = get_if<SubmitReply>(&sent.message)) return reply->task;
        qFatal("the task was refused");
    }
    /// Registers the instance on a separate connection.
    PeerId serve(const InstanceId& instance) {
        const PeerId peer = connect(Role::agent);
        (void)say(peer, RegisterInstance{instance, sid_of(instance), "ipc://d", "", "f", 1});
        return peer;
    }
    const TaskView& task(const TaskId& id) const { return core.state().tasks.at(id); }
};

template <typename M>
std::optional<M> sent_to(const Output& output, PeerId peer) {
    for (const Send& sent : output.sends)
        if (const auto* message = get_if<M>(&sent.message); message && sent.peer == peer) return *message;
    return std::nullopt;
}

std::size_t notes(const Output& output) {
    return static_cast<std::size_t>(std::count_if(output.events.begin(), output.events.end(), [](const Event& event) {
        return holds_alternative<Noted>(event.body);
    }));
}

template <std::size_t... Kinds>
std::vector<Message> one_of_each(std::index_sequence<Kinds...>) {
    return {Message(typename AnyMessage::template Type<Kinds>())...};
}

}  // namespace

/// Tests how the orchestrator handles connections, keys, the queue and stored data.
class OrchestratorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unsupported_version_is_refused_at_the_first_message();
    void revoked_key_loses_its_connections_at_once();
    void new_role_of_a_key_closes_its_connections();
    void node_that_says_goodbye_has_left();
    void node_explains_the_death_of_its_instance();
    void unexplained_death_of_an_instance_fails_its_task();
    void log_is_searched_in_a_background_job();
    void backup_is_made_in_a_background_job_and_logged();
    void submission_is_planned_in_a_background_job();
    void tasks_being_planned_count_towards_the_queue_limit();
    void queued_task_is_planned_once();
    void queued_task_is_planned_on_its_turn_after_a_restart();
    void waiting_task_starts_when_a_node_is_free_or_new();
    void forgotten_task_leaves_no_skeleton();
    void repeated_denials_do_not_fill_the_log();
    void viewer_may_command_nothing();
    void shutdown_says_goodbye();
    void instance_stuck_in_an_operation_is_suspect();
    void viewer_may_request_a_plan();
    void every_bad_field_of_a_request_is_named();
    void requested_plans_are_bounded();
    void plan_for_a_client_that_left_is_dropped();
    void checkpoint_is_ordered_taken_and_finally_dropped();
    void module_orders_a_checkpoint_and_reads_a_store();
    void machine_reports_go_to_viewers_and_not_to_the_log();
    void implausible_machine_report_is_not_forwarded_data();
    void implausible_machine_report_is_not_forwarded();
};

void OrchestratorTest::machine_reports_go_to_viewers_and_not_to_the_log() {
    Cluster cluster;
    const PeerId node = cluster.node("m/n"), other = cluster.node("m/o");
    const PeerId client = cluster.connect(Role::viewer);
    (void)cluster.say(client, Subscribe{});
    NodeReport report{NodeId("m/n")};
    report.machine.cpu_share = 0.25;
    report.machine.temperature_c = 61.5;
    QVERIFY(cluster.say(node, report, 0).events.empty());
    report.machine.cpu_share = 0.5;
    (void)cluster.say(node, report, 0);
    (void)cluster.say(other, report, 0);  // reports about another node are ignored
    QVERIFY(!cluster.core.machines().contains(NodeId("m/o")));
    const Output output = cluster.step(Tick{});
    const auto push = sent_to<LoadPush>(output, client);
    QVERIFY(push && !sent_to<LoadPush>(output, node));
    QCOMPARE(push->nodes.size(), std::size_t{1});
    QCOMPARE(push->nodes[0].node, NodeId("m/n"));
    QCOMPARE(push->nodes[0].machine.cpu_share, 0.5);
    QCOMPARE(push->nodes[0].machine.temperature_c, std::optional(61.5));
    QVERIFY(!push->nodes[0].machine.power_w);
    QCOMPARE(sent_to<Snapshot>(cluster.say(client, Subscribe{}), client)->nodes.size(), std::size_t{1});
    (void)cluster.say(node, Goodbye{"it was told to end"}, 0);
    QVERIFY(sent_to<Snapshot>(cluster.say(client, Subscribe{}), client)->nodes.empty());
}

void OrchestratorTest::implausible_machine_report_is_not_forwarded_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<int>("figure");
    const char* figures[] = {"share", "rate", "temperature", "power", "memory"};
    const auto row = [&](double value, int figure) {
        QTest::addRow("%s %g", figures[figure], value) << value << figure;
    };
    for (const int figure : {0, 1, 2, 3})
        for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, -300.0}) row(value, figure);
    row(1.5, 0);
    row(-1, 4);
}

void OrchestratorTest::implausible_machine_report_is_not_forwarded() {
    QFETCH(const double, value);
    QFETCH(const int, figure);
    Cluster cluster;
    const PeerId node = cluster.node("m/n");
    const PeerId client = cluster.connect(Role::viewer);
    (void)cluster.say(client, Subscribe{});
    NodeReport report{NodeId("m/n")};
    report.machine.memory = 7;
    (void)cluster.say(node, report, 0);
    (void)cluster.step(Tick{});
    const MachineFigures before = cluster.core.machines().at(NodeId("m/n"));
    QCOMPARE(before.memory, Bytes{7});
    MachineFigures& machine = report.machine;
    if (figure == 0) machine.cpu_share = value;
    if (figure == 1) machine.sent_bytes_per_s = value;
    if (figure == 2) machine.temperature_c = value;
    if (figure == 3) machine.power_w = value;
    if (figure == 4) machine.memory = static_cast<Bytes>(value);
    (void)cluster.say(node, report, 0);
    QVERIFY(!sent_to<LoadPush>(cluster.pass(2 * node_push_interval), client));
    QVERIFY(cluster.core.machines().at(NodeId("m/n")) == before);  // the previous report stays
    QCOMPARE(cluster.core.state().nodes.at(NodeId("m/n")).state, NodeState::ready);
    report.machine = before;
    (void)cluster.say(node, report, 0);
    QVERIFY(sent_to<LoadPush>(cluster.pass(node_push_interval), client));
}
void OrchestratorTest::unsupported_version_is_refused_at_the_first_message() {
    Cluster cluster;
    for (const std::uint32_t protocol : {std::uint32_t(0), protocol_version + 1}) {
        const PeerId peer(++cluster.last_peer);
        (void)cluster.step(PeerConnected{peer, {true, {}, "uid:1", ""}});
        const Output output = cluster.say(peer, Hello{"divisi-node", "0.7", Role::agent, "", "", protocol});
        const auto refused = sent_to<Refused>(output, peer);
        QVERIFY(refused && !sent_to<Welcome>(output, peer));
        QCOMPARE(refused->error.code, ErrorCode::unsupported);
        QVERIFY(refused->error.message().find("version 0.7") != std::string::npos);
        // Without a valid hello, every other message is refused.
        QCOMPARE(sent_to<Refused>(cluster.say(peer, Subscribe{}), peer)->error.code, ErrorCode::denied);
    }
    // A viewer of a third party may omit the protocol version. A peer that omits it in any other role, or names a wrong
    // version, is refused.
    const auto welcomed = [&](Role role, std::uint32_t protocol) {
        const PeerId peer(++cluster.last_peer);
        (void)cluster.step(PeerConnected{peer, {true, {}, "uid:1", ""}});
        return sent_to<Welcome>(cluster.say(peer, Hello{"stranger", "", role, "", "", protocol}), peer).has_value();
    };
    QVERIFY(welcomed(Role::viewer, 0));
    QVERIFY(!welcomed(Role::viewer, protocol_version + 1));
    QVERIFY(!welcomed(Role::operate, 0));
}

void OrchestratorTest::revoked_key_loses_its_connections_at_once() {
    Cluster cluster;
    const PeerId admin = cluster.connect(Role::admin);
    (void)cluster.say(admin, ChangeKey{{"node-key", "mic-1/node-1", Role::agent, false}});
    (void)cluster.say(admin, ChangeKey{{"other-key", "someone else", Role::viewer, false}});
    const PeerId node = cluster.connect(Role::agent, "node-key", "m/n");
    const PeerId other = cluster.connect(Role::viewer, "other-key");
    (void)cluster.say(node, RegisterNode{{NodeId("m/n"), MicId("m"), "host", "f", {}, "", "", 1}});

    const Output output = cluster.say(admin, ChangeKey{{"node-key", "mic-1/node-1", Role::agent, true}});
    QVERIFY(sent_to<Done>(output, admin));
    QCOMPARE(output.closes, std::vector<PeerId>{node});
    QVERIFY(sent_to<Refused>(output, node)->error.what.find("revoked") != std::string::npos);
    QVERIFY(!sent_to<Refused>(output, other));
    QCOMPARE(cluster.core.state().nodes.at(NodeId("m/n")).state, NodeState::lost);
    // Messages that still arrive on the connection are ignored.
    QVERIFY(cluster.say(node, NodeReport{NodeId("m/n")}).sends.empty());
}

void OrchestratorTest::new_role_of_a_key_closes_its_connections() {
    Cluster cluster;
    const PeerId admin = cluster.connect(Role::admin);
    (void)cluster.say(admin, ChangeKey{{"key", "x", Role::operate, false}});
    const PeerId peer = cluster.connect(Role::operate, "key");
    QVERIFY(cluster.say(admin, ChangeKey{{"key", "new name", Role::operate, false}}).closes.empty());
    QCOMPARE(cluster.say(admin, ChangeKey{{"key", "x", Role::viewer, false}}).closes, std::vector<PeerId>{peer});
}

void OrchestratorTest::node_that_says_goodbye_has_left() {
    Cluster cluster;
    const PeerId ends = cluster.node("m/ends"), dies = cluster.node("m/dies");
    QCOMPARE(cluster.say(ends, Goodbye{"it was told to end"}, 0).closes, std::vector<PeerId>{ends});
    (void)cluster.step(PeerGone{dies});
    const auto& nodes = cluster.core.state().nodes;
    QCOMPARE(nodes.at(NodeId("m/ends")).state, NodeState::left);
    QCOMPARE(nodes.at(NodeId("m/ends")).reason, std::string("it was told to end"));
    QCOMPARE(nodes.at(NodeId("m/dies")).state, NodeState::away);
    (void)cluster.pass(OrchestratorLimits{}.away - milliseconds(10));
    QCOMPARE(nodes.at(NodeId("m/dies")).state, NodeState::away);
    (void)cluster.pass(milliseconds(20));
    QCOMPARE(nodes.at(NodeId("m/dies")).state, NodeState::lost);
    QVERIFY(nodes.at(NodeId("m/dies")).reason.find("not back within 20 s") != std::string::npos);
}

void OrchestratorTest::node_explains_the_death_of_its_instance() {
    Cluster cluster;
    const PeerId node = cluster.node("m/n");
    const TaskId task = cluster.submit(cluster.connect(Role::operate), "t 1");
    const InstanceId instance("t-1/stage-0/0#1");
    (void)cluster.step(PeerGone{cluster.serve(instance)});
    (void)cluster.step(Tick{});
    QCOMPARE(cluster.task(task).phase, TaskPhase::registration);  // the node has not reported yet
    (void)cluster.say(node, InstanceExited{instance, 0, 9, ""}, 0);
    QVERIFY(cluster.task(task).over());
    QVERIFY(cluster.task(task).error->message().find("signal 9") != std::string::npos);
}

void OrchestratorTest::unexplained_death_of_an_instance_fails_its_task() {
    Cluster cluster;
    (void)cluster.node("m/n");
    const TaskId task = cluster.submit(cluster.connect(Role::operate), "t 1");
    (void)cluster.step(PeerGone{cluster.serve(InstanceId("t-1/stage-0/0#1"))});
    const Duration grace = OrchestratorLimits{}.away;
    QCOMPARE(cluster.core.next_deadline(), std::optional(cluster.now + grace));
    (void)cluster.pass(grace - milliseconds(1));
    QCOMPARE(cluster.task(task).phase, TaskPhase::registration);
    (void)cluster.pass(milliseconds(1));
    QCOMPARE(cluster.task(task).phase, TaskPhase::termination);
    const InstanceView& view = cluster.core.state().instances.at(InstanceId("t-1/stage-0/0#1"));
    QVERIFY(view.detail.find("connection ended") != std::string::npos);
}

void OrchestratorTest::log_is_searched_in_a_background_job() {
    Cluster cluster;
    const PeerId viewer = cluster.connect(Role::viewer);
    const auto ask = [&] {
        const Output asked = cluster.say(viewer, QueryLog{"t-1", "lost", 7, 10}, 5);
        if (!asked.sends.empty() || asked.jobs.size() != 1) qFatal("no background job");
        return asked.jobs[0];
    };
    const Job job = ask();
    QCOMPARE(get<QueryLog>(job.what).contains, std::string("lost"));
    const Output answered = cluster.step(JobDone{job.id, LogPage{{}, true}});
    QVERIFY(sent_to<LogPage>(answered, viewer)->more);
    QCOMPARE(answered.sends[0].correlation, std::uint64_t(5));
    QVERIFY(cluster.step(JobDone{job.id, LogPage{}}).sends.empty());  // a job is answered once

    const Error broken{ErrorCode::corrupt, "the database disk image is malformed", "events.sqlite", "restore it"};
    const Output failed = cluster.step(JobDone{ask().id, Result<LogPage>(broken)});
    QVERIFY(!sent_to<LogPage>(failed, viewer));
    QCOMPARE(sent_to<Refused>(failed, viewer)->error.message(), broken.message());

    const std::size_t most = OrchestratorLimits{}.log_queries.of_peer;
    for (std::size_t i = 0; i < most; ++i) (void)ask();
    QCOMPARE(sent_to<Refused>(cluster.say(viewer, QueryLog{}), viewer)->error.code, ErrorCode::exhausted);
    const PeerId other = cluster.connect(Role::viewer);
    QCOMPARE(cluster.say(other, QueryLog{}).jobs.size(), std::size_t(1));
}

void OrchestratorTest::backup_is_made_in_a_background_job_and_logged() {
    Cluster cluster;
    const BackUp wanted{"/var/backups/monday"};
    const PeerId operates = cluster.connect(Role::operate), one = cluster.connect(Role::admin);
    QCOMPARE(sent_to<Refused>(cluster.say(operates, wanted), operates)->error.code, ErrorCode::denied);
    const Output asked = cluster.say(one, wanted, 5);
    QVERIFY(asked.sends.empty());
    QCOMPARE(get<BackUp>(asked.jobs.at(0).what).folder, wanted.folder);
    QCOMPARE(sent_to<Refused>(cluster.say(one, wanted), one)->error.code, ErrorCode::exhausted);
    const Output answered = cluster.step(JobDone{asked.jobs[0].id, BackedUp{wanted.folder, 512, 3, 1 << 20, 0.5}});
    QCOMPARE(sent_to<BackedUp>(answered, one)->sequence, std::uint64_t{512});
    const auto& told = get<Noted>(answered.events.at(0).body);
    QVERIFY2(told.text.find(wanted.folder + ": the log up to event 512") != std::string::npos, told.text.c_str());

    // The client that asked may be gone when the job ends.
    const Output again = cluster.say(one, wanted);
    (void)cluster.step(PeerGone{one});
    const Error full{ErrorCode::exhausted, "the disk is full", wanted.folder, "free some space"};
    const Output failed = cluster.step(JobDone{again.jobs.at(0).id, Result<BackedUp>(full)});
    QVERIFY(failed.sends.empty());
    QVERIFY(get<Noted>(failed.events.at(0).body).text.find("the disk is full") != std::string::npos);
    const PeerId two = cluster.connect(Role::admin);
    const BackUp long_path{"/" + std::string(longest_path, 'x')};
    QCOMPARE(sent_to<Refused>(cluster.say(two, long_path), two)->error.code, ErrorCode::invalid_input);
}

void OrchestratorTest::submission_is_planned_in_a_background_job() {
    Cluster cluster;
    (void)cluster.node("m/n");
    const PeerId client = cluster.connect(Role::operate), gone = cluster.connect(Role::operate);
    const auto submit = [&](PeerId peer, const std::string& text) {
        const Output asked =
            cluster.core.step(Received{peer, 3, SubmitTask{text, "/", "", {}, "me"}}, cluster.now += milliseconds(1));
        if (!asked.events.empty() || !asked.sends.empty() || asked.jobs.size() != 1) qFatal("no background job");
        return asked.jobs[0];
    };
    const auto planned = [&](const Job& job) {
        return cluster.step(JobDone{job.id, plan_of(*get<Planning>(job.what).submission)});
    };
    const Job first = submit(client, "first 1"), second = submit(client, "unplannable 1"), third = submit(gone, "x 1");
    QVERIFY(cluster.core.state().tasks.empty());
    const Output queued = planned(first);
    QCOMPARE(sent_to<SubmitReply>(queued, client)->task, TaskId("first-1"));
    const auto& units = cluster.task(TaskId("first-1")).units;
    QCOMPARE(units.at(1).sid, Sid("first-1/stage-0-forward/0"));
    QCOMPARE(units.at(1).depends_on, std::vector<Sid>{Sid("first-1/load/0")});
    QCOMPARE(sent_to<Refused>(planned(second), client)->error.what, std::string("it cannot be planned"));
    // The client left before its task was accepted, so the task is not submitted.
    (void)cluster.step(PeerGone{gone});
    QVERIFY(planned(third).sends.empty());
    QCOMPARE(cluster.core.state().tasks.size(), std::size_t(1));
}

void OrchestratorTest::tasks_being_planned_count_towards_the_queue_limit() {
    OrchestratorLimits limits;
    limits.queued_tasks = 2;
    Cluster cluster(limits);
    const PeerId client = cluster.connect(Role::operate);
    const auto submit = [&] {
        return cluster.core.step(Received{client, 1, SubmitTask{"t 1", "/", "", {}, "me"}}, cluster.now);
    };
    const Output first = submit();
    (void)submit();
    QCOMPARE(sent_to<Refused>(submit(), client)->error.code, ErrorCode::exhausted);
    const Error no{ErrorCode::invalid_input, "no", "", ""};
    (void)cluster.step(JobDone{first.jobs.at(0).id, Result<PlanSummary>(no)});
    QVERIFY(!sent_to<Refused>(submit(), client));
}

/// A queued task is planned once, however often the queue is checked.
void OrchestratorTest::queued_task_is_planned_once() {
    Cluster cluster;
    const PeerId node = cluster.node("m/n");
    const PeerId client = cluster.connect(Role::operate);
    const TaskId running = cluster.submit(client, "first 1");
    for (int i = 0; i < 20; ++i) (void)cluster.submit(client, "waiting" + std::to_string(i) + " 1");
    const PeerId instance = cluster.serve(InstanceId("first-1/stage-0/0#1"));
    for (int step = 1; step <= 100; ++step) {
        (void)cluster.say(instance, StepReport{running, InstanceId("first-1/stage-0/0#1"), {step, 1, 1, 1, 1}}, 0);
        (void)cluster.say(node, NodeReport{NodeId("m/n")}, 0);
        (void)cluster.say(client, Heartbeat{}, 0);
        (void)cluster.step(Tick{});
    }
    (void)cluster.say(node, InstanceExited{InstanceId("first-1/stage-0/0#1"), 1, 0, ""}, 0);
    for (int i = 0; i < 19; ++i) {
        const TaskId task("waiting" + std::to_string(i) + "-1");
        QCOMPARE(cluster.task(task).phase, TaskPhase::registration);
        (void)cluster.say(node, InstanceExited{InstanceId(task.value() + "/stage-0/0#1"), 1, 0, ""}, 0);
    }
    QCOMPARE(cluster.plans, 21);
}

void OrchestratorTest::queued_task_is_planned_on_its_turn_after_a_restart() {
    std::vector<Event> log;
    const auto keep = [&](const Output& output) { log.insert(log.end(), output.events.begin(), output.events.end()); };
    {
        Cluster before;
        const PeerId client = before.connect(Role::operate);
        (void)before.node("m/n");
        for (const char* text : {"first 1", "second 1", "third 1"})
            keep(before.say(client, SubmitTask{text, "/", "", {}, "me"}));
        QCOMPARE(before.task(TaskId("second-1")).phase, TaskPhase::queued);
    }
    Cluster cluster;
    for (const Event& event : log) cluster.core.replay(event);
    (void)cluster.core.start("test", "1", cluster.now);
    const PeerId node = cluster.node("m/n");
    QCOMPARE(cluster.plans, 0);  // the first task was planned before it ran, and still runs
    (void)cluster.say(node, InstanceExited{InstanceId("first-1/stage-0/0#2"), 1, 0, ""}, 0);
    QCOMPARE(cluster.plans, 1);
    QCOMPARE(cluster.task(TaskId("second-1")).phase, TaskPhase::registration);
    QCOMPARE(cluster.task(TaskId("second-1")).units.at(0).sid, Sid("second-1/load/0"));
    (void)cluster.say(node, InstanceExited{InstanceId("second-1/stage-0/0#1"), 1, 0, ""}, 0);
    QCOMPARE(cluster.plans, 2);
    QCOMPARE(cluster.task(TaskId("third-1")).phase, TaskPhase::registration);
}

void OrchestratorTest::waiting_task_starts_when_a_node_is_free_or_new() {
    Cluster cluster;
    const PeerId node = cluster.node("m/n");
    const PeerId client = cluster.connect(Role::operate);
    (void)cluster.submit(client, "first 1");
    const TaskId second = cluster.submit(client, "second 1"), third = cluster.submit(client, "third 1");
    QCOMPARE(cluster.task(second).phase, TaskPhase::queued);
    (void)cluster.say(node, InstanceExited{InstanceId("first-1/stage-0/0#1"), 1, 0, ""}, 0);
    QCOMPARE(cluster.task(second).phase, TaskPhase::registration);
    QCOMPARE(cluster.task(third).phase, TaskPhase::queued);
    (void)cluster.node("m/another");
    QCOMPARE(cluster.task(third).phase, TaskPhase::registration);
}

void OrchestratorTest::forgotten_task_leaves_no_skeleton() {
    Cluster cluster;
    (void)cluster.node("m/n");
    const PeerId client = cluster.connect(Role::operate);
    const TaskId busy = cluster.submit(client, "busy 1");
    const TaskId first = cluster.submit(client, "first 1", "the skeleton of the first");
    std::vector<TaskId> forgotten;
    (void)cluster.say(client, StopTask{first, ""});
    for (std::size_t i = 0; i < ended_task_limit; ++i) {
        const TaskId task = cluster.submit(client, "other 1");
        QVERIFY(forgotten.empty());
        forgotten = cluster.say(client, StopTask{task, ""}).forgotten;
    }
    QCOMPARE(forgotten, std::vector<TaskId>{first});
    QVERIFY(!cluster.core.skeletons().contains(first));
    QCOMPARE(cluster.task(busy).phase, TaskPhase::registration);
}

void OrchestratorTest::repeated_denials_do_not_fill_the_log() {
    Cluster cluster;
    std::size_t lines = 0;
    PeerId viewer;
    for (int i = 0; i < 1000; ++i) {
        if (i % 10 == 0) viewer = cluster.connect(Role::viewer);  // a reconnecting viewer counts as the same one
        const Output output = cluster.say(viewer, Shutdown{"no"});
        QVERIFY(sent_to<Refused>(output, viewer));  // every command is refused
        lines += notes(output);
    }
    QCOMPARE(lines, static_cast<std::size_t>(note_burst));
    const Output later = cluster.step(Tick{}, note_interval);
    QCOMPARE(notes(later), std::size_t(1));
    const auto text = describe(later.events.front().body);
    QVERIFY2(text.find(std::to_string(1000 - note_burst)) != std::string::npos, text.c_str());
}

/// Every message that needs more rights than a viewer has is refused, counted and logged, and changes nothing.
void OrchestratorTest::viewer_may_command_nothing() {
    Cluster cluster;
    (void)cluster.node("m/n");
    const TaskId task = cluster.submit(cluster.connect(Role::operate), "t 1");
    const PeerId viewer = cluster.connect(Role::viewer, "key", "vera");
    (void)cluster.pass(seconds(1));  // wait until the effects of the submission are over
    std::size_t commands = 0, lines = 0;
    for (const Message& message : one_of_each(std::make_index_sequence<AnyMessage::size>())) {
        if (allowed(Role::viewer, needed_right(message))) continue;
        const auto denied = cluster.core.denied();
        const Output output = cluster.say(viewer, message);
        const auto refused = sent_to<Refused>(output, viewer);
        QVERIFY2(refused && refused->error.code == ErrorCode::denied, kind_name(message));
        QCOMPARE(refused->error.where, std::string(kind_name(message)));
        QCOMPARE(cluster.core.denied(), denied + 1);
        QVERIFY2(output.events.size() == notes(output) && !output.exit, kind_name(message));
        lines += notes(output);
        ++commands;
    }
    QVERIFY(commands > 70);
    QCOMPARE(lines, static_cast<std::size_t>(note_burst));
    QVERIFY(cluster.core.state().tasks.contains(task));
}

void OrchestratorTest::shutdown_says_goodbye() {
    Cluster cluster;
    const PeerId node = cluster.node("m/n"), admin = cluster.connect(Role::admin);
    const Output output = cluster.say(admin, Shutdown{"for today"});
    QVERIFY(output.exit);
    QCOMPARE(sent_to<Goodbye>(output, node)->reason, std::string("for today"));
}

void OrchestratorTest::instance_stuck_in_an_operation_is_suspect() {
    Cluster cluster;
    (void)cluster.node("m/n");
    const PeerId client = cluster.connect(Role::viewer);
    (void)cluster.submit(cluster.connect(Role::operate), "t 1");
    const InstanceId instance("t-1/stage-0/0#1");
    const PeerId peer = cluster.serve(instance);
    (void)cluster.say(peer, InstancePrepared{instance, "hash"}, 0);
    const InstanceView& view = cluster.core.state().instances.at(instance);
    QCOMPARE(view.state, InstanceState::running);
    const auto beat = [&](const std::string& operation, Duration since) {
        InstanceLoad load{instance};
        load.operation = operation;
        load.operation_ms = since / milliseconds(1);
        return cluster.say(peer, LoadReport{load}, 0);
    };
    const Duration limit = OrchestratorLimits{}.suspect;
    (void)beat("forward 3 of step 7", limit - milliseconds(1));
    QVERIFY(view.detail.empty());
    QCOMPARE(notes(beat("forward 3 of step 7", limit)), std::size_t(1));
    QVERIFY2(view.detail.find("suspect: in forward 3 of step 7 for 60 s") == 0, view.detail.c_str());
    QVERIFY(beat("forward 3 of step 7", 2 * limit).events.empty());  // logged once
    QCOMPARE(sent_to<Snapshot>(cluster.say(client, Subscribe{}), client)->loads.at(0).operation_ms,
             2 * limit / milliseconds(1));
    (void)beat("", Duration(0));
    QVERIFY(view.detail.empty());
    QCOMPARE(view.state, InstanceState::running);
}

void OrchestratorTest::viewer_may_request_a_plan() {
    Cluster cluster;
    (void)cluster.node("m/n");
    (void)cluster.submit(cluster.connect(Role::operate), "t 1");
    for (const Role role : {Role::viewer, Role::operate, Role::admin}) {
        const PeerId client = cluster.connect(role);
        SegmentModel request;
        request.split.stages = 2;
        request.skeleton = "bytes";
        const Output asked = cluster.say(client, request, 7);
        QVERIFY(asked.sends.empty() && asked.events.empty());  // planning runs in a background job and changes nothing
        QCOMPARE(asked.jobs.size(), std::size_t{1});
        const auto& job = get<Segmentation>(asked.jobs[0].what);
        QVERIFY(job.request.split == request.split && job.request.skeleton == "bytes");
        QCOMPARE(job.nodes.name, std::string("test"));
        QVERIFY(job.nodes.nodes.contains(NodeId("m/n")) && job.nodes.tasks.empty());
        ModelSegmented answer;
        answer.cluster = "test";
        answer.plan.hash = "h";
        const Output answered = cluster.step(JobDone{asked.jobs[0].id, answer});
        QCOMPARE(answered.sends.at(0).correlation, std::uint64_t{7});
        QCOMPARE(sent_to<ModelSegmented>(answered, client)->plan.hash, std::string("h"));
        QVERIFY(answered.events.empty());
    }
    const PeerId agent = cluster.connect(Role::agent);
    QCOMPARE(sent_to<Refused>(cluster.say(agent, SegmentModel{}), agent)->error.code, ErrorCode::denied);
}

void OrchestratorTest::every_bad_field_of_a_request_is_named() {
    Cluster cluster;
    const PeerId client = cluster.connect(Role::viewer);
    SegmentModel request;
    request.split.method = "tabuu";
    request.split.tabu_tenure = -1;
    request.split.schedule = "5f5b";
    request.split.tp = 0;
    const auto refused = sent_to<Refused>(cluster.say(client, request), client);
    std::vector<std::string> named{refused->error.where};
    for (const Error& other : refused->others) named.push_back(other.where);
    QCOMPARE(named, (std::vector<std::string>{"split.method", "split.tabu_tenure", "split.schedule", "split.tp"}));
    QCOMPARE(refused->error.next, std::string("did you mean 'tabu'?"));
    QCOMPARE(refused->others[0].where + " " + refused->others[0].what,
             std::string("split.tabu_tenure = -1 is out of range"));
    const std::string all = combined(*refused).message();
    QVERIFY2(all.find("split.tp: = 0 is out of range; use 1") != std::string::npos, all.c_str());

    request.split.version = 2;  // the meaning of the other fields is unknown
    const auto newer = sent_to<Refused>(cluster.say(client, request), client);
    QVERIFY(newer->others.empty());
    QCOMPARE(newer->error.message(),
             std::string("split.version: = 2 is a version that this build does not support; use "
                         "version = 1"));
    QVERIFY(cluster.say(client, request, 0).sends.empty());  // without a correlation there is no reply
}

void OrchestratorTest::requested_plans_are_bounded() {
    Cluster cluster;
    std::vector<Job> jobs;
    const auto ask = [&](PeerId client) {
        const Output output = cluster.say(client, SegmentModel{});
        jobs.insert(jobs.end(), output.jobs.begin(), output.jobs.end());
        return sent_to<Refused>(output, client);
    };
    const PeerId first = cluster.connect(Role::viewer);
    QVERIFY(!ask(first));
    QVERIFY(ask(first)->error.message().find("is still in progress") != std::string::npos);
    const std::size_t most = OrchestratorLimits{}.segmentations.of_all;
    for (std::size_t i = 1; i < most; ++i) QVERIFY(!ask(cluster.connect(Role::viewer)));
    QCOMPARE(ask(cluster.connect(Role::viewer))->error.code, ErrorCode::exhausted);
    QCOMPARE(jobs.size(), most);
    const Error late{ErrorCode::deadline, "= 9 take too long", "split.tabu_iterations", "lower it"};
    const Output answered = cluster.step(JobDone{jobs[0].id, Result<ModelSegmented>(late)});
    QCOMPARE(sent_to<Refused>(answered, first)->error.message(), late.message());
    QVERIFY(!ask(first));
}

void OrchestratorTest::plan_for_a_client_that_left_is_dropped() {
    Cluster cluster;
    const PeerId client = cluster.connect(Role::viewer);
    const Output asked = cluster.say(client, SegmentModel{});
    (void)cluster.step(PeerGone{client});
    QVERIFY(cluster.step(JobDone{asked.jobs.at(0).id, ModelSegmented{}}).sends.empty());
}

void OrchestratorTest::checkpoint_is_ordered_taken_and_finally_dropped() {
    Cluster cluster;
    const PeerId at_a = cluster.node("m/a"), at_b = cluster.node("m/b"), client = cluster.connect(Role::operate);
    const TaskId task = cluster.submit(client, "t 2");
    const std::string first(64, '1'), second(64, '2'), nobodys(64, '3');
    std::map<std::string, PeerId> peers;
    for (const auto* one : instances_of(cluster.core.state(), task)) {
        const InstanceId id = one->id;
        peers[id.value()] = cluster.serve(id);
        (void)cluster.say(peers[id.value()], InstancePrepared{id, "hash", 1});
    }
    QCOMPARE(cluster.task(task).phase, TaskPhase::exchange);
    const auto& [stage_0, at_0] = *peers.begin();
    const auto& [stage_1, at_1] = *peers.rbegin();
    const Output ordered = cluster.say(client, OrderCheckpoint{task});
    QCOMPARE(sent_to<CheckpointOrdered>(ordered, client)->step, std::int64_t{2});
    QCOMPARE(sent_to<TakeSnapshot>(ordered, at_0)->step, std::int64_t{2});
    QCOMPARE(sent_to<TakeSnapshot>(ordered, at_1)->step, std::int64_t{2});
    // An instance cannot report another's snapshot. The snapshot of one stage is kept until the other stages have their
    // snapshots.
    SnapshotTaken taken{task, InstanceId(stage_0), 1, 2, first, 100, 1, 2};
    QCOMPARE(sent_to<Refused>(cluster.say(at_1, taken), at_1)->error.code, ErrorCode::denied);
    const std::vector<std::string> asked{first, second, nobodys};
    const auto needed = [&] { return sent_to<NeededBlobs>(cluster.say(at_a, WhichBlobs{asked}), at_a)->hashes; };
    QVERIFY(needed().empty());
    (void)cluster.say(at_0, taken);
    QCOMPARE(needed(), std::vector<std::string>{first});
    taken.instance = InstanceId(stage_1);
    taken.hash = second;
    (void)cluster.say(at_1, taken);
    QCOMPARE(cluster.task(task).checkpoints.size(), std::size_t{1});
    QCOMPARE(needed(), (std::vector<std::string>{first, second}));
    (void)cluster.say(client, StopTask{task, "enough"});
    Output last;
    for (const auto& [id, peer] : peers) {
        const InstanceId instance(id);
        last = cluster.say(cluster.core.state().instances.at(instance).node == NodeId("m/a") ? at_a : at_b,
                           InstanceExited{instance, 0, 0, ""});
    }
    QVERIFY(cluster.task(task).over());
    std::set<std::string> dropped;
    for (const PeerId node : {at_a, at_b})
        for (const std::string& hash : sent_to<DropBlobs>(last, node).value_or(DropBlobs{}).hashes)
            dropped.insert(hash);
    QCOMPARE(dropped, (std::set<std::string>{first, second}));
    QVERIFY(needed().empty());
}

/// Modules send the same two messages as operators and viewers. They may send no other messages of these roles.
void OrchestratorTest::module_orders_a_checkpoint_and_reads_a_store() {
    Cluster cluster;
    const PeerId at_a = cluster.node("m/a"), client = cluster.connect(Role::operate);
    const PeerId module = cluster.connect(Role::module);
    (void)cluster.node("m/b");
    const TaskId task = cluster.submit(client, "t 2 5");
    const auto why = [&](const Message& message) {
        const auto refused = sent_to<Refused>(cluster.say(module, message), module);
        return refused ? refused->error.what : "";
    };
    QCOMPARE(why(OrderCheckpoint{task}), std::string("only a registered module may send this request"));
    const ModuleInfo info{"watcher", "1", {ModuleInput::tasks}, {AdviceKind::drain}, false, 1000, 0};
    QVERIFY(sent_to<Done>(cluster.say(module, DescribeModule{info}), module));
    QVERIFY(QString::fromStdString(why(OrderCheckpoint{task})).startsWith("the task does not train now"));
    const auto lines = [](const Output& output) {
        std::vector<std::string> found;
        for (const Event& event : output.events)
            if (const auto* noted = get_if<Noted>(&event.body); noted && noted->component == "module watcher")
                found.push_back(noted->text);
        return found;
    };
    const auto refused = lines(cluster.say(module, OrderCheckpoint{task}));
    QCOMPARE(refused.size(), std::size_t{1});
    QVERIFY(refused[0].starts_with("orders a checkpoint, and is refused: " + task.value() +
                                   ": the task does not train now"));
    std::vector<PeerId> stages;
    for (const auto* one : instances_of(cluster.core.state(), task)) {
        const InstanceId id = one->id;
        stages.push_back(cluster.serve(id));
        (void)cluster.say(stages.back(), InstancePrepared{id, "hash", 1});
    }
    const Output ordered = cluster.say(module, OrderCheckpoint{task});
    QCOMPARE(sent_to<CheckpointOrdered>(ordered, module)->step, std::int64_t{2});
    QCOMPARE(lines(ordered), std::vector<std::string>{"orders a checkpoint after step 2"});
    for (const PeerId stage : stages) QCOMPARE(sent_to<TakeSnapshot>(ordered, stage)->step, std::int64_t{2});
    const Output asked = cluster.say(module, ReadStore{NodeId("m/a"), Sid("t-1/stage-0/0"), "step", 0, 10});
    const auto question = sent_to<ReadStore>(asked, at_a);
    QVERIFY(question && question->limit == 10);
    StorePage page;
    page.question = question->question;
    page.incarnation = 7;
    QCOMPARE(sent_to<StorePage>(cluster.say(at_a, page, 0), module)->incarnation, Incarnation{7});
    for (const Message& other : {Message(StopTask{task, "enough"}), Message(QueryLog{}), Message(Subscribe{})})
        QVERIFY(QString::fromStdString(why(other)).startsWith("the role module is not allowed to"));
}

DIVISI_TEST(OrchestratorTest)

}  // namespace orchestrator_test

#include "orchestrator_test.moc"
