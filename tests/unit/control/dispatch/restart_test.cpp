// SPDX-License-Identifier: Apache-2.0

#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace restart_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

Result<PlanSummary> one_stage(const SubmitTask& submission) {
    PlanSummary plan;
    plan.name = submission.text;
    plan.stages = submission.text == "wide" ? 8 : 1;
    plan.steps = 10;
    plan.plan_hash = "hash";
    return plan;
}

const std::string skeleton = "the skeleton of a model";

/// A fixture with an orchestrator and its log, from which another fixture can start.
struct Life {
    Orchestrator core;
    std::vector<Event> log;
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;

    explicit Life(std::vector<Event> before = {}) : log(std::move(before)) {
        for (const Event& event : log) core.replay(event);
    }
    Output keep(Output output) {
        output = test::plan_at_once(core, std::move(output), now, one_stage);
        log.insert(log.end(), output.events.begin(), output.events.end());
        return output;
    }
    void start(bool hold) { (void)keep(core.start("test", "1", now, hold)); }
    Output say(PeerId peer, Message message) {
        return keep(core.step(Received{peer, 1, std::move(message)}, now += milliseconds(1)));
    }
    PeerId connect(Role role) {
        const PeerId peer(++last_peer);
        (void)keep(core.step(PeerConnected{peer, {true, role, "someone", ""}}, now));
        (void)say(peer, Hello{"test", "1", role, ""});
        return peer;
    }
    PeerId join(const std::string& node) {
        const PeerId peer = connect(Role::agent);
        (void)say(peer, RegisterNode{{NodeId(node), MicId("m"), "host", "f", {}, "", "", 1}});
        return peer;
    }
    /// Reconnects the node, which reports that its task has ended.
    void join_and_end_first() {
        (void)say(join("m/n"), InstanceExited{InstanceId("runs-1/stage-0/0#2"), 1, 0, ""});
        if (!task("runs-1").over()) qFatal("the first task has not ended");
    }
    const TaskView& task(const std::string& id) const { return core.state().tasks.at(TaskId(id)); }
};

template <typename M>
std::optional<M> answer(const Output& output, PeerId peer) {
    for (const Send& sent : output.sends)
        if (const auto* message = get_if<M>(&sent.message); message && sent.peer == peer) return *message;
    return std::nullopt;
}

/// Returns the log of a task that runs on the only node and two that wait. The last task has an imported model.
std::vector<Event> two_are_queued() {
    Life life;
    life.start(false);
    life.join("m/n");
    const PeerId client = life.connect(Role::operate);
    for (const char* name : {"runs", "waits"}) (void)life.say(client, SubmitTask{name, "/", "", {}, "me"});
    (void)life.say(client, SubmitTask{"modelled", "/", skeleton, {}, "me"});
    return life.log;
}

}  // namespace

/// Tests how a restart handles queued tasks.
class RestartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void queue_resumes_after_a_restart();
    void held_tasks_block_no_others_and_start_when_released();
    void held_task_can_be_stopped_and_others_not_released();
    void tasks_held_at_a_restart_do_not_start();
    void shutdown_ends_running_tasks();
    void refusal_names_only_a_few_blocking_tasks();
    void task_with_a_lost_model_fails_with_the_reason_data();
    void task_with_a_lost_model_fails_with_the_reason();
};

void RestartTest::queue_resumes_after_a_restart() {
    Life life(two_are_queued());
    life.core.restore_skeleton(TaskId("modelled-1"), skeleton);
    life.start(false);
    QVERIFY(!life.task("runs-1").over() && !life.task("waits-1").held);
    life.join_and_end_first();
    QCOMPARE(life.task("waits-1").phase, TaskPhase::registration);
}

void RestartTest::held_tasks_block_no_others_and_start_when_released() {
    Life life(two_are_queued());
    life.core.restore_skeleton(TaskId("modelled-1"), skeleton);
    life.start(true);
    life.join_and_end_first();
    QCOMPARE(life.task("waits-1").phase, TaskPhase::queued);
    QVERIFY(life.task("waits-1").held && life.task("modelled-1").held && !life.task("waits-1").pending());
    const PeerId client = life.connect(Role::operate);
    const auto submitted = answer<SubmitReply>(life.say(client, SubmitTask{"new", "/", "", {}, "me"}), client);
    QCOMPARE(life.task(submitted->task.value()).phase, TaskPhase::registration);
    life.join("m/other");
    QCOMPARE(life.task("waits-1").phase, TaskPhase::queued);
    QVERIFY(answer<Done>(life.say(client, ReleaseTask{TaskId("waits-1")}), client));
    QCOMPARE(life.task("waits-1").phase, TaskPhase::registration);
    // A replay of the log gives the same state.
    Life next(life.log);
    QVERIFY(!next.task("waits-1").held && next.task("modelled-1").held);
}

void RestartTest::held_task_can_be_stopped_and_others_not_released() {
    Life life(two_are_queued());
    life.core.restore_skeleton(TaskId("modelled-1"), skeleton);
    life.start(true);
    const PeerId client = life.connect(Role::operate), viewer = life.connect(Role::viewer);
    QCOMPARE(answer<Refused>(life.say(viewer, ReleaseTask{TaskId("waits-1")}), viewer)->error.code, ErrorCode::denied);
    QVERIFY(answer<Done>(life.say(client, StopTask{TaskId("waits-1"), ""}), client));
    QVERIFY(life.task("waits-1").over() && !life.task("waits-1").held);
    for (const char* none : {"waits-1", "nobody-1"})
        QVERIFY(answer<Refused>(life.say(client, ReleaseTask{TaskId(none)}), client));
    // If a client gives a name instead of an id, the error contains the id.
    for (const Message& message : {Message(ReleaseTask{TaskId("modelled")}), Message(StopTask{TaskId("modelled"), ""})})
        QCOMPARE(answer<Refused>(life.say(client, message), client)->error.next,
                 std::string("this is the name of modelled-1; give the id"));
}

void RestartTest::tasks_held_at_a_restart_do_not_start() {
    Life life(two_are_queued());
    life.core.restore_skeleton(TaskId("modelled-1"), skeleton);
    life.start(true);
    QCOMPARE(life.task("runs-1").outcome, Outcome::failed);
    const Output joined =
        life.say(life.connect(Role::agent), RegisterNode{{NodeId("m/n"), MicId("m"), "host", "f", {}, "", "", 1}});
    for (const Send& sent : joined.sends) QVERIFY(!holds_alternative<StartInstance>(sent.message));
}

void RestartTest::shutdown_ends_running_tasks() {
    Life life(two_are_queued());
    life.core.restore_skeleton(TaskId("modelled-1"), skeleton);
    life.start(false);
    const PeerId admin = life.connect(Role::admin);
    QVERIFY(answer<Done>(life.say(admin, Shutdown{"for today"}), admin));
    Life next(life.log);
    next.start(false);
    next.join("m/n");
    QCOMPARE(next.task("runs-1").outcome, Outcome::stopped);
    QCOMPARE(next.task("runs-1").error->what, std::string("the cluster was shut down"));
}

void RestartTest::refusal_names_only_a_few_blocking_tasks() {
    Life life;
    life.start(false);
    for (int i = 0; i < 8; ++i) life.join("m/" + std::to_string(i));
    (void)life.say(life.connect(Role::operate), SubmitTask{"wide", "/", "", {}, "me"});
    Life next(life.log);
    next.start(false);
    const std::string& detail = next.task("wide-1").phase_detail;
    QVERIFY2(detail.starts_with("waits for node m/0") && detail.ends_with(" and 3 more"), detail.c_str());
}

void RestartTest::task_with_a_lost_model_fails_with_the_reason_data() {
    QTest::addColumn<QByteArray>("found");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("half of it") << QByteArray("the skeleton");
    QTest::newRow("other bytes") << QByteArray("THE SKELETON OF A MODEL");
}

void RestartTest::task_with_a_lost_model_fails_with_the_reason() {
    QFETCH(QByteArray, found);
    Life life(two_are_queued());
    life.core.restore_skeleton(TaskId("modelled-1"), found.toStdString());
    life.start(false);
    const TaskView& task = life.task("modelled-1");
    QVERIFY(task.over());
    QVERIFY(task.error && task.error->where.find("skeletons/modelled-1.onnx") != std::string::npos);
    const PeerId client = life.connect(Role::operate);
    const auto refused = answer<Refused>(life.say(client, FetchSkeleton{TaskId("modelled-1")}), client);
    QCOMPARE(refused->error.message(), task.error->message());
}

DIVISI_TEST(RestartTest)

}  // namespace restart_test

#include "restart_test.moc"
