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

/// A fixture with the queue over a separate context, nodes a and b, and one client.
struct Fixture {
    OrchestratorContext context{OrchestratorLimits{}};
    Models models{context};
    Deliveries deliveries{context};
    KeptProcesses kept{context};
    TaskQueue queue{context, deliveries, models, kept};
    const PeerId client{1};

    explicit Fixture(const std::vector<Event>& before = {}, QueueRules rules = {}, std::vector<Pool> pools = {}) {
        context.follow([this](const Event& event) {
            deliveries.follow(event);
            queue.follow(event);
        });
        for (const Event& event : before) context.replay(event);
        context.set_time(TimePoint(seconds(1000)));
        context.sessions().open(client, {true, Role::operate, "me", ""});
        if (before.empty()) context.append(ClusterStarted{"lab", "1", {}, std::move(pools), std::move(rules)});
        for (const char* name : {"a", "b"}) {
            NodeInfo info;
            info.id = NodeId(name);
            info.blob_endpoint = std::string("ipc:///") + name;
            context.append(NodeJoined{info});
        }
    }
    /// Runs all planning jobs immediately.
    void plan() {
        for (const Job& job : std::exchange(context.output().jobs, {}))
            queue.planned(*context.jobs().close(job.id), plan_of(*get<Planning>(job.what).submission));
    }
    Message answer(const std::string& text, std::vector<FileRef> files = {}) {
        const SubmitTask message{text, "/", "", std::move(files), "me"};
        queue.handle(Received{client, 1, message}, message);
        plan();
        return std::exchange(context.output().sends, {}).at(0).message;
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
        const Message reply = std::exchange(context.output().sends, {}).at(0).message;
        for (const WaitingTask& one : get<NodesState>(reply).waiting)
            if (one.task == task) return one.why;
        return "";
    }
    void end(const TaskId& task) { context.append(TaskEnded{task, Outcome::succeeded, {}}); }
    /// Returns the tasks that start now, and places their instances.
    std::vector<TaskId> admit() {
        std::vector<TaskId> started;
        for (const TaskQueue::Start& one : queue.admit()) {
            started.push_back(one.task);
            context.append(PhaseChanged{one.task, TaskPhase::registration, ""});
            const Sid sid(one.task.value() + "/stage-0/0");
            context.append(InstancePlaced{one.task, instance_of(sid, 1), sid, one.nodes.at(0), 0});
        }
        return started;
    }
};

using Tasks = std::vector<TaskId>;

}  // namespace

/// Tests which task starts when, and which data about waiting tasks survives a restart.
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
    Fixture fixture({}, {Discipline::fcfs, {}});
    const TaskId first = fixture.submit("first 0 a"), second = fixture.submit("second 0 a");
    QVERIFY(fixture.refusal("urgent 5 a").find("has no priorities") != std::string::npos);
    QCOMPARE(fixture.admit(), Tasks{first});
    QCOMPARE(fixture.why(second), std::string("a has a task"));
    const TaskId other = fixture.submit("other 0 b");
    QCOMPARE(fixture.admit(), Tasks{other});
    QCOMPARE(fixture.admit(), Tasks{});
    QCOMPARE(fixture.why(second), std::string("every node is in use"));
    fixture.end(first);
    QCOMPARE(fixture.admit(), Tasks{second});
}

void TaskQueueTest::tasks_share_a_node_of_a_shared_pool() {
    Fixture fixture({}, {}, {{"few", "", {"a"}, true, 2}});
    const TaskId first = fixture.submit("t 0 pool:few"), second = fixture.submit("t 0 pool:few");
    const TaskId third = fixture.submit("t 0 pool:few"), alone = fixture.submit("t 0 pool:few exclusive");
    QCOMPARE(fixture.admit(), (Tasks{first, second}));
    QCOMPARE(fixture.why(third), std::string("a has as many instances as its pool allows"));
    fixture.end(first);
    QCOMPARE(fixture.admit(), Tasks{third});
    QCOMPARE(fixture.why(alone), std::string("a has tasks, and this task needs the node exclusively"));
    fixture.end(second);
    const TaskId late = fixture.submit("t 0 pool:few");
    QCOMPARE(fixture.admit(), Tasks{});  // no task may overtake one that waits for the whole node
    fixture.end(third);
    QCOMPARE(fixture.admit(), Tasks{alone});
    QCOMPARE(fixture.why(late), std::string("a has a task that uses it exclusively"));
}

void TaskQueueTest::task_without_memory_waits_for_a_report() {
    Fixture fixture({}, {}, {{"all", "", {"*"}, true, 0}});
    const TaskId first = fixture.submit("t 0 a"), second = fixture.submit("t 0 a");
    fixture.queue.reported(NodeId("a"), {0, process_memory - 1});
    QCOMPARE(fixture.admit(), Tasks{first});  // on an idle node the memory report does not matter
    QCOMPARE(fixture.why(second), std::string("a has no memory for it"));
    (void)fixture.admit();
    fixture.queue.reported(NodeId("a"), {0, process_memory});
    QVERIFY(!fixture.queue.changed());  // there is not enough additional memory
    fixture.queue.reported(NodeId("a"), {0, Bytes{2} * process_memory});
    QVERIFY(fixture.queue.changed());
    QCOMPARE(fixture.admit(), Tasks{second});
}

void TaskQueueTest::reserved_nodes_are_used_until_the_reservation() {
    Fixture fixture;
    const TimePoint now = fixture.context.now();
    fixture.context.append(
        ReservationMade{{9, "", {"a"}, "alice", TaskId(), now + seconds(60), now + seconds(120), "me"}});
    const TaskId endless = fixture.submit("t 0 a"), brief = fixture.submit("t 0 a 60");
    QCOMPARE(fixture.admit(), Tasks{brief});  // the task ends before the reservation begins
    fixture.end(brief);
    QCOMPARE(fixture.admit(), Tasks{});
    QCOMPARE(fixture.why(endless), std::string("reservation 9 keeps a node for alice; free in at most 120 s"));
    fixture.context.append(ReservationEnded{9, "its time is over"});
    QVERIFY(fixture.queue.changed());
    QCOMPARE(fixture.admit(), Tasks{endless});
}

void TaskQueueTest::requests_beyond_every_node_are_refused_at_once() {
    Fixture fixture({}, {}, {{"few", "", {"a"}}, {"gpu", "H200", {}}});
    QVERIFY(fixture.refusal("t 0 pool:many").find("no pool 'many'") != std::string::npos);
    QVERIFY(fixture.refusal("t 0 pool:gpu").find("no node of the cluster satisfies") != std::string::npos);
    fixture.context.append(NodeEnded{NodeId("a"), NodeState::away, "silent"});
    QVERIFY(fixture.refusal("t 0 pool:few").find("every node that the task may use is absent or drained") !=
            std::string::npos);
}

void TaskQueueTest::waiting_task_blocks_others_only_on_its_nodes() {
    Fixture fixture;
    const TaskId first = fixture.submit("first 0 a"), late = fixture.submit("late 0 a"),
                 urgent = fixture.submit("urgent 5 a");
    const TaskId other = fixture.submit("other 0 b");
    QCOMPARE(fixture.admit(), (Tasks{urgent, other}));
    QCOMPARE(fixture.admit(), Tasks{});
    fixture.context.append(TaskEnded{urgent, Outcome::succeeded, {}});
    QCOMPARE(fixture.admit(), Tasks{first});
    fixture.context.append(TaskHeld{late, true});
    fixture.context.append(TaskEnded{first, Outcome::succeeded, {}});
    QCOMPARE(fixture.admit(), Tasks{});
    const ReleaseTask release{late};
    fixture.queue.handle(Received{fixture.client, 1, release}, release);
    QCOMPARE(fixture.admit(), Tasks{late});
}

void TaskQueueTest::task_waits_for_its_files() {
    Fixture fixture;
    const TaskId task = fixture.submit("t 0 b", {{"data", "/d", "hash", 1}});
    const TaskView& view = fixture.context.state().tasks.at(task);
    QCOMPARE(view.queue, QueueState::files);
    QCOMPARE(view.nodes, std::vector<NodeId>{NodeId("b")});
    QCOMPARE(fixture.admit(), Tasks{});
    const UploadsDone done{task, {}};
    fixture.deliveries.handle(Received{fixture.client, 1, done}, done);
    QVERIFY(fixture.queue.changed());
    QCOMPARE(fixture.admit(), Tasks{task});
}

void TaskQueueTest::restart_plans_in_turn_and_knows_the_files() {
    Fixture before;
    const TaskId brought = before.submit("t 0 b", {{"data", "/d", "hash", 1}});
    const UploadsDone done{brought, {}};
    before.deliveries.handle(Received{before.client, 1, done}, done);
    Fixture after(before.context.output().events);
    after.deliveries.adopt();
    QCOMPARE(after.admit(), Tasks{});  // no task starts before it is planned
    after.plan();
    const auto starts = after.queue.admit();
    QCOMPARE(starts.size(), std::size_t{1});
    QCOMPARE(starts[0].nodes, std::vector<NodeId>{NodeId("b")});
}

void TaskQueueTest::queue_is_idle_while_nothing_changes() {
    Fixture fixture;
    const TaskId task = fixture.submit("t 0 a");
    QVERIFY(fixture.queue.changed());
    QCOMPARE(fixture.admit(), Tasks{task});
    QVERIFY(!fixture.queue.changed());
    fixture.context.append(StepDone{task, {1}});
    fixture.context.append(Noted{Severity::info, "node a", "", "nothing"});
    QVERIFY(!fixture.queue.changed());
    fixture.context.append(NodeEnded{NodeId("b"), NodeState::away, "silent"});
    QVERIFY(fixture.queue.changed());
}

void TaskQueueTest::task_may_start_from_a_known_version() {
    Fixture fixture;
    QVERIFY(fixture.refusal("t 0 a from:1").find("version 1 of a model is not known") != std::string::npos);
    const TaskId trained = fixture.submit("t 0 a");
    fixture.end(trained);
    ModelVersion version;
    version.number = 1;
    version.task = trained;
    fixture.context.append(VersionMade{version});
    const TaskId from = fixture.submit("t 0 a from:1");
    QCOMPARE(fixture.context.state().tasks.at(from).parent, std::uint64_t{1});
    QCOMPARE(fixture.context.state().tasks.at(trained).parent, std::uint64_t{0});
}

DIVISI_TEST(TaskQueueTest)

}  // namespace task_queue_test

#include "task_queue_test.moc"
