// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recuts.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/recut_fixture.h"

namespace recut_preparation_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using Fixture = RecutFixture;

/// Tests how processes prepare a task's next plan while the old plan trains.
class RecutPreparationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void failed_preparation_keeps_the_old_plan_data();
    void failed_preparation_keeps_the_old_plan();
    void process_keeps_its_operators_under_another_stage_number();
    void ready_standby_becomes_the_new_stage();
    void reconnected_data_instance_is_not_waited_for();
    void late_report_of_an_abandoned_plan_is_ignored();
    void segments_are_built_before_the_stages_hold();
    void node_without_memory_for_two_segments_builds_none_ahead();
};

void RecutPreparationTest::failed_preparation_keeps_the_old_plan_data() {
    QTest::addColumn<std::optional<Error>>("error");
    QTest::addColumn<QString>("hash");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("does not compile there")
        << std::optional(Error{ErrorCode::exhausted, "no memory", "", "free some"}) << "" << ErrorCode::exhausted;
    QTest::newRow("compiles to another plan there") << std::optional<Error>() << "other" << ErrorCode::conflict;
}

void RecutPreparationTest::failed_preparation_keeps_the_old_plan() {
    QFETCH(std::optional<Error>, error);
    QFETCH(QString, hash);
    QFETCH(ErrorCode, code);
    Fixture fixture;
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(3)), Fixture::summary("next", {{0}, {0, 1}, {1}}));
    const std::uint64_t order = fixture.order(planned, second).order;
    const Output told =
        fixture.tell(fixture.instances[second], PlanPrepared{the_task, second, hash.toStdString(), error, order});
    QCOMPARE(fixture.refusal(told).code, code);
    QVERIFY(fixture.trains_by_the_old_plan() && fixture.maker.ordered.empty());
    QVERIFY(!fixture.stops(told, "c").at(0).keep);
}

/// A process may keep the operators that it has in memory, even if its stage gets another number. The other stage gets
/// a new process, which compiles the next plan from scratch.
void RecutPreparationTest::process_keeps_its_operators_under_another_stage_number() {
    Fixture fixture;
    NextPlan next;
    next.plan = Fixture::summary("next", {{0, 1}, {0}});
    next.text = "the next text";
    next.origins = {{NodeId("a"), {0, 1}}, {NodeId("a"), {0}}};
    QCOMPARE(fixture.runs.recovery().prepare_recut(the_task, next), (std::vector<InstanceId>{waits, first}));
    QCOMPARE(fixture.starts(fixture.take(), "a").at(0).instance, waits);
    const auto deploy = sent<Deploy>(fixture.serve(waits), fixture.instances[waits]).at(0);
    QCOMPARE(deploy.text, std::string("the next text"));
    QCOMPARE(deploy.plan_hash, std::string("next"));
    QCOMPARE(deploy.stage, standby_stage);
    (void)fixture.say(waits, InstancePrepared{waits, "next", -1, 1});
    QCOMPARE(fixture.state(waits), InstanceState::standby);
    fixture.runs.recovery().give_up_recut(the_task);
    QVERIFY(!fixture.stops(fixture.take(), "a").at(0).keep);
    QCOMPARE(fixture.state(waits), InstanceState::stopped);
}

/// A ready standby, which the task file asks for, only has to compile the plan.
void RecutPreparationTest::ready_standby_becomes_the_new_stage() {
    Fixture fixture(two_stages().set("place.standby", 1).text());
    Output come = fixture.pass(std::chrono::seconds(2));
    if (sent<StartInstance>(come, fixture.nodes["c"]).empty()) qFatal("no standby is started on c");
    (void)fixture.serve(waits);
    (void)fixture.say(waits, InstancePrepared{waits, "hash", -1, 1});
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(3)), Fixture::summary("next", {{0}, {0, 1}, {1}}));
    QVERIFY(fixture.starts(planned, "c").empty());
    QCOMPARE(sent<PreparePlan>(planned, fixture.instances[waits]).size(), std::size_t(1));
    (void)fixture.get_ready(planned);
    const Output force = fixture.arrive(fixture.commit());
    QCOMPARE(fixture.starts(force, "c").at(0).from, waits);
    fixture.go_on({first_again, second_again, third});
}

/// An instance's report that it has compiled the plan may be lost with its connection, and is not repeated.
void RecutPreparationTest::reconnected_data_instance_is_not_waited_for() {
    Fixture fixture;
    fixture.context.append(InstancePlaced{the_task, data_0, sid_of(data_0), NodeId("b"), dealt_stage, 1});
    (void)fixture.RunsFixture::arrive(data_0);
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(2)), Fixture::summary("next", {{0}, {1}}));
    QCOMPARE(sent<PreparePlan>(planned, fixture.instances[data_0]).size(), std::size_t(1));
    (void)fixture.context.sessions().close(fixture.instances[data_0]);
    (void)fixture.poll();
    (void)fixture.serve(data_0, InstanceState::running);
    fixture.prepare(planned);  // the report of the data instance is refused
    QCOMPARE(fixture.maker.ordered, std::vector<TaskId>{the_task});
}

/// An instance still compiles the abandoned plan when another re-cut is requested. Its failure also does not count for
/// the new re-cut.
void RecutPreparationTest::late_report_of_an_abandoned_plan_is_ignored() {
    Fixture fixture;
    const Output before = fixture.plan(fixture.ask(Fixture::stages(3)), Fixture::summary("next", {{0}, {0, 1}, {1}}));
    const std::uint64_t old = fixture.order(before, first).order;
    const Error full{ErrorCode::exhausted, "no memory", "", "free some"};
    const Output given_up = fixture.tell(fixture.instances[second], PlanPrepared{the_task, second, "", full, old});
    QCOMPARE(fixture.refusal(given_up).code, ErrorCode::exhausted);
    // Both instances are told to discard what they prepared.
    for (const InstanceId& id : {first, second}) {
        QCOMPARE(fixture.order(given_up, id).text, plain);
        QVERIFY(fixture.order(given_up, id).stage < 0);
    }
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(2)), Fixture::summary("later", {{0}, {1}}));
    const std::uint64_t now = fixture.order(planned, first).order;
    QVERIFY(now > fixture.order(given_up, first).order);
    for (const std::uint64_t order : {old, fixture.order(given_up, first).order})
        for (const std::optional<Error>& error : {std::optional<Error>(), std::optional(full)}) {
            const Output late =
                fixture.tell(fixture.instances[first], PlanPrepared{the_task, first, "next", error, order});
            QVERIFY(sent<Refused>(late, fixture.client).empty());
        }
    (void)fixture.tell(fixture.instances[second], PlanPrepared{the_task, second, "later", {}, now});
    QVERIFY(fixture.maker.ordered.empty());  // the first instance has not compiled this plan yet
    (void)fixture.tell(fixture.instances[first], PlanPrepared{the_task, first, "later", {}, now});
    QCOMPARE(fixture.maker.ordered, std::vector<TaskId>{the_task});
}

/// Each process builds the segment that it will run. A new process builds its segment once it is ready as a standby.
void RecutPreparationTest::segments_are_built_before_the_stages_hold() {
    Fixture fixture;
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(3)), Fixture::summary("next", {{0}, {0, 1}, {1}}));
    QCOMPARE(fixture.order(planned, first).stage, 0);
    QCOMPARE(fixture.order(planned, second).stage, 2);
    fixture.prepare(planned);
    (void)fixture.serve(waits);
    QVERIFY(sent<PreparePlan>(fixture.poll(), fixture.instances[waits]).empty());
    (void)fixture.say(waits, InstancePrepared{waits, "next", -1, 1});
    const Output stands_by = fixture.poll();
    QCOMPARE(fixture.order(stands_by, waits).stage, 1);
    QVERIFY(fixture.maker.ordered.empty());
    fixture.prepare(stands_by);
    QCOMPARE(fixture.maker.ordered, std::vector<TaskId>{the_task});
}

/// A process that prepares ahead holds two segments for a while. A standby holds no segment yet.
void RecutPreparationTest::node_without_memory_for_two_segments_builds_none_ahead() {
    constexpr Bytes size = Bytes{1} << 30;
    for (const Bytes memory : {size, 4 * size}) {
        Fixture fixture;
        ClusterState state = fixture.context.state();
        for (const char* name : {"a", "b", "c"}) state.nodes.at(NodeId(name)).info.memory = memory;
        PlanSummary plan = Fixture::summary("next", {{0}, {0, 1}, {1}});
        plan.memory = state.tasks.at(the_task).memory = size - process_memory;
        fixture.context.restore(std::move(state));
        const Output planned = fixture.plan(fixture.ask(Fixture::stages(3)), plan);
        QCOMPARE(fixture.order(planned, first).stage, memory == size ? -1 : 0);
        QCOMPARE(fixture.order(planned, second).stage, memory == size ? -1 : 2);
        (void)fixture.serve(waits);
        (void)fixture.say(waits, InstancePrepared{waits, "next", -1, 1});
        QCOMPARE(fixture.order(fixture.poll(), waits).stage, 1);
    }
}

DIVISI_TEST(RecutPreparationTest)

}  // namespace recut_preparation_test

#include "recut_preparation_test.moc"
