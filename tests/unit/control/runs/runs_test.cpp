// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/runs.h"

#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/unit/control/runs_fixture.h"

namespace runs_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::seconds;
using Fixture = RunsFixture;

/// Tests how tasks run, and how a restarted orchestrator adopts them.
class RunsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void restart_adopts_training_tasks();
    void adopted_instance_cannot_be_taken_over();
    void instance_missing_after_a_restart_fails_its_task();
    void exits_during_a_restart_are_noticed();
    void lost_start_order_is_repeated();
    void ending_task_ends_as_intended_after_a_restart();
    void task_of_an_older_version_ends_with_a_reason();
    void new_generation_repeats_steps();
    void older_generation_is_ignored();
    void newest_load_of_each_instance_is_forwarded();
    void log_names_the_steps_that_no_instance_can_report_again();
    void task_ends_at_its_time_limit();
};

void RunsTest::task_ends_at_its_time_limit() {
    Fixture before;
    before.train(100);
    (void)before.pass(seconds(60));
    QCOMPARE(before.task().phase, TaskPhase::exchange);
    Restarted after(before);  // a restart does not extend the time limit
    after.now = before.now;
    for (const InstanceId& id : {first, second}) (void)after.serve(id, InstanceState::running);
    (void)after.join("a", {first});
    (void)after.join("b", {second});
    (void)after.pass(seconds(30));
    QCOMPARE(after.task().phase, TaskPhase::exchange);
    QVERIFY(*after.runs.next_deadline() <= after.context.lived() + seconds(10));
    (void)after.pass(seconds(11));
    QCOMPARE(after.task().ending->outcome, Outcome::failed);
    QCOMPARE(after.task().ending->error->what, std::string("it has used up its time limit of 100 s"));
}

void RunsTest::newest_load_of_each_instance_is_forwarded() {
    Fixture fixture;
    fixture.train();
    const auto report = [&](const InstanceId& id, std::int64_t step) {
        InstanceLoad load;
        load.instance = id;
        load.step = step;
        (void)fixture.say(id, LoadReport{load});
    };
    for (std::int64_t number = 1; number <= 3; ++number) report(second, number);
    report(first, 7);
    const auto loads = fixture.runs.reports().take_new_loads();
    QCOMPARE(loads.size(), std::size_t{2});
    QCOMPARE(loads[0].instance, first);
    QCOMPARE(loads[0].step, std::int64_t{7});
    QCOMPARE(loads[1].step, std::int64_t{3});
    report(first, 8);
    const auto later = fixture.runs.reports().take_new_loads();
    QCOMPARE(later.size(), std::size_t{1});
    QCOMPARE(later[0].step, std::int64_t{8});
    QVERIFY(fixture.runs.reports().take_new_loads().empty());
    QCOMPARE(fixture.runs.reports().loads().size(), std::size_t{2});  // the latest load of each instance is kept
}

/// The instance reconnects before its node.
void RunsTest::restart_adopts_training_tasks() {
    Fixture before;
    before.train();
    for (std::int64_t number = 1; number <= 3; ++number) before.step(number);
    Restarted after(before);
    QCOMPARE(after.task().phase, TaskPhase::exception);
    QCOMPARE(after.task().phase_detail, std::string("waits for node a (the orchestrator was restarted), "
                                                    "node b (the orchestrator was restarted)"));
    const Output back = after.serve(second, InstanceState::running);
    QCOMPARE(sent<ResumeInstance>(back, after.instances[second]).at(0).step, std::int64_t{3});
    // The instance may have missed the order to begin.
    QCOMPARE(sent<Peers>(back, after.instances[second]).at(0).peers.at(0).data_endpoint, "tcp://" + first.value());
    QCOMPARE(sent<Begin>(back, after.instances[second]).at(0).eval_microbatches, 5);
    MissedReports missed{the_task, second, {}, {}};
    for (std::int64_t number = 2; number <= 6; ++number) missed.steps.push_back({number});
    QCOMPARE(after.say(second, missed).events.size(), std::size_t{3});  // steps 4, 5 and 6
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

void RunsTest::adopted_instance_cannot_be_taken_over() {
    Fixture before;
    before.train();
    Restarted after(before);
    const Output other = after.serve(second, InstanceState::running, "another process");
    QCOMPARE(sent<Refused>(other, after.instances[second]).at(0).error.code, ErrorCode::conflict);
    QVERIFY(!sent<ResumeInstance>(after.serve(second, InstanceState::running), after.instances[second]).empty());
}

void RunsTest::instance_missing_after_a_restart_fails_its_task() {
    Fixture before;
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

void RunsTest::exits_during_a_restart_are_noticed() {
    Fixture before;
    before.train();
    Restarted after(before);
    (void)after.join("a", {first});
    (void)after.join("b");
    QCOMPARE(after.task().ending->outcome, Outcome::failed);
    QVERIFY(after.context.state().instances.at(second).exited && !after.context.state().instances.at(first).exited);
    // The other instance is told to end when it reconnects.
    QVERIFY(!sent<EndInstance>(after.serve(first, InstanceState::running), after.instances[first]).empty());
}

void RunsTest::lost_start_order_is_repeated() {
    Fixture before;
    (void)before.join("a");
    before.context.append(TaskSubmitted{the_task, "t", "text", "/", "", {}, "me", 0});
    PlanSummary plan;
    plan.threads = 3;
    plan.plan_hash = "hash";
    before.runs.lifecycle().start(the_task, plan, {NodeId("a")});
    (void)before.take();
    Restarted after(before);
    const Output joined = after.join("a");
    const InstanceId again = instance_of(sid_of(first), 2);
    QCOMPARE(sent<StartInstance>(joined, after.nodes["a"]).at(0).instance, again);
    QCOMPARE(sent<StartInstance>(joined, after.nodes["a"]).at(0).threads, 3);
    // An incarnation number is used once, so a process with the first number is refused.
    QCOMPARE(sent<Refused>(after.serve(first), after.instances[first]).at(0).error.code, ErrorCode::not_found);
    QVERIFY(!sent<Deploy>(after.serve(again), after.instances[again]).empty());
}

void RunsTest::ending_task_ends_as_intended_after_a_restart() {
    Fixture before;
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

/// The old log contains neither the processes of the instances nor their data endpoints.
void RunsTest::task_of_an_older_version_ends_with_a_reason() {
    Fixture old;
    old.context.append(TaskSubmitted{the_task, "t", "text", "/", "", {}, "me", 0});
    old.context.append(InstancePlaced{the_task, first, sid_of(first), NodeId("a"), 0});
    old.context.append(InstanceChanged{first, InstanceState::running, ""});
    old.context.append(PhaseChanged{the_task, TaskPhase::exchange, ""});
    (void)old.take();
    const Restarted after(old);
    QCOMPARE(after.task().outcome, Outcome::failed);
    QVERIFY2(after.task().error->message().find("another version") != std::string::npos,
             after.task().error->message().c_str());
}

void RunsTest::new_generation_repeats_steps() {
    Fixture fixture;
    fixture.train();
    for (std::int64_t number = 1; number <= 4; ++number) fixture.step(number);
    fixture.context.append(TaskPlanned{the_task, 2, {}, 10, 1, "m", "hash", {}});
    for (const std::int64_t number : {3, 4, 4, 5}) fixture.step(number, 2);
    std::vector<std::pair<Generation, std::int64_t>> curve;
    for (const StepRecord& record : fixture.task().history) curve.emplace_back(record.generation, record.step);
    QCOMPARE(curve, (std::vector<std::pair<Generation, std::int64_t>>{{1, 1}, {1, 2}, {2, 3}, {2, 4}, {2, 5}}));
    // Reports of steps that the generation has already done are ignored. Steps done again in a new generation are
    // reported again, and both reports are events.
    const auto steps = std::count_if(fixture.log.begin(), fixture.log.end(),
                                     [](const Event& event) { return holds_alternative<StepDone>(event.body); });
    QCOMPARE(steps, std::ptrdiff_t{7});
}

void RunsTest::older_generation_is_ignored() {
    Fixture fixture;
    fixture.train();
    fixture.step(1);
    fixture.context.append(TaskPlanned{the_task, 2, {}, 10, 1, "m", "hash", {}});
    fixture.step(2, 1);
    QCOMPARE(fixture.task().step, std::int64_t{1});
    (void)fixture.say(first, InstanceFinished{{the_task, first, 10, "h", "p", 1, 1}});
    QCOMPARE(fixture.context.state().instances.at(first).state, InstanceState::running);
    // An instance of the older generation also may not reconnect.
    fixture.instances[second] = fixture.connect("process of " + second.value());
    RegisterInstance back{second, sid_of(second), "tcp://", "", "f", 1, InstanceState::running, the_task, 1};
    QCOMPARE(sent<Refused>(fixture.say(second, back), fixture.instances[second]).at(0).error.code, ErrorCode::conflict);
}

void RunsTest::log_names_the_steps_that_no_instance_can_report_again() {
    Fixture before;
    before.train();
    before.step(1);
    Restarted after(before);
    after.instances[second] = after.connect("process of " + second.value());
    RegisterInstance back{second, sid_of(second), "tcp://", "", "f", 1, InstanceState::running, the_task, 1, 90, 40};
    std::string line;
    for (const Event& event : after.say(second, back).events)
        if (holds_alternative<Noted>(event.body)) line = describe(event.body);
    QVERIFY2(line.find("steps 2 to 39 ") != std::string::npos, line.c_str());
}

DIVISI_TEST(RunsTest)

}  // namespace runs_test

#include "runs_test.moc"
