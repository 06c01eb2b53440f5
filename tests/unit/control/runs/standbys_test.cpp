// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/standbys.h"
#include "backend/control/protocol/node_messages.h"

#include "backend/control/runs/standby_pool.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/task_part_fixture.h"

namespace standbys_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

const InstanceId idle("t-1/standby/0#1"), for_recut("t-1/standby/1#1");

/// A fixture with a task of two stages whose file asks for one standby.
struct StandbysFixture : PartFixture {
    Standbys standbys{context, leases, fitness, control};

    StandbysFixture() {
        control.part = &standbys;
        context.follow([this](const Event& event) {
            leases.follow(event);
            standbys.follow(event);
        });
        train({{first, 0}, {second, 1}},
              testing::TaskFile().drop_section("train").set("split.stages", 2).set("place.standby", 1).text());
        standbys.open(the_task);
        standbys.training_begun(the_task);
    }
    void wait(Duration time) {
        pass(time);
        standbys.check_deadlines();
    }
    /// Registers the standby `id` and reports that it has prepared this plan. Returns whether Standbys took the report.
    bool get_ready(const InstanceId& id, const std::string& plan_hash) {
        context.append(InstanceJoined{id, "process of " + id.value(), "", ""});
        return standbys.handle_prepared(context.state().instances.at(id), InstancePrepared{id, plan_hash, 0, 1});
    }
};

}  // namespace

/// Tests standbys without the other classes that run tasks.
class StandbysTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wanted_standby_starts_after_a_delay();
    void late_standby_is_replaced_later();
    void standby_with_another_plan_fails();
    void fault_of_a_stage_is_not_handled();
    void recut_gets_a_standby_with_the_next_plan();
    void process_of_a_promoted_standby_is_kept();
    void ending_task_gets_no_standby();
};

void StandbysTest::wanted_standby_starts_after_a_delay() {
    StandbysFixture fixture;
    QCOMPARE(*fixture.standbys.next_deadline(), fixture.context.lived() + standby_delay);
    fixture.standbys.check_deadlines();
    QVERIFY(fixture.control.placed.empty());
    fixture.wait(standby_delay);
    QCOMPARE(fixture.control.placed.size(), std::size_t{1});
    QCOMPARE(fixture.control.placed[0].sid, sid_of(idle));
    QCOMPARE(fixture.control.placed[0].stage, standby_stage);
    QVERIFY(fixture.get_ready(idle, "hash"));
    QCOMPARE(fixture.state(idle), InstanceState::standby);
    QVERIFY(!fixture.standbys.next_deadline());
}

void StandbysTest::late_standby_is_replaced_later() {
    StandbysFixture fixture;
    fixture.wait(standby_delay);
    fixture.clear();
    fixture.wait(OrchestratorLimits{}.registration + OrchestratorLimits{}.preparation);
    QCOMPARE(fixture.state(idle), InstanceState::failed);
    QCOMPARE(fixture.sent<StopInstance>().at(0).second.instance, idle);
    QCOMPARE(*fixture.standbys.next_deadline(), fixture.context.lived() + standby_retry);
    QVERIFY(fixture.control.failures.empty());  // the task itself has no fault
    fixture.wait(standby_retry);
    QCOMPARE(fixture.control.placed.size(), std::size_t{2});
}

void StandbysTest::standby_with_another_plan_fails() {
    StandbysFixture fixture;
    fixture.wait(standby_delay);
    QVERIFY(fixture.get_ready(idle, "another hash"));
    QCOMPARE(fixture.state(idle), InstanceState::failed);
}

void StandbysTest::fault_of_a_stage_is_not_handled() {
    StandbysFixture fixture;
    Error error = fixture.error(ErrorCode::unavailable);
    QVERIFY(!fixture.standbys.handle_fault(the_task, second, error, Fault::lost));
    QVERIFY(!fixture.standbys.handle_prepared(fixture.context.state().instances.at(second), {}));
    QCOMPARE(fixture.state(second), InstanceState::running);
}

void StandbysTest::recut_gets_a_standby_with_the_next_plan() {
    StandbysFixture fixture;
    NextPlan next;
    next.text = "the next task file";
    next.plan.plan_hash = "next";
    QCOMPARE(fixture.standbys.prepare(the_task, NodeId("a"), next, {}), for_recut);
    Deploy deploy;
    fixture.standbys.complete(fixture.context.state().instances.at(for_recut), deploy);
    QCOMPARE(deploy.text, next.text);
    QCOMPARE(deploy.plan_hash, std::string("next"));
    QVERIFY(fixture.get_ready(for_recut, "next"));
    fixture.clear();
    fixture.standbys.give_up_plan(the_task);
    QCOMPARE(fixture.state(for_recut), InstanceState::stopped);
    QCOMPARE(fixture.sent<StopInstance>().at(0).second.instance, for_recut);
}

void StandbysTest::process_of_a_promoted_standby_is_kept() {
    StandbysFixture fixture;
    fixture.run(idle, standby_stage, NodeId("b"), InstanceState::standby);
    fixture.clear();
    QCOMPARE(fixture.standbys.prepare(the_task, NodeId("b"), {}, {}), idle);
    QCOMPARE(fixture.standbys.take(idle, sid_of(second)), idle);
    const auto stops = fixture.sent<StopInstance>();
    QCOMPARE(stops.size(), std::size_t{1});
    QCOMPARE(stops[0].first, fixture.b);
    QVERIFY(stops[0].second.keep);
    QVERIFY(!stands_by(fixture.context.state().instances.at(idle)));
}

void StandbysTest::ending_task_gets_no_standby() {
    StandbysFixture fixture;
    fixture.context.append(TaskEnding{the_task, Outcome::stopped, {}, "stopped"});
    QVERIFY(!fixture.standbys.next_deadline());
    fixture.wait(standby_delay);
    QVERIFY(fixture.control.placed.empty());
}

DIVISI_TEST(StandbysTest)

}  // namespace standbys_test

#include "standbys_test.moc"
