// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/data_instances.h"
#include "backend/control/protocol/node_messages.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/task_part_fixture.h"

namespace data_instances_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

/// A fixture with a task of one stage on a, and one or two data instances on b.
struct DataFixture : PartFixture {
    MeshDevices devices{context};
    DataInstances data{context, devices, leases, control};
    PeerId client = connect(50);

    explicit DataFixture(int instances = 2) {
        control.part = &data;
        context.follow([this](const Event& event) {
            leases.follow(event);
            data.follow(event);
        });
        if (instances == 1) train({{first, 0}, {data_0, dealt_stage}});
        else train({{first, 0}, {data_0, dealt_stage}, {data_1, dealt_stage}});
        data.open(the_task);
    }
    bool fault(const InstanceId& culprit, ErrorCode code = ErrorCode::unavailable) {
        Error why = error(code);
        return data.handle_fault(the_task, culprit, why, Fault::exited);
    }
    std::set<std::string> awaited() const {
        std::set<std::string> all;
        data.add_awaited(the_task, all);
        return all;
    }
    void scale(std::int32_t instances) { say(data, client, ScaleData{the_task, instances}); }
};

}  // namespace

/// Tests data instances without the other classes that run tasks.
class DataInstancesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void failed_instance_starts_again_on_its_node();
    void fault_of_a_stage_is_not_handled();
    void last_instance_with_a_repeating_error_fails_the_task();
    void vacancy_without_a_node_fails_the_task_after_a_while();
    void vacancy_is_filled_when_its_node_is_back();
    void vacancy_is_placed_with_the_next_generation();
    void instance_that_is_not_ready_in_time_fails();
    void scaling_starts_and_ends_instances();
};

void DataInstancesTest::failed_instance_starts_again_on_its_node() {
    DataFixture fixture;
    QVERIFY(fixture.fault(data_0));
    QCOMPARE(fixture.state(data_0), InstanceState::failed);
    QCOMPARE(fixture.control.placed.size(), std::size_t{1});
    QCOMPARE(fixture.control.placed[0].sid, sid_of(data_0));
    QCOMPARE(fixture.control.placed[0].node, NodeId("b"));
    QCOMPARE(fixture.control.forgotten, std::vector<InstanceId>{data_0});
    QCOMPARE(fixture.control.calls, (std::vector<std::string>{"tell_peers", "update_waits"}));
    QVERIFY(fixture.fault(data_0));  // a second report about the same process has no effect
    QCOMPARE(fixture.control.placed.size(), std::size_t{1});
}

void DataInstancesTest::fault_of_a_stage_is_not_handled() {
    DataFixture fixture;
    QVERIFY(!fixture.fault(first));
    QVERIFY(fixture.control.placed.empty());
}

void DataInstancesTest::last_instance_with_a_repeating_error_fails_the_task() {
    DataFixture fixture;
    QVERIFY(fixture.fault(data_0, ErrorCode::corrupt));  // the other data instance remains
    QVERIFY(!fixture.fault(data_1, ErrorCode::corrupt));
    QVERIFY(fixture.control.placed.empty());
    QCOMPARE(fixture.state(data_1), InstanceState::running);  // the caller fails the task and marks the instance
}

void DataInstancesTest::vacancy_without_a_node_fails_the_task_after_a_while() {
    DataFixture fixture(1);
    fixture.lose(fixture.b, "b");
    QVERIFY(fixture.fault(data_0));
    QVERIFY(fixture.control.placed.empty());
    QCOMPARE(fixture.awaited(), std::set<std::string>{"a node for data instance t-1/data/0 (it broke)"});
    QCOMPARE(*fixture.data.next_deadline(), fixture.context.lived() + OrchestratorLimits{}.away);
    fixture.pass(OrchestratorLimits{}.away);
    fixture.data.check_deadlines();
    QCOMPARE(fixture.control.failures.size(), std::size_t{1});
    QVERIFY(fixture.control.failures[0].culprit.value().empty());
    QCOMPARE(fixture.control.failures[0].error.code, ErrorCode::unavailable);
}

void DataInstancesTest::vacancy_is_filled_when_its_node_is_back() {
    DataFixture fixture(1);
    fixture.lose(fixture.b, "b");
    QVERIFY(fixture.fault(data_0));
    fixture.node(3, "b", "host of b", "");
    fixture.data.node_settled(NodeId("b"));
    QCOMPARE(fixture.control.placed.size(), std::size_t{1});
    QCOMPARE(fixture.awaited(), std::set<std::string>{"data instance t-1/data/0#2 (it is starting)"});
}

void DataInstancesTest::vacancy_is_placed_with_the_next_generation() {
    DataFixture fixture(1);
    fixture.lose(fixture.b, "b");
    QVERIFY(fixture.fault(data_0));
    fixture.data.begin_generation(the_task);
    QVERIFY(!fixture.data.next_deadline());
    fixture.data.generation_placed(the_task);
    QCOMPARE(fixture.control.placed.size(), std::size_t{1});  // the generation waits for its node
    QCOMPARE(fixture.control.placed[0].node, NodeId("b"));
}

void DataInstancesTest::instance_that_is_not_ready_in_time_fails() {
    DataFixture fixture;
    QVERIFY(fixture.fault(data_0));
    const InstanceId again = instance_of(sid_of(data_0), 2);
    fixture.clear();
    fixture.pass(OrchestratorLimits{}.registration + OrchestratorLimits{}.preparation);
    fixture.data.check_deadlines();
    QCOMPARE(fixture.control.failures.size(), std::size_t{1});
    QCOMPARE(fixture.control.failures[0].culprit, again);
    QCOMPARE(fixture.control.failures[0].error.code, ErrorCode::deadline);
    QCOMPARE(fixture.sent<StopInstance>().at(0).second.instance, again);
}

void DataInstancesTest::scaling_starts_and_ends_instances() {
    DataFixture fixture;
    fixture.scale(3);
    QCOMPARE(fixture.control.placed.size(), std::size_t{1});
    QCOMPARE(fixture.control.placed[0].sid, Sid("t-1/data/2"));
    fixture.scale(1);
    QCOMPARE(fixture.state(data_0), InstanceState::running);
    QCOMPARE(fixture.state(data_1), InstanceState::stopped);
    fixture.clear();
    fixture.scale(0);
    QVERIFY(!fixture.refusal().empty());
}

DIVISI_TEST(DataInstancesTest)

}  // namespace data_instances_test

#include "data_instances_test.moc"
