// SPDX-License-Identifier: Apache-2.0
// Tests data instances of a training task with all classes that run tasks.

#include <algorithm>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/unit/control/runs_fixture.h"

namespace run_data_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::seconds;
using Fixture = RunsFixture;

namespace {

const InstanceId data_0_again("t-1/data/0#2");

/// Returns the instances that a node is told to start.
std::vector<InstanceId> started(Fixture& fixture, const Output& output, const std::string& node) {
    std::vector<InstanceId> instances;
    for (const StartInstance& one : sent<StartInstance>(output, fixture.nodes[node])) instances.push_back(one.instance);
    return instances;
}

bool says(const Output& output, const std::string& text) {
    return std::ranges::any_of(output.events, [&](const Event& event) {
        const auto* note = get_if<Noted>(&event.body);
        return note && note->text.find(text) != std::string::npos;
    });
}

}  // namespace

/// Tests data instances that are added, removed, die and are restarted while their task trains.
class RunDataTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void data_instances_can_be_added_and_removed();
    void impossible_numbers_are_refused();
    void task_ends_although_data_instances_never_finish();
    void task_without_a_gateway_waits_for_one();
    void dead_data_instance_is_restarted_in_place();
    void task_waits_for_its_only_data_instance();
    void data_instance_is_restarted_three_times_a_minute();
    void task_fails_without_its_last_data_instance();
    void permanent_failure_is_not_retried();
    void lost_node_has_time_to_return();
    void another_node_that_reads_the_data_takes_over();
    void node_that_could_not_start_an_instance_is_skipped();
    void data_instance_that_never_registers_is_replaced();
    void restarted_orchestrator_starts_missing_instances();
    void scaling_ends_the_wait_for_other_instances();
};

void RunDataTest::data_instances_can_be_added_and_removed() {
    Fixture fixture;
    fixture.train_with_data();
    const Output added = fixture.scale(3);
    const auto starts = sent<StartInstance>(added, fixture.nodes["b"]);
    QCOMPARE(starts.size(), std::size_t{1});
    QCOMPARE(starts[0].instance, data_2);
    const Output joined = fixture.serve(data_2);
    QCOMPARE(sent<Deploy>(joined, fixture.instances[data_2]).at(0).stage, dealt_stage);
    QVERIFY(sent<Deploy>(joined, fixture.instances[data_2]).at(0).data);
    QCOMPARE(sent<Peers>(joined, fixture.instances[first]).at(0).peers.size(), std::size_t{4});
    for (const InstanceId& id : {data_0, data_2})
        QCOMPARE(sent<Peers>(joined, fixture.instances[id]).at(0).peers.at(0).instance, first);
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    const Output begun = fixture.say(data_2, InstancePrepared{data_2, "hash", 5});
    QCOMPARE(sent<Begin>(begun, fixture.instances[data_2]).size(), std::size_t{1});
    QVERIFY(sent<Begin>(begun, fixture.instances[first]).empty());
    QCOMPARE(fixture.state(data_2), InstanceState::running);

    const Output fewer = fixture.scale(1);
    for (const InstanceId& id : {data_1, data_2}) {
        QCOMPARE(sent<EndInstance>(fewer, fixture.instances[id]).size(), std::size_t{1});
        QCOMPARE(fixture.state(id), InstanceState::stopped);
        (void)fixture.say(id, InstanceExited{id, 0, 0, ""});
    }
    QVERIFY(!fixture.task().ending);
    // The lowest free number is assigned, with a new incarnation.
    QCOMPARE(sent<StartInstance>(fixture.scale(2), fixture.nodes["b"]).at(0).instance, InstanceId("t-1/data/1#2"));
}

void RunDataTest::impossible_numbers_are_refused() {
    Fixture fixture;
    const auto refusal = [](const Output& output) {
        for (const Send& one : output.sends)
            if (const auto* refused = get_if<Refused>(&one.message)) return refused->error.what;
        return std::string();
    };
    QVERIFY(refusal(fixture.scale(2)).find("no such task") != std::string::npos);
    fixture.train_with_data();
    QVERIFY(refusal(fixture.scale(0)).find("from 1 to 64") != std::string::npos);
    QVERIFY(refusal(fixture.scale(65)).find("from 1 to 64") != std::string::npos);
    QCOMPARE(refusal(fixture.scale(2)), std::string());
    Fixture undealt;
    undealt.train();
    QVERIFY(refusal(undealt.scale(2)).find("by the instance of a stage") != std::string::npos);
}

void RunDataTest::task_ends_although_data_instances_never_finish() {
    Fixture fixture;
    fixture.train_with_data();
    WeightsStored weights;
    weights.task = the_task;
    weights.instance = first;
    weights.generation = 1;
    const Output done = fixture.say(first, InstanceFinished{weights});
    for (const InstanceId& id : {first, data_0, data_1}) {
        QCOMPARE(sent<EndInstance>(done, fixture.instances[id]).size(), std::size_t{1});
        QVERIFY(!fixture.task().over());
        (void)fixture.say(id, InstanceExited{id, 0, 0, ""});
    }
    QVERIFY(fixture.task().over());
    QCOMPARE(fixture.task().outcome, Outcome::succeeded);
}

void RunDataTest::task_without_a_gateway_waits_for_one() {
    Fixture fixture;
    fixture.train_with_data();
    const bool said = std::ranges::any_of(fixture.log, [](const Event& event) {
        const auto* note = get_if<Noted>(&event.body);
        return note && note->text.find("the task waits until a divisi-gateway is started") != std::string::npos;
    });
    QVERIFY(said);
}

void RunDataTest::dead_data_instance_is_restarted_in_place() {
    Fixture fixture;
    fixture.train_with_data();
    const Output died = fixture.kill(data_0);
    QCOMPARE(fixture.state(data_0), InstanceState::failed);
    QVERIFY(fixture.context.state().instances.at(data_0).exited);
    QCOMPARE(started(fixture, died, "b"), std::vector<InstanceId>{data_0_again});
    QVERIFY(says(died, "t-1/data/0#2 is started on b in place of t-1/data/0#1: the instance's process was killed"));
    QVERIFY(says(died, "the task continues with 1 other data instance"));
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    // The peers disconnect from the dead instance before they are told of its successor.
    QCOMPARE(sent<Peers>(died, fixture.instances[first]).back().peers.size(), std::size_t{2});
    // Further reports of the same death, also by a closed connection, change nothing.
    fixture.runs.lifecycle().instance_gone(data_0, fixture.instances[data_0], "closed");
    (void)fixture.say(data_0, InstanceFailed{data_0, {ErrorCode::failed, "what", "", ""}});
    QVERIFY(started(fixture, fixture.kill(data_0), "b").empty());
    const Output begun = fixture.arrive(data_0_again);
    QCOMPARE(sent<Begin>(begun, fixture.instances[data_0_again]).size(), std::size_t{1});
    QCOMPARE(fixture.state(data_0_again), InstanceState::running);
    QVERIFY(!fixture.task().ending);
}

void RunDataTest::task_waits_for_its_only_data_instance() {
    Fixture fixture;
    fixture.train_with_data(1);
    (void)fixture.kill(data_0);
    QVERIFY(!fixture.task().ending);
    QCOMPARE(fixture.task().phase, TaskPhase::exception);
    QCOMPARE(fixture.task().phase_detail, std::string("waits for data instance t-1/data/0#2 (it is starting)"));
    (void)fixture.arrive(data_0_again);
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    QCOMPARE(fixture.task().phase_detail, std::string());
}

void RunDataTest::data_instance_is_restarted_three_times_a_minute() {
    Fixture fixture;
    fixture.train_with_data();
    for (Incarnation number = 1; number <= data_restarts.most; ++number) {
        QCOMPARE(started(fixture, fixture.kill(instance_of(sid_of(data_0), number)), "b").size(), std::size_t{1});
        (void)fixture.arrive(instance_of(sid_of(data_0), number + 1));
    }
    const Output once_more = fixture.kill(instance_of(sid_of(data_0), data_restarts.most + 1));
    QVERIFY(started(fixture, once_more, "b").empty());
    QVERIFY(says(once_more, "the data instance is not restarted: restarted 3 times within 60 s"));
    QVERIFY(!fixture.task().ending);  // there is another data instance
    // Each data instance has its own retry budget, which is restored after a minute.
    QCOMPARE(started(fixture, fixture.kill(data_1), "b").size(), std::size_t{1});
    (void)fixture.arrive(instance_of(sid_of(data_1), 2));
    for (Incarnation number = 2; number <= data_restarts.most; ++number) {
        (void)fixture.kill(instance_of(sid_of(data_1), number));
        (void)fixture.arrive(instance_of(sid_of(data_1), number + 1));
    }
    (void)fixture.pass(data_restarts.window);
    QCOMPARE(started(fixture, fixture.kill(instance_of(sid_of(data_1), 4)), "b").size(), std::size_t{1});
    QVERIFY(!fixture.task().ending);
}

void RunDataTest::task_fails_without_its_last_data_instance() {
    Fixture fixture;
    fixture.train_with_data(1);
    for (Incarnation number = 1; number <= data_restarts.most; ++number) {
        (void)fixture.kill(instance_of(sid_of(data_0), number));
        QVERIFY(!fixture.task().ending);
    }
    (void)fixture.kill(instance_of(sid_of(data_0), data_restarts.most + 1));
    QVERIFY(fixture.task().ending.has_value());
    QVERIFY(fixture.task().ending->error->what.find("killed by signal 9") != std::string::npos);
    QVERIFY(!fixture.runs.next_deadline() || *fixture.runs.next_deadline() > fixture.context.lived());
}

/// Corrupt data would also make the next process fail.
void RunDataTest::permanent_failure_is_not_retried() {
    Fixture fixture;
    fixture.train_with_data();
    const Output failed = fixture.say(data_0, InstanceFailed{data_0, {ErrorCode::corrupt, "a broken file", "", ""}});
    QVERIFY(started(fixture, failed, "b").empty());
    QVERIFY(says(failed, "its error (a broken file) would repeat in the next instance"));
    QVERIFY(!fixture.task().ending);
    (void)fixture.say(data_1, InstanceFailed{data_1, {ErrorCode::corrupt, "a broken file", "", ""}});
    QVERIFY(fixture.task().ending.has_value());
    QCOMPARE(fixture.task().ending->error->what, std::string("a broken file"));
}

void RunDataTest::lost_node_has_time_to_return() {
    Fixture fixture;
    fixture.train_with_data(1);
    (void)fixture.lose("b");
    QVERIFY(!fixture.task().ending);
    QCOMPARE(fixture.task().phase_detail,
             std::string("waits for a node for data instance t-1/data/0 (node b was lost)"));
    (void)fixture.pass(OrchestratorLimits{}.away - seconds(2));
    QVERIFY(!fixture.task().ending);
    QCOMPARE(started(fixture, fixture.join("b"), "b"), std::vector<InstanceId>{data_0_again});
    (void)fixture.arrive(data_0_again);
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);

    (void)fixture.lose("b");
    (void)fixture.pass(OrchestratorLimits{}.away + seconds(1));
    QVERIFY(fixture.task().ending.has_value());
    const std::string why = fixture.task().ending->error->message();
    QVERIFY2(why.find("no node could restart data instance t-1/data/0 within 20 s") != std::string::npos, why.c_str());
}

void RunDataTest::another_node_that_reads_the_data_takes_over() {
    const std::string text =
        testing::TaskFile().drop_section("train").set("data.instances", 1).set("place.avoid", {"m/c"}).text();
    const FileRef brought{"data", "/data.csv", "0123", 10, false};
    for (const bool bound : {false, true}) {
        Fixture fixture;
        fixture.train_with_data(1, text, bound ? std::vector{brought} : std::vector<FileRef>{});
        fixture.open_gateway();
        (void)fixture.join("m/c");  // a node that the task may not use
        (void)fixture.join("d");
        const Output lost = fixture.lose("b");
        QVERIFY(started(fixture, lost, "m/c").empty());
        QCOMPARE(started(fixture, lost, "d").size(), std::size_t{bound ? 0u : 1u});
        QVERIFY(!fixture.task().ending);
    }
}

void RunDataTest::node_that_could_not_start_an_instance_is_skipped() {
    Fixture fixture;
    fixture.train_with_data(1);
    const Error ending{ErrorCode::unavailable, "its node is ending", "b", ""};
    const Output ended = fixture.hear(fixture.nodes["b"], InstanceFailed{data_0, ending});
    QVERIFY(started(fixture, ended, "b").empty());
    (void)fixture.pass(seconds(5));
    QVERIFY(!fixture.task().ending);
    QCOMPARE(fixture.state(data_0), InstanceState::failed);
    // The node agent has restarted.
    (void)fixture.context.sessions().close(fixture.nodes["b"]);
    fixture.context.sessions().give_up(NodeId("b"));
    QCOMPARE(started(fixture, fixture.join("b"), "b"), std::vector<InstanceId>{data_0_again});
}

void RunDataTest::data_instance_that_never_registers_is_replaced() {
    Fixture fixture;
    fixture.train_with_data(1);
    (void)fixture.kill(data_0);
    const OrchestratorLimits limits;
    const Output late = fixture.pass(limits.registration + limits.preparation + seconds(1));
    QCOMPARE(started(fixture, late, "b"), std::vector<InstanceId>{instance_of(sid_of(data_0), 3)});
    QCOMPARE(sent<StopInstance>(late, fixture.nodes["b"]).at(0).instance, data_0_again);
    QVERIFY(!fixture.task().ending);
    // The old instance ends after its successor was started, and its node frees the slot.
    (void)fixture.hear(fixture.nodes["b"], InstanceExited{data_0_again, 0, 15, ""});
    QVERIFY(fixture.context.state().instances.at(data_0_again).exited);
}

void RunDataTest::restarted_orchestrator_starts_missing_instances() {
    Fixture fixture;
    fixture.train_with_data(1);
    (void)fixture.lose("b");
    Restarted after(fixture);
    QVERIFY(!after.task().ending);
    (void)after.join("a", {first});
    (void)after.serve(first, InstanceState::running);
    QCOMPARE(started(after, after.join("b"), "b"), std::vector<InstanceId>{data_0_again});
}

void RunDataTest::scaling_ends_the_wait_for_other_instances() {
    Fixture fixture;
    fixture.train_with_data();
    (void)fixture.hear(fixture.nodes["b"],
                       InstanceFailed{data_0, {ErrorCode::unavailable, "its node is ending", "b", ""}});
    QCOMPARE(fixture.state(data_0), InstanceState::failed);
    (void)fixture.scale(1);  // scales down to only the other data instance
    (void)fixture.context.sessions().close(fixture.nodes["b"]);
    fixture.context.sessions().give_up(NodeId("b"));
    QVERIFY(started(fixture, fixture.join("b", {data_1}), "b").empty());
}

DIVISI_TEST(RunDataTest)

}  // namespace run_data_test

#include "run_data_test.moc"
