// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs.h"

#include <QTest>

#include <algorithm>

using namespace divisi;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

const TaskId the_task("t-1");
const InstanceId first("t-1/stage-0/0#1"), second("t-1/stage-1/0#1");
const InstanceId data_0("t-1/data/0#1"), data_1("t-1/data/1#1"), data_2("t-1/data/2#1");

/// Runs over a desk of their own, without an orchestrator. Its log outlives it.
struct Floor {
    std::vector<Event> log;
    Desk desk{{}};
    Models models{desk};
    MeshDevices devices{desk};
    Leases leases{desk};
    Runs runs{desk, models, devices, leases};
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;
    std::map<std::string, PeerId> nodes;
    std::map<InstanceId, PeerId> instances;

    explicit Floor(std::vector<Event> before = {}) : log(std::move(before)) {
        desk.follow([this](const Event& event) {
            leases.follow(event);
            runs.follow(event);
        });
        for (const Event& event : log) desk.replay(event);
        desk.set_time(now);
    }
    /// A process comes and says hello.
    PeerId connect(const std::string& process) {
        const PeerId peer(++last_peer);
        desk.sessions().open(peer, {true, {}, "me", ""});
        desk.sessions().at(peer).role = Role::agent;
        desk.sessions().at(peer).process = process;
        return peer;
    }
    Output join(const std::string& name, const std::vector<InstanceId>& running = {}) {
        NodeInfo info;
        info.id = NodeId(name);
        nodes[name] = connect("node " + name);
        if (!desk.sessions().bind_node(nodes[name], info)) qFatal("the node may not join");
        desk.append(NodeJoined{info});
        runs.node_joined(info.id, running);
        runs.say_who_is_awaited();
        return take();
    }
    Output serve(const InstanceId& id, InstanceState state = InstanceState::starting, const std::string& process = {}) {
        instances[id] = connect(process.empty() ? "process of " + id.value() : process);
        return say(id, RegisterInstance{id, sid_of(id), "tcp://" + id.value(), "", "f", 1, state});
    }
    template <typename M>
    Output say(const InstanceId& id, M message) {
        desk.set_time(now += milliseconds(1));
        runs.handle(Received{instances[id], 1, message}, message);
        return take();
    }
    Output pass(Duration time) {
        for (const TimePoint until = now + time; now < until;) {
            desk.set_time(now += heartbeat_interval);
            runs.check_deadlines();
        }
        return take();
    }
    Output take() {
        Output output = std::exchange(desk.output(), {});
        log.insert(log.end(), output.events.begin(), output.events.end());
        return output;
    }
    /// Two stages on a and b; they train.
    void train(std::int64_t most_seconds = 0) {
        (void)join("a");
        (void)join("b");
        desk.append(TaskSubmitted{the_task, "t", "text", "/", "", {}, "me", 0});
        PlanSummary plan;
        plan.name = "t";
        plan.stages = 2;
        plan.steps = 10;
        plan.threads = 3;
        plan.most_seconds = most_seconds;
        plan.plan_hash = "hash";
        runs.start(the_task, plan, {NodeId("a"), NodeId("b")});
        for (const InstanceId& id : {first, second}) (void)serve(id);
        (void)say(first, InstancePrepared{first, "hash", 5});
        (void)say(second, InstancePrepared{second, "hash", -1});
        if (task().phase != TaskPhase::exchange) qFatal("the task does not run");
    }
    /// One stage on a, and two data instances on b; they train.
    void train_with_data() {
        (void)join("a");
        (void)join("b");
        desk.append(TaskSubmitted{the_task, "t", "text", "/", "", {}, "me", 0});
        PlanSummary plan;
        plan.name = "t";
        plan.stages = 1;
        plan.data_instances = 2;
        plan.steps = 10;
        plan.plan_hash = "hash";
        runs.start(the_task, plan, {NodeId("a"), NodeId("b"), NodeId("b")});
        for (const InstanceId& id : {first, data_0, data_1}) (void)serve(id);
        for (const InstanceId& id : {first, data_0, data_1}) {
            if (task().phase != TaskPhase::registration) qFatal("it begins without a data instance");
            (void)say(id, InstancePrepared{id, "hash", 5});
        }
        if (task().phase != TaskPhase::exchange) qFatal("the task does not run");
    }
    InstanceState state(const InstanceId& id) const { return desk.state().instances.at(id).state; }
    Output scale(std::int32_t instances) {
        const PeerId peer = connect("client");
        desk.sessions().at(peer).role = Role::operate;
        const ScaleData message{the_task, instances};
        runs.handle(Received{peer, 1, message}, message);
        return take();
    }
    void step(std::int64_t number, Generation generation = 1) {
        StepRecord record;
        record.step = number;
        record.generation = generation;
        (void)say(second, StepReport{the_task, second, record});
    }
    const TaskView& task() const { return desk.state().tasks.at(the_task); }
};

/// After a crash: whatever was not in the log is gone.
struct Restarted : Floor {
    explicit Restarted(const Floor& before) : Floor(before.log) {
        desk.append(ClusterStarted{"test", "1", {}});
        leases.adopt();
        runs.adopt(false);
        (void)take();
    }
};

template <typename M>
std::vector<M> sent(const Output& output, PeerId peer) {
    std::vector<M> found;
    for (const Send& one : output.sends)
        if (const auto* message = std::get_if<M>(&one.message); message && one.peer == peer) found.push_back(*message);
    return found;
}

}  // namespace

/// Tasks that run, and what a restarted orchestrator makes of them.
class RunsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_restart_adopts_what_trains();
    void an_adopted_task_may_not_be_taken_over();
    void who_does_not_come_back_after_a_restart_fails_its_task();
    void what_ended_during_a_restart_is_noticed();
    void an_order_to_start_that_was_lost_is_given_again();
    void a_task_that_was_ending_ends_as_it_would_have();
    void a_task_of_an_older_version_ends_with_a_reason();
    void a_new_generation_does_steps_again();
    void an_older_generation_is_not_heard();
    void steps_that_no_instance_could_keep_are_named();
    void a_task_ends_when_its_time_is_over();
    void a_task_goes_on_without_a_data_instance_but_not_without_the_last();
    void data_instances_are_added_and_taken_out();
    void a_number_that_cannot_be_is_refused();
    void a_task_ends_though_its_data_instances_never_finish();
    void who_cannot_ask_a_gateway_is_named();
};

void RunsTest::a_task_ends_when_its_time_is_over() {
    Floor before;
    before.train(100);
    (void)before.pass(seconds(60));
    QCOMPARE(before.task().phase, TaskPhase::exchange);
    Restarted after(before);  // which does not give it more
    after.now = before.now;
    for (const InstanceId& id : {first, second}) (void)after.serve(id, InstanceState::running);
    (void)after.join("a", {first});
    (void)after.join("b", {second});
    (void)after.pass(seconds(30));
    QCOMPARE(after.task().phase, TaskPhase::exchange);
    QVERIFY(*after.runs.next_deadline() <= after.desk.lived() + seconds(10));
    (void)after.pass(seconds(11));
    QCOMPARE(after.task().ending->outcome, Outcome::failed);
    QCOMPARE(after.task().ending->error->what, std::string("it has run for the 100 s that it may"));
}

/// The instance is back before its node.
void RunsTest::a_restart_adopts_what_trains() {
    Floor before;
    before.train();
    for (std::int64_t number = 1; number <= 3; ++number) before.step(number);
    Restarted after(before);
    QCOMPARE(after.task().phase, TaskPhase::exception);
    QCOMPARE(after.task().phase_detail, std::string("waits for node a (the orchestrator was restarted), "
                                                    "node b (the orchestrator was restarted)"));
    const Output back = after.serve(second, InstanceState::running);
    QCOMPARE(sent<ResumeInstance>(back, after.instances[second]).at(0).step, std::int64_t{3});
    // It may have missed the word to begin.
    QCOMPARE(sent<Peers>(back, after.instances[second]).at(0).peers.at(0).data_endpoint, "tcp://" + first.value());
    QCOMPARE(sent<Begin>(back, after.instances[second]).at(0).eval_microbatches, 5);
    MissedReports missed{the_task, second, {}, {}};
    for (std::int64_t number = 2; number <= 6; ++number) missed.steps.push_back({number});
    QCOMPARE(after.say(second, missed).events.size(), std::size_t{3});  // 4, 5 and 6
    for (const char* node : {"a", "b"})
        QVERIFY(sent<StopInstance>(after.join(node, {*node == 'a' ? first : second}), after.nodes[node]).empty());
    (void)after.serve(first, InstanceState::running);
    QCOMPARE(after.task().phase_detail, std::string());
    QCOMPARE(after.task().phase, TaskPhase::exchange);
    (void)after.pass(std::chrono::hours(1));
    QCOMPARE(after.task().phase, TaskPhase::exchange);
    QCOMPARE(after.task().step, std::int64_t{6});
    for (const InstanceId& id : {first, second}) (void)after.say(id, InstanceFinished{{the_task, id, 10, "h", "p", 1}});
    QCOMPARE(after.task().ending->outcome, Outcome::succeeded);
}

void RunsTest::an_adopted_task_may_not_be_taken_over() {
    Floor before;
    before.train();
    Restarted after(before);
    const Output other = after.serve(second, InstanceState::running, "another process");
    QCOMPARE(sent<Refused>(other, after.instances[second]).at(0).error.code, ErrorCode::conflict);
    QVERIFY(!sent<ResumeInstance>(after.serve(second, InstanceState::running), after.instances[second]).empty());
}

void RunsTest::who_does_not_come_back_after_a_restart_fails_its_task() {
    Floor before;
    before.train();
    Restarted after(before);
    (void)after.join("a", {first});
    (void)after.join("b", {second});
    (void)after.serve(first, InstanceState::running);
    (void)after.pass(OrchestratorLimits{}.away - seconds(1));
    QCOMPARE(after.task().phase, TaskPhase::exception);
    (void)after.pass(seconds(2));
    QCOMPARE(after.task().ending->outcome, Outcome::failed);
    const std::string why = after.task().ending->error->message();
    QVERIFY2(why.find("the orchestrator was restarted, and it was not back within 20 s") != std::string::npos,
             why.c_str());
}

void RunsTest::what_ended_during_a_restart_is_noticed() {
    Floor before;
    before.train();
    Restarted after(before);
    (void)after.join("a", {first});
    (void)after.join("b");
    QCOMPARE(after.task().ending->outcome, Outcome::failed);
    QVERIFY(after.desk.state().instances.at(second).exited && !after.desk.state().instances.at(first).exited);
    // The other is told when it is back.
    QVERIFY(!sent<EndInstance>(after.serve(first, InstanceState::running), after.instances[first]).empty());
}

void RunsTest::an_order_to_start_that_was_lost_is_given_again() {
    Floor before;
    (void)before.join("a");
    before.desk.append(TaskSubmitted{the_task, "t", "text", "/", "", {}, "me", 0});
    PlanSummary plan;
    plan.threads = 3;
    plan.plan_hash = "hash";
    before.runs.start(the_task, plan, {NodeId("a")});
    (void)before.take();
    Restarted after(before);
    const Output joined = after.join("a");
    const InstanceId again = instance_of(sid_of(first), 2);
    QCOMPARE(sent<StartInstance>(joined, after.nodes["a"]).at(0).instance, again);
    QCOMPARE(sent<StartInstance>(joined, after.nodes["a"]).at(0).threads, 3);
    // A number is used once: whoever comes with the first is not taken.
    QCOMPARE(sent<Refused>(after.serve(first), after.instances[first]).at(0).error.code, ErrorCode::not_found);
    QVERIFY(!sent<Deploy>(after.serve(again), after.instances[again]).empty());
}

void RunsTest::a_task_that_was_ending_ends_as_it_would_have() {
    Floor before;
    before.train();
    const Error broken{ErrorCode::exhausted, "no memory", "", ""};
    (void)before.say(first, InstanceFailed{first, broken});
    Restarted after(before);
    (void)after.join("a", {first});
    (void)after.join("b", {second});
    QVERIFY(!sent<EndInstance>(after.serve(second, InstanceState::running), after.instances[second]).empty());
    for (const InstanceId& id : {first, second}) (void)after.say(id, InstanceExited{id, 0, 0, ""});
    QVERIFY(after.task().over());
    QCOMPARE(after.task().outcome, Outcome::failed);
    QCOMPARE(after.task().error->what, broken.what);
}

/// Its log says neither which processes the instances are nor where they take tensors.
void RunsTest::a_task_of_an_older_version_ends_with_a_reason() {
    Floor old;
    old.desk.append(TaskSubmitted{the_task, "t", "text", "/", "", {}, "me", 0});
    old.desk.append(InstancePlaced{the_task, first, sid_of(first), NodeId("a"), 0});
    old.desk.append(InstanceChanged{first, InstanceState::running, ""});
    old.desk.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
    (void)old.take();
    const Restarted after(old);
    QCOMPARE(after.task().outcome, Outcome::failed);
    QVERIFY2(after.task().error->message().find("another version") != std::string::npos,
             after.task().error->message().c_str());
}

void RunsTest::a_new_generation_does_steps_again() {
    Floor floor;
    floor.train();
    for (std::int64_t number = 1; number <= 4; ++number) floor.step(number);
    floor.desk.append(TaskPlanned{the_task, 2, {}, 10, 1, "m", "hash", {}});
    for (const std::int64_t number : {3, 4, 4, 5}) floor.step(number, 2);
    std::vector<std::pair<Generation, std::int64_t>> curve;
    for (const StepRecord& record : floor.task().history) curve.emplace_back(record.generation, record.step);
    QCOMPARE(curve, (std::vector<std::pair<Generation, std::int64_t>>{{1, 1}, {1, 2}, {2, 3}, {2, 4}, {2, 5}}));
    // What is over is not said again, what is done again is: both are events.
    const auto steps = std::count_if(floor.log.begin(), floor.log.end(),
                                     [](const Event& event) { return std::holds_alternative<StepDone>(event.body); });
    QCOMPARE(steps, std::ptrdiff_t{7});
}

void RunsTest::an_older_generation_is_not_heard() {
    Floor floor;
    floor.train();
    floor.step(1);
    floor.desk.append(TaskPlanned{the_task, 2, {}, 10, 1, "m", "hash", {}});
    floor.step(2, 1);
    QCOMPARE(floor.task().step, std::int64_t{1});
    (void)floor.say(first, InstanceFinished{{the_task, first, 10, "h", "p", 1, 1}});
    QCOMPARE(floor.desk.state().instances.at(first).state, InstanceState::running);
    // Nor may it come back.
    floor.instances[second] = floor.connect("process of " + second.value());
    RegisterInstance back{second, sid_of(second), "tcp://", "", "f", 1, InstanceState::running, the_task, 1};
    QCOMPARE(sent<Refused>(floor.say(second, back), floor.instances[second]).at(0).error.code, ErrorCode::conflict);
}

void RunsTest::steps_that_no_instance_could_keep_are_named() {
    Floor before;
    before.train();
    before.step(1);
    Restarted after(before);
    after.instances[second] = after.connect("process of " + second.value());
    RegisterInstance back{second, sid_of(second), "tcp://", "", "f", 1, InstanceState::running, the_task, 1, 90, 40};
    std::string line;
    for (const Event& event : after.say(second, back).events)
        if (std::holds_alternative<Noted>(event.body)) line = describe(event.body);
    QVERIFY2(line.find("steps 2 to 39 ") != std::string::npos, line.c_str());
}

void RunsTest::a_task_goes_on_without_a_data_instance_but_not_without_the_last() {
    Floor floor;
    floor.train_with_data();
    (void)floor.say(data_0, InstanceExited{data_0, 0, 9, ""});
    QVERIFY(!floor.task().ending);
    QCOMPARE(floor.state(data_0), InstanceState::failed);
    // Said again, and by a lost connection: it is known already.
    floor.runs.instance_gone(data_0, floor.instances[data_0], "closed");
    (void)floor.say(data_0, InstanceFailed{data_0, {ErrorCode::failed, "what", "", ""}});
    QVERIFY(!floor.task().ending);
    // An orchestrator that is restarted adopts the task without it.
    Restarted restarted(floor);
    QVERIFY(!restarted.task().ending);
    (void)floor.say(data_1, InstanceFailed{data_1, {ErrorCode::corrupt, "a broken file", "", ""}});
    QVERIFY(floor.task().ending.has_value());
    QCOMPARE(floor.task().ending->error->what, std::string("a broken file"));
}

void RunsTest::data_instances_are_added_and_taken_out() {
    Floor floor;
    floor.train_with_data();
    const Output added = floor.scale(3);
    const auto starts = sent<StartInstance>(added, floor.nodes["b"]);
    QCOMPARE(starts.size(), std::size_t{1});
    QCOMPARE(starts[0].instance, data_2);
    const Output joined = floor.serve(data_2);
    QCOMPARE(sent<Deploy>(joined, floor.instances[data_2]).at(0).stage, dealt_stage);
    QVERIFY(sent<Deploy>(joined, floor.instances[data_2]).at(0).data);
    QCOMPARE(sent<Peers>(joined, floor.instances[first]).at(0).peers.size(), std::size_t{4});
    for (const InstanceId& id : {data_0, data_2})
        QCOMPARE(sent<Peers>(joined, floor.instances[id]).at(0).peers.at(0).instance, first);
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
    const Output begun = floor.say(data_2, InstancePrepared{data_2, "hash", 5});
    QCOMPARE(sent<Begin>(begun, floor.instances[data_2]).size(), std::size_t{1});
    QVERIFY(sent<Begin>(begun, floor.instances[first]).empty());
    QCOMPARE(floor.state(data_2), InstanceState::running);

    const Output fewer = floor.scale(1);
    for (const InstanceId& id : {data_1, data_2}) {
        QCOMPARE(sent<EndInstance>(fewer, floor.instances[id]).size(), std::size_t{1});
        QCOMPARE(floor.state(id), InstanceState::stopped);
        (void)floor.say(id, InstanceExited{id, 0, 0, ""});
    }
    QVERIFY(!floor.task().ending);
    // The lowest number that is free, played by another process.
    QCOMPARE(sent<StartInstance>(floor.scale(2), floor.nodes["b"]).at(0).instance, InstanceId("t-1/data/1#2"));
}

void RunsTest::a_number_that_cannot_be_is_refused() {
    Floor floor;
    const auto refusal = [](const Output& output) {
        for (const Send& one : output.sends)
            if (const auto* refused = std::get_if<Refused>(&one.message)) return refused->error.what;
        return std::string();
    };
    QVERIFY(refusal(floor.scale(2)).find("no such task") != std::string::npos);
    floor.train_with_data();
    QVERIFY(refusal(floor.scale(0)).find("from 1 to 64") != std::string::npos);
    QVERIFY(refusal(floor.scale(65)).find("from 1 to 64") != std::string::npos);
    QCOMPARE(refusal(floor.scale(2)), std::string());
    Floor undealt;
    undealt.train();
    QVERIFY(refusal(undealt.scale(2)).find("by the instance of a stage") != std::string::npos);
}

void RunsTest::a_task_ends_though_its_data_instances_never_finish() {
    Floor floor;
    floor.train_with_data();
    WeightsStored weights;
    weights.task = the_task;
    weights.instance = first;
    weights.generation = 1;
    const Output done = floor.say(first, InstanceFinished{weights});
    for (const InstanceId& id : {first, data_0, data_1}) {
        QCOMPARE(sent<EndInstance>(done, floor.instances[id]).size(), std::size_t{1});
        QVERIFY(!floor.task().over());
        (void)floor.say(id, InstanceExited{id, 0, 0, ""});
    }
    QVERIFY(floor.task().over());
    QCOMPARE(floor.task().outcome, Outcome::succeeded);
}

void RunsTest::who_cannot_ask_a_gateway_is_named() {
    Floor floor;
    floor.train_with_data();
    const bool said = std::ranges::any_of(floor.log, [](const Event& event) {
        const auto* note = std::get_if<Noted>(&event.body);
        return note && note->text.find("the task waits until a divisi-gateway is started") != std::string::npos;
    });
    QVERIFY(said);
}

QTEST_APPLESS_MAIN(RunsTest)
#include "runs_test.moc"
