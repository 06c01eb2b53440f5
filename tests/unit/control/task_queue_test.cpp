// SPDX-License-Identifier: Apache-2.0
#include "backend/control/task_queue.h"

#include <QTest>

#include <sstream>

using namespace divisi;
using namespace divisi::control;
using std::chrono::seconds;

namespace {

/// A task text here is "name priority node": one stage, on that node.
PlanSummary plan_of(const SubmitTask& submission) {
    PlanSummary plan;
    std::istringstream words(submission.text);
    std::string node;
    words >> plan.name >> plan.priority >> node;
    plan.stage_nodes = {node};
    plan.steps = 10;
    plan.plan_hash = "hash";
    return plan;
}

/// The queue over a desk of its own, with nodes a and b and one client.
struct Floor {
    Desk desk{OrchestratorLimits{}};
    Models models{desk};
    Deliveries deliveries{desk};
    TaskQueue queue{desk, deliveries, models};
    const PeerId client{1};

    explicit Floor(const std::vector<Event>& before = {}) {
        desk.follow([this](const Event& event) {
            deliveries.follow(event);
            queue.follow(event);
        });
        for (const Event& event : before) desk.replay(event);
        desk.set_time(TimePoint(seconds(1000)));
        desk.sessions().open(client, {true, Role::operate, "me", ""});
        for (const char* name : {"a", "b"}) {
            NodeInfo info;
            info.id = NodeId(name);
            info.blob_endpoint = std::string("ipc:///") + name;
            desk.append(NodeJoined{info});
        }
    }
    /// What is to be planned is planned at once.
    void plan() {
        for (const Job& job : std::exchange(desk.output().jobs, {}))
            queue.planned(*desk.jobs().close(job.id), plan_of(*std::get<Planning>(job.what).submission));
    }
    TaskId submit(const std::string& text, std::vector<FileRef> files = {}) {
        const SubmitTask message{text, "/", "", std::move(files), "me"};
        queue.handle(Received{client, 1, message}, message);
        plan();
        for (const Send& sent : std::exchange(desk.output().sends, {}))
            if (const auto* reply = std::get_if<SubmitReply>(&sent.message)) return reply->task;
        qFatal("the task was refused");
    }
    /// The tasks that start now, as their instances are placed.
    std::vector<TaskId> admit() {
        std::vector<TaskId> started;
        for (const TaskQueue::Start& one : queue.admit()) {
            started.push_back(one.task);
            desk.append(PhaseChanged{one.task, TaskPhase::registration, ""});
            const Sid sid(one.task.value() + "/stage-0/0");
            desk.append(InstancePlaced{one.task, instance_of(sid, 1), sid, one.nodes.at(0), 0});
        }
        return started;
    }
};

using Tasks = std::vector<TaskId>;

}  // namespace

/// Which task starts when, and what a restart knows of those that wait.
class TaskQueueTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void who_waits_holds_back_others_on_its_nodes_alone();
    void a_task_waits_for_its_files();
    void a_restart_plans_in_turn_and_knows_the_files();
    void nothing_is_looked_at_while_nothing_changes();
};

void TaskQueueTest::who_waits_holds_back_others_on_its_nodes_alone() {
    Floor floor;
    const TaskId first = floor.submit("first 0 a"), late = floor.submit("late 0 a"),
                 urgent = floor.submit("urgent 5 a");
    const TaskId other = floor.submit("other 0 b");
    QCOMPARE(floor.admit(), (Tasks{urgent, other}));
    QCOMPARE(floor.admit(), Tasks{});
    floor.desk.append(TaskEnded{urgent, Outcome::succeeded, {}});
    QCOMPARE(floor.admit(), Tasks{first});
    floor.desk.append(TaskHeld{late, true});
    floor.desk.append(TaskEnded{first, Outcome::succeeded, {}});
    QCOMPARE(floor.admit(), Tasks{});
    const ReleaseTask release{late};
    floor.queue.handle(Received{floor.client, 1, release}, release);
    QCOMPARE(floor.admit(), Tasks{late});
}

void TaskQueueTest::a_task_waits_for_its_files() {
    Floor floor;
    const TaskId task = floor.submit("t 0 b", {{"data", "/d", "hash", 1}});
    const TaskView& view = floor.desk.state().tasks.at(task);
    QCOMPARE(view.queue, QueueState::files);
    QCOMPARE(view.nodes, std::vector<NodeId>{NodeId("b")});
    QCOMPARE(floor.admit(), Tasks{});
    const UploadsDone done{task, {}};
    floor.deliveries.handle(Received{floor.client, 1, done}, done);
    QVERIFY(floor.queue.changed());
    QCOMPARE(floor.admit(), Tasks{task});
}

void TaskQueueTest::a_restart_plans_in_turn_and_knows_the_files() {
    Floor before;
    const TaskId brought = before.submit("t 0 b", {{"data", "/d", "hash", 1}});
    const UploadsDone done{brought, {}};
    before.deliveries.handle(Received{before.client, 1, done}, done);
    Floor after(before.desk.output().events);
    after.deliveries.adopt();
    QCOMPARE(after.admit(), Tasks{});  // it is planned first
    after.plan();
    const auto starts = after.queue.admit();
    QCOMPARE(starts.size(), std::size_t{1});
    QCOMPARE(starts[0].nodes, std::vector<NodeId>{NodeId("b")});
}

void TaskQueueTest::nothing_is_looked_at_while_nothing_changes() {
    Floor floor;
    const TaskId task = floor.submit("t 0 a");
    QVERIFY(floor.queue.changed());
    QCOMPARE(floor.admit(), Tasks{task});
    QVERIFY(!floor.queue.changed());
    floor.desk.append(StepDone{task, {1}});
    floor.desk.append(Noted{Severity::info, "node a", "", "nothing"});
    QVERIFY(!floor.queue.changed());
    floor.desk.append(NodeEnded{NodeId("b"), NodeState::away, "silent"});
    QVERIFY(floor.queue.changed());
}

QTEST_APPLESS_MAIN(TaskQueueTest)
#include "task_queue_test.moc"
