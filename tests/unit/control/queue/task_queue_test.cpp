// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/task_queue.h"

#include <sstream>

#include "tests/support/test_program.h"

namespace task_queue_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::seconds;

namespace {

/// A task text here is "name priority node [exclusive] [from:VERSION] [most seconds]". The task has one stage, on that
/// node or in "pool:NAME".
PlanSummary plan_of(const SubmitTask& submission) {
    PlanSummary plan;
    std::istringstream words(submission.text);
    std::string node;
    words >> plan.name >> plan.priority >> node;
    plan.stage_nodes = {node};
    if (node.starts_with("pool:")) {
        plan.wish.pool = node.substr(5);
        plan.stage_nodes.clear();
    }
    for (std::string word; words >> word;)
        if (word == "exclusive") plan.wish.exclusive = true;
        else if (word.starts_with("from:")) plan.parent = std::stoul(word.substr(5));
        else plan.most_seconds = std::stoi(word);
    plan.steps = 10;
    plan.plan_hash = "hash";
    return plan;
}

/// A fixture with the queue over a desk of its own, nodes a and b, and one client.
struct Floor {
    Desk desk{OrchestratorLimits{}};
    Models models{desk};
    Deliveries deliveries{desk};
    KeptProcesses kept{desk};
    TaskQueue queue{desk, deliveries, models, kept};
    const PeerId client{1};

    explicit Floor(const std::vector<Event>& before = {}, QueueRules rules = {}, std::vector<Pool> pools = {}) {
        desk.follow([this](const Event& event) {
            deliveries.follow(event);
            queue.follow(event);
        });
        for (const Event& event : before) desk.replay(event);
        desk.set_time(TimePoint(seconds(1000)));
        desk.sessions().open(client, {true, Role::operate, "me", ""});
        if (before.empty()) desk.append(ClusterStarted{"lab", "1", {}, std::move(pools), std::move(rules)});
        for (const char* name : {"a", "b"}) {
            NodeInfo info;
            info.id = NodeId(name);
            info.blob_endpoint = std::string("ipc:///") + name;
            desk.append(NodeJoined{info});
        }
    }
    /// Runs all planning jobs at once.
    void plan() {
        for (const Job& job : std::exchange(desk.output().jobs, {}))
            queue.planned(*desk.jobs().close(job.id), plan_of(*get<Planning>(job.what).submission));
    }
    Message answer(const std::string& text, std::vector<FileRef> files = {}) {
        const SubmitTask message{text, "/", "", std::move(files), "me"};
        queue.handle(Received{client, 1, message}, message);
        plan();
        return std::exchange(desk.output().sends, {}).at(0).message;
    }
    TaskId submit(const std::string& text, std::vector<FileRef> files = {}) {
        const Message reply = answer(text, std::move(files));
        if (const auto* taken = get_if<SubmitReply>(&reply)) return taken->task;
        qFatal("the task was refused");
    }
    std::string refusal(const std::string& text) {
        const Message reply = answer(text);
        const auto* refused = get_if<Refused>(&reply);
        return refused ? refused->error.message() : "";
    }
    /// Returns why a task waits, as clients see it.
    std::string why(const TaskId& task) {
        queue.handle(Received{client, 1, QueryNodes{}}, QueryNodes{});
        const Message reply = std::exchange(desk.output().sends, {}).at(0).message;
        for (const WaitingTask& one : get<NodesState>(reply).waiting)
            if (one.task == task) return one.why;
        return "";
    }
    void end(const TaskId& task) { desk.append(TaskEnded{task, Outcome::succeeded, {}}); }
    /// Returns the tasks that start now, and places their instances.
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

/// Tests which task starts when, and what a restart knows of waiting tasks.
class TaskQueueTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void task_may_start_from_a_known_version();
    void waiting_task_blocks_others_only_on_its_nodes();
    void task_waits_for_its_files();
    void restart_plans_in_turn_and_knows_the_files();
    void queue_is_idle_while_nothing_changes();
    void fcfs_refuses_priorities();
    void tasks_share_a_node_of_a_shared_pool();
    void task_without_memory_waits_for_a_report();
    void reserved_nodes_are_used_until_the_reservation();
    void requests_beyond_every_node_are_refused_at_once();
};

void TaskQueueTest::fcfs_refuses_priorities() {
    Floor floor({}, {Discipline::fcfs, {}});
    const TaskId first = floor.submit("first 0 a"), second = floor.submit("second 0 a");
    QVERIFY(floor.refusal("urgent 5 a").find("knows no priorities") != std::string::npos);
    QCOMPARE(floor.admit(), Tasks{first});
    QCOMPARE(floor.why(second), std::string("a has a task"));
    const TaskId other = floor.submit("other 0 b");
    QCOMPARE(floor.admit(), Tasks{other});
    QCOMPARE(floor.admit(), Tasks{});
    QCOMPARE(floor.why(second), std::string("every node is in use"));
    floor.end(first);
    QCOMPARE(floor.admit(), Tasks{second});
}

void TaskQueueTest::tasks_share_a_node_of_a_shared_pool() {
    Floor floor({}, {}, {{"few", "", {"a"}, true, 2}});
    const TaskId first = floor.submit("t 0 pool:few"), second = floor.submit("t 0 pool:few");
    const TaskId third = floor.submit("t 0 pool:few"), alone = floor.submit("t 0 pool:few exclusive");
    QCOMPARE(floor.admit(), (Tasks{first, second}));
    QCOMPARE(floor.why(third), std::string("a has as many instances as its pool allows"));
    floor.end(first);
    QCOMPARE(floor.admit(), Tasks{third});
    QCOMPARE(floor.why(alone), std::string("a has tasks, and this one wants it for itself"));
    floor.end(second);
    const TaskId late = floor.submit("t 0 pool:few");
    QCOMPARE(floor.admit(), Tasks{});  // no task may overtake one that waits for the whole node
    floor.end(third);
    QCOMPARE(floor.admit(), Tasks{alone});
    QCOMPARE(floor.why(late), std::string("a has a task that wants it for itself"));
}

void TaskQueueTest::task_without_memory_waits_for_a_report() {
    Floor floor({}, {}, {{"all", "", {"*"}, true, 0}});
    const TaskId first = floor.submit("t 0 a"), second = floor.submit("t 0 a");
    floor.queue.reported(NodeId("a"), {0, process_memory - 1});
    QCOMPARE(floor.admit(), Tasks{first});  // on an idle node the memory report does not matter
    QCOMPARE(floor.why(second), std::string("a has no memory for it"));
    (void)floor.admit();
    floor.queue.reported(NodeId("a"), {0, process_memory});
    QVERIFY(!floor.queue.changed());  // not enough more
    floor.queue.reported(NodeId("a"), {0, Bytes{2} * process_memory});
    QVERIFY(floor.queue.changed());
    QCOMPARE(floor.admit(), Tasks{second});
}

void TaskQueueTest::reserved_nodes_are_used_until_the_reservation() {
    Floor floor;
    const TimePoint now = floor.desk.now();
    floor.desk.append(ReservationMade{{9, "", {"a"}, "alice", TaskId(), now + seconds(60), now + seconds(120), "me"}});
    const TaskId endless = floor.submit("t 0 a"), brief = floor.submit("t 0 a 60");
    QCOMPARE(floor.admit(), Tasks{brief});  // ends before the reservation begins
    floor.end(brief);
    QCOMPARE(floor.admit(), Tasks{});
    QCOMPARE(floor.why(endless), std::string("reservation 9 keeps a node for alice; free in at most 120 s"));
    floor.desk.append(ReservationEnded{9, "its time is over"});
    QVERIFY(floor.queue.changed());
    QCOMPARE(floor.admit(), Tasks{endless});
}

void TaskQueueTest::requests_beyond_every_node_are_refused_at_once() {
    Floor floor({}, {}, {{"few", "", {"a"}}, {"gpu", "H200", {}}});
    QVERIFY(floor.refusal("t 0 pool:many").find("no pool 'many'") != std::string::npos);
    QVERIFY(floor.refusal("t 0 pool:gpu").find("leave no node") != std::string::npos);
    floor.desk.append(NodeEnded{NodeId("a"), NodeState::away, "silent"});
    QVERIFY(floor.refusal("t 0 pool:few").find("no node that the task may run on is ready") != std::string::npos);
}

void TaskQueueTest::waiting_task_blocks_others_only_on_its_nodes() {
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

void TaskQueueTest::task_waits_for_its_files() {
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

void TaskQueueTest::restart_plans_in_turn_and_knows_the_files() {
    Floor before;
    const TaskId brought = before.submit("t 0 b", {{"data", "/d", "hash", 1}});
    const UploadsDone done{brought, {}};
    before.deliveries.handle(Received{before.client, 1, done}, done);
    Floor after(before.desk.output().events);
    after.deliveries.adopt();
    QCOMPARE(after.admit(), Tasks{});  // the task is planned first
    after.plan();
    const auto starts = after.queue.admit();
    QCOMPARE(starts.size(), std::size_t{1});
    QCOMPARE(starts[0].nodes, std::vector<NodeId>{NodeId("b")});
}

void TaskQueueTest::queue_is_idle_while_nothing_changes() {
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

void TaskQueueTest::task_may_start_from_a_known_version() {
    Floor floor;
    QVERIFY(floor.refusal("t 0 a from:1").find("version 1 of a model is not known") != std::string::npos);
    const TaskId trained = floor.submit("t 0 a");
    floor.end(trained);
    ModelVersion version;
    version.number = 1;
    version.task = trained;
    floor.desk.append(VersionMade{version});
    const TaskId from = floor.submit("t 0 a from:1");
    QCOMPARE(floor.desk.state().tasks.at(from).parent, std::uint64_t{1});
    QCOMPARE(floor.desk.state().tasks.at(trained).parent, std::uint64_t{0});
}

DIVISI_TEST(TaskQueueTest)

}  // namespace task_queue_test

#include "task_queue_test.moc"
