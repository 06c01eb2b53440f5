// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/state_rows.h"
#include "backend/control/protocol/connection_messages.h"

#include "tests/support/test_program.h"

namespace state_rows_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

const TimePoint now{std::chrono::seconds(7)};

OperationTimes took(plan::OperationKind kind, int ms) {
    OperationTimes times;
    times.ended.operation.kind = kind;
    times.worked = std::chrono::milliseconds(ms);
    return times;
}

}  // namespace

/// Tests the rows that the events in an instance's life add to its store.
class StateRowsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_order_has_a_row_with_its_sender() {
        control::Deploy deploy;
        deploy.generation = 3;
        deploy.plan_hash = "ab";
        QVERIFY(order_of(deploy, "orchestrator", now) ==
                (store::OrderRow{now, "orchestrator", "deploy", "generation 3, plan ab"}));
        QCOMPARE(order_of(control::Begin{TaskId("t"), 2, 0}, "o", now)->order, std::string("begin"));
        QCOMPARE(order_of(control::EndInstance{InstanceId("t/stage-0/0#1"), "stopped"}, "o", now)->detail,
                 std::string("stopped"));
        QCOMPARE(order_of(control::TakeSnapshot{TaskId("t"), 2, 5}, "o", now)->detail,
                 std::string("generation 2, step 5"));
        QCOMPARE(order_of(control::HoldSteps{TaskId("t"), 2, 5}, "o", now)->detail,
                 std::string("generation 2, after step 5"));
        QCOMPARE(order_of(control::PreparePlan{}, "o", now)->order, std::string("prepare plan"));
        QVERIFY(!order_of(control::Heartbeat{}, "o", now));
        QVERIFY(!order_of(control::Done{}, "o", now));
    }
    void rows_exist_for_changes_and_problems_but_not_for_steps() {
        QCOMPARE(event_of(control::instance::Connected{}, now)->what, std::string("connected"));
        const auto trouble = event_of(
            control::instance::NonFatalError{{ErrorCode::exhausted, "the disk is full", "x", "make room"}}, now);
        QCOMPARE(trouble->what, std::string("trouble"));
        QVERIFY(trouble->detail.find("the disk is full") != std::string::npos);
        control::SnapshotTaken snapshot;
        snapshot.step = 5;
        snapshot.hash = "abc";
        const auto written = event_of(control::instance::SnapshotWritten{snapshot}, now);
        QCOMPARE(written->what, std::string("snapshot"));
        QVERIFY(written->detail.starts_with("step 5, ") && written->detail.ends_with("abc"));
        snapshot.error = Error{ErrorCode::exhausted, "the disk is full", "", ""};
        QCOMPARE(event_of(control::instance::SnapshotWritten{snapshot}, now)->detail,
                 std::string("step 5, none: the disk is full"));
        QVERIFY(!event_of(control::instance::StepFinished{}, now));
        QVERIFY(!event_of(control::instance::Tick{}, now));
    }
    void deployment_contains_the_plan_and_the_peers() {
        control::Deploy deploy;
        deploy.task = TaskId("t");
        deploy.instance = InstanceId("t/stage-1/0#4");
        deploy.stage = 1;
        deploy.cuts = {"a", "b"};
        deploy.generation = 2;
        control::Peers peers;
        peers.peers.resize(2);
        peers.peers[0].instance = InstanceId("t/stage-0/0#2");
        peers.peers[1].instance = deploy.instance;
        const store::Deployment made = deployment_of(deploy, peers, now);
        QCOMPARE(made.generation, Generation{2});
        QCOMPARE(made.configuration.at("cuts"), std::string("a b"));
        QCOMPARE(made.configuration.at("stage"), std::string("1"));
        QCOMPARE(made.dependencies, (std::vector<std::string>{"t/stage-0/0#2"}));
    }
    void times_of_operations_are_means_by_kind() {
        OperationMeans means;
        QVERIFY(means.means().empty());
        means.add(took(plan::OperationKind::forward, 10));
        means.add(took(plan::OperationKind::forward, 20));
        means.add(took(plan::OperationKind::optimizer, 3));
        QCOMPARE(means.means().at("forward_ms"), std::string("15"));
        QCOMPARE(means.means().at("optimizer_ms"), std::string("3"));
        means.add(took(plan::OperationKind::finish_gradients, 4));
        QCOMPARE(means.means().at("finish_gradients_ms"), std::string("4"));
        QCOMPARE(means.means().size(), std::size_t{3});
    }
};

DIVISI_TEST(StateRowsTest)

}  // namespace state_rows_test

#include "state_rows_test.moc"
