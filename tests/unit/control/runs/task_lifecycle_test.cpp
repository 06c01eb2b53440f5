// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/task_lifecycle.h"
#include "backend/control/protocol/node_messages.h"

#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/unit/control/task_part_fixture.h"

namespace task_lifecycle_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

/// A fake of recovery, standbys and data instances. Records the calls and gives the answers that the test sets.
struct FakePart final : TaskPart {
    std::vector<std::string> calls;
    std::vector<std::pair<InstanceId, Fault>> faults;
    bool answers = false, extends = false;
    std::optional<Error> vain;  ///< the error of extend_wait()

    void open(const TaskId&) override { calls.push_back("open"); }
    void started(const InstanceView& instance) override { calls.push_back("started " + instance.id.value()); }
    void training_begun(const TaskId&) override { calls.push_back("training_begun"); }
    bool handle_fault(const TaskId&, const InstanceId& culprit, Error&, Fault fault) override {
        faults.emplace_back(culprit, fault);
        return answers;
    }
    void node_refused(const TaskId&, const NodeId& node) override { calls.push_back("refused by " + node.value()); }
    void complete(const InstanceView&, Deploy& deploy) const override { deploy.text = "the part's text"; }
    Result<bool> extend_wait(const TaskId&) override {
        if (vain) return *vain;
        return extends;
    }
};

/// A fixture with a task of two stages that is placed on a and b.
struct LifecycleFixture : PartFixture {
    Models models{context};
    MeshDevices devices{context};
    KeptProcesses kept{context};
    TaskLifecycle lifecycle{context, models, devices, leases, kept, fitness};
    FakePart part;
    std::map<InstanceId, PeerId> peers;

    LifecycleFixture() {
        lifecycle.add(part);
        context.follow([this](const Event& event) {
            leases.follow(event);
            fitness.follow(event);
            lifecycle.follow(event);
            lifecycle.reports().follow(event);
        });
        context.append(TaskSubmitted{the_task, "t", synthetic_text, "/", "", {}, "me", 0});
        PlanSummary plan;
        plan.name = "t";
        plan.stages = 2;
        plan.steps = 10;
        plan.plan_hash = "hash";
        lifecycle.start(the_task, plan, {NodeId("a"), NodeId("b")});
    }
    void serve(const InstanceId& id) {
        peers[id] = PeerId(++last_peer);
        context.sessions().open(peers[id], {true, Role::agent, "", ""});
        context.sessions().at(peers[id]).process = "process of " + id.value();
        say(lifecycle, peers[id],
            RegisterInstance{id, sid_of(id), "tcp://" + id.value(), "", "f", 1, InstanceState::starting});
    }
    void begin() {
        for (const InstanceId& id : {first, second}) serve(id);
        for (const InstanceId& id : {first, second}) say(lifecycle, peers[id], InstancePrepared{id, "hash", 5});
        if (task().phase != TaskPhase::exchange) qFatal("the task does not begin");
        clear();
    }
    void wait(Duration time) {
        pass(time);
        lifecycle.check_deadlines();
    }
};

}  // namespace

/// Tests the lifecycle of tasks without recovery, standbys and data instances.
class TaskLifecycleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void instances_register_prepare_and_begin();
    void recovery_part_adds_text_and_plan_to_the_deployment();
    void fault_that_is_handled_does_not_end_the_task();
    void fault_that_is_not_handled_fails_the_task();
    void start_refused_by_a_node_is_reported_to_the_parts();
    void wait_for_registration_can_be_extended();
    void expired_wait_for_registration_fails_the_task();
    void finished_instances_end_the_task();
};

void TaskLifecycleTest::instances_register_prepare_and_begin() {
    LifecycleFixture fixture;
    QCOMPARE(fixture.part.calls,
             (std::vector<std::string>{"started " + first.value(), "started " + second.value(), "open"}));
    QCOMPARE(fixture.sent<StartInstance>().size(), std::size_t{2});
    fixture.serve(first);
    QVERIFY(fixture.sent<Peers>().empty());
    fixture.serve(second);
    QCOMPARE(fixture.sent<Peers>().size(), std::size_t{2});
    fixture.say(fixture.lifecycle, fixture.peers[first], InstancePrepared{first, "hash", 5});
    QVERIFY(fixture.sent<Begin>().empty());
    fixture.say(fixture.lifecycle, fixture.peers[second], InstancePrepared{second, "hash", -1});
    QCOMPARE(fixture.sent<Begin>().size(), std::size_t{2});
    QCOMPARE(fixture.sent<Begin>()[1].second.eval_microbatches, 5);
    QCOMPARE(fixture.part.calls.back(), std::string("training_begun"));
}

void TaskLifecycleTest::recovery_part_adds_text_and_plan_to_the_deployment() {
    LifecycleFixture fixture;
    fixture.serve(first);
    QCOMPARE(fixture.sent<Deploy>().at(0).second.text, std::string("the part's text"));
    QCOMPARE(fixture.sent<Deploy>().at(0).second.plan_hash, std::string("hash"));
}

void TaskLifecycleTest::fault_that_is_handled_does_not_end_the_task() {
    LifecycleFixture fixture;
    fixture.begin();
    fixture.part.answers = true;
    fixture.say(fixture.lifecycle, fixture.peers[first], InstanceFailed{first, fixture.error(ErrorCode::unavailable)});
    QCOMPARE(fixture.part.faults.size(), std::size_t{1});
    QCOMPARE(fixture.part.faults[0].first, first);
    QCOMPARE(fixture.part.faults[0].second, Fault::said);
    QVERIFY(!fixture.task().ending);
}

void TaskLifecycleTest::fault_that_is_not_handled_fails_the_task() {
    LifecycleFixture fixture;
    fixture.begin();
    const Error broken = fixture.error(ErrorCode::exhausted);
    fixture.say(fixture.lifecycle, fixture.peers[first], InstanceFailed{first, broken});
    QCOMPARE(fixture.task().ending->outcome, Outcome::failed);
    QCOMPARE(fixture.sent<EndInstance>().size(), std::size_t{2});
    for (const InstanceId& id : {first, second})
        fixture.say(fixture.lifecycle, fixture.a, InstanceExited{id, 0, 0, ""});
    QVERIFY(fixture.task().over());
    QCOMPARE(fixture.task().error->what, broken.what);
    QVERIFY(!fixture.lifecycle.next_deadline());
}

void TaskLifecycleTest::start_refused_by_a_node_is_reported_to_the_parts() {
    LifecycleFixture fixture;
    fixture.part.answers = true;
    fixture.say(fixture.lifecycle, fixture.b, InstanceFailed{second, fixture.error(ErrorCode::failed)});
    QCOMPARE(fixture.part.calls.back(), std::string("refused by b"));
    QCOMPARE(fixture.part.faults.at(0).second, Fault::lost);
}

void TaskLifecycleTest::wait_for_registration_can_be_extended() {
    LifecycleFixture fixture;
    fixture.serve(first);
    fixture.part.extends = true;
    fixture.wait(OrchestratorLimits{}.registration);
    QVERIFY(!fixture.task().ending);
    fixture.part.extends = false;
    fixture.wait(std::chrono::seconds(1));
    QCOMPARE(fixture.task().ending->error->what, std::string("instances did not register in time"));
    QCOMPARE(fixture.task().ending->error->where, second.value());
}

void TaskLifecycleTest::expired_wait_for_registration_fails_the_task() {
    LifecycleFixture fixture;
    fixture.part.vain = fixture.error(ErrorCode::unavailable);
    fixture.wait(OrchestratorLimits{}.registration);
    QCOMPARE(fixture.task().ending->error->what, fixture.part.vain->what);
}

void TaskLifecycleTest::finished_instances_end_the_task() {
    LifecycleFixture fixture;
    fixture.begin();
    for (const InstanceId& id : {first, second})
        fixture.say(fixture.lifecycle, fixture.peers[id], InstanceFinished{{the_task, id, 10, "h", "p", 1}});
    QCOMPARE(fixture.task().ending->outcome, Outcome::succeeded);
    QVERIFY(fixture.part.faults.empty());
}

DIVISI_TEST(TaskLifecycleTest)

}  // namespace task_lifecycle_test

#include "task_lifecycle_test.moc"
