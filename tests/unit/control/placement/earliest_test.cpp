// SPDX-License-Identifier: Apache-2.0
#include "backend/control/placement/earliest.h"

#include "tests/support/test_program.h"

namespace earliest_test {

using namespace divisi;
using namespace divisi::control;

namespace {

TimePoint at(int second) { return TimePoint(std::chrono::seconds(second)); }
const std::vector<NodeId> both{NodeId("m/a"), NodeId("m/b")};

/// Returns two nodes. A task of at most `most_seconds` seconds runs on the second; none: no task runs.
ClusterState cluster(std::optional<std::int64_t> most_seconds) {
    ClusterState state;
    for (const NodeId& id : both) {
        state.nodes[id].info.id = id;
        state.nodes[id].state = NodeState::ready;
    }
    if (!most_seconds) return state;
    const TaskId task("t-1");
    state.tasks[task].id = task;
    state.tasks[task].phase = TaskPhase::exchange;
    state.tasks[task].placed = at(100);
    state.tasks[task].most_seconds = *most_seconds;
    InstanceView& instance = state.instances[InstanceId("t-1/stage-0/0#1")];
    instance.task = task;
    instance.node = both[1];
    return state;
}

PlacementRequest alice(int now, std::int64_t most_seconds = 0) { return {"alice", {}, at(now), most_seconds}; }

}  // namespace

/// Tests the latest time at which a waiting task can start.
class EarliestTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void running_tasks_free_nodes_at_their_time_limit();
    void end_of_others_reservations_frees_nodes();
    void start_is_unknown_without_a_time_limit();
    void request_beyond_every_node_is_refused();
};

void EarliestTest::running_tasks_free_nodes_at_their_time_limit() {
    const ClusterState state = cluster(60);
    QCOMPARE(free_at_latest(state, both, alice(110)), at(160));
    QCOMPARE(free_at_latest(state, {both[0]}, alice(110)), at(110));
    QCOMPARE(free_at_latest(state, both, alice(170)), at(170));
}

void EarliestTest::end_of_others_reservations_frees_nodes() {
    ClusterState state = cluster(60);
    Reservation& kept = state.reservations[1];
    kept = {1, "", {"m/a"}, "bob", {}, at(120), at(200), "bob"};
    QCOMPARE(free_at_latest(state, both, alice(110)), at(200));
    QCOMPARE(free_at_latest(state, both, alice(110, 5)), at(160));  // the task would end before the reservation begins
    kept.submitter = "alice";
    QCOMPARE(free_at_latest(state, both, alice(110)), at(160));
}

void EarliestTest::start_is_unknown_without_a_time_limit() {
    QVERIFY(!free_at_latest(cluster(0), both, alice(110)));
    ClusterState state = cluster({});
    state.nodes[both[0]].state = NodeState::lost;
    QVERIFY(!free_at_latest(state, both, alice(110)));
}

/// Compares the device type and memory that a request asks for with those of the nodes.
void EarliestTest::request_beyond_every_node_is_refused() {
    ClusterState state = cluster({});
    state.nodes[both[0]].info.devices = {{"cpu", "Small CPU", 4, Bytes{8} << 30}};
    state.nodes[both[1]].info.devices = {{"cpu", "Large CPU", 4, Bytes{64} << 30},
                                         {"cuda:0", "H200", 0, Bytes{1} << 40}};
    task::NodeWish wish;
    const auto said = [&] {
        const auto checked = check_wish(state, wish);
        return checked.ok() ? std::string() : checked.error().message();
    };
    wish.device_type = "H200";
    QCOMPARE(said(), std::string());
    QVERIFY(!may_run_on(state, wish, state.nodes[both[0]].info));
    QVERIFY(may_run_on(state, wish, state.nodes[both[1]].info));
    wish.device_type = "H100";
    QVERIFY2(said().find("no node of the cluster has a device of type 'H100'") != std::string::npos, said().c_str());
    QVERIFY(said().find("H200") != std::string::npos);
    wish = {};
    wish.memory_mib = 32 << 10;
    QCOMPARE(said(), std::string());
    QVERIFY(!may_run_on(state, wish, state.nodes[both[0]].info));
    wish.memory_mib = 65 << 10;
    QVERIFY2(said().find("the largest has 64") != std::string::npos, said().c_str());
    wish = {};
    wish.nodes = {"m/a"};
    wish.device_type = "H200";
    QVERIFY(said().find("no node of the cluster satisfies") != std::string::npos);
}

DIVISI_TEST(EarliestTest)

}  // namespace earliest_test

#include "earliest_test.moc"
