// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recut_placement.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace recut_placement_test {

using namespace divisi;
using namespace divisi::control;

namespace {

const TaskId the_task("t-1");
const NodeId a("m/a"), b("m/b"), c("m/c"), d("m/d");
using Nodes = std::vector<NodeId>;
using Heirs = std::vector<std::vector<std::int32_t>>;

/// A fixture with nodes of one MIC, and a task whose stages are on some of them.
struct Cluster : control::test::Fixture {
    std::string device = "cpu";  ///< device type of its stages

    explicit Cluster(const Nodes& nodes, const Nodes& stages, const TaskId& task = the_task) {
        std::uint64_t peer = 1;
        for (const NodeId& id : nodes) node(peer++, id.value(), "host of " + id.value(), "ipc:///" + id.value());
        run(task, stages);
    }
    void run(const TaskId& task, const Nodes& stages) {
        context.append(TaskSubmitted{task, "t", "", "/", "", {}, "me", 0});
        context.append(TaskPlanned{task});
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const Sid sid(task.value() + "/stage-" + std::to_string(i) + "/0");
            context.append(InstancePlaced{task, instance_of(sid, 1), sid, stages[i], static_cast<std::int32_t>(i)});
        }
        context.append(PhaseChanged{task, TaskPhase::exchange, ""});
    }
    /// Places a standby of the task on a node.
    void stand_by(const NodeId& node, std::int64_t number = 1) {
        const Sid sid(the_task.value() + "/standby/" + std::to_string(number));
        context.append(InstancePlaced{the_task, instance_of(sid, 1), sid, node, standby_stage});
    }
    Result<Nodes> place(const Heirs& inherits, const std::vector<std::string>& wanted = {}, std::string data = "",
                        const std::set<NodeId>& unfit = {}) {
        PlanSummary plan;
        plan.stages = static_cast<std::int32_t>(inherits.size());
        plan.inherits = inherits;
        plan.stage_nodes = wanted;
        plan.data_node = std::move(data);
        plan.device = device;
        return place_next_plan(context.state(), use_of(context.state()), context.state().tasks.at(the_task), plan, now,
                               unfit);
    }
};

}  // namespace

/// Tests on which nodes the stages of the next plan run.
class RecutPlacementTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void moving_cuts_moves_no_stage();
    void additional_stage_takes_a_free_node();
    void two_stages_share_a_node_if_none_is_free();
    void merged_stage_stays_with_most_of_its_operators();
    void data_instances_stay_on_their_nodes();
    void node_named_by_the_task_is_used();
    void node_with_another_task_is_not_free();
    void node_with_the_tasks_own_standby_may_be_used();
    void error_names_the_node_that_is_not_ready();
    void error_names_the_node_that_is_too_small();
    void node_assigned_elsewhere_meanwhile_is_detected();
    void stages_leave_a_drained_node();
    void no_stage_moves_to_a_drained_node();
    void new_stage_avoids_nodes_with_too_many_deaths();
};

void RecutPlacementTest::moving_cuts_moves_no_stage() {
    Cluster cluster({a, b, c}, {b, a});
    QCOMPARE(cluster.place({{0}, {1, 0}}).value(), (Nodes{b, a}));
    QCOMPARE(cluster.place({{0, 1}, {1}}).value(), (Nodes{b, a}));
}

void RecutPlacementTest::additional_stage_takes_a_free_node() {
    Cluster cluster({a, b, c}, {a, b});
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, c, b}));
    QCOMPARE(cluster.place({{0}, {1}, {1}}).value(), (Nodes{a, b, c}));
}

void RecutPlacementTest::two_stages_share_a_node_if_none_is_free() {
    Cluster cluster({a, b}, {a, b});
    QCOMPARE(cluster.place({{0}, {1, 0}, {1}}).value(), (Nodes{a, b, b}));
}

void RecutPlacementTest::merged_stage_stays_with_most_of_its_operators() {
    Cluster cluster({a, b, c}, {a, b, c});
    QCOMPARE(cluster.place({{0}, {2, 1}}).value(), (Nodes{a, c}));
}

void RecutPlacementTest::data_instances_stay_on_their_nodes() {
    Cluster cluster({a, b}, {a, b});
    QCOMPARE(cluster.place({{1, 0}}).value(), Nodes{a});
    QCOMPARE(cluster.place({{1, 0}}, {}, "m/a").value(), Nodes{b});
}

void RecutPlacementTest::node_named_by_the_task_is_used() {
    Cluster cluster({a, b, c, d}, {a, b});
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}, {"", "m/d", ""}).value(), (Nodes{a, d, b}));
}

void RecutPlacementTest::node_with_another_task_is_not_free() {
    Cluster cluster({a, b, c}, {a, b});
    cluster.run(TaskId("u-1"), {c});
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, a, b}));
    const auto named = cluster.place({{0}, {0, 1}, {1}}, {"", "m/c", ""});
    QVERIFY(!named.ok());
    QCOMPARE(named.error().code, ErrorCode::unavailable);
    QCOMPARE(named.error().where, std::string("node m/c"));
    QVERIFY(!named.error().next.empty());
}

void RecutPlacementTest::node_with_the_tasks_own_standby_may_be_used() {
    Cluster cluster({a, b, c}, {a, b});
    cluster.stand_by(c);
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, c, b}));
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}, {"", "m/c", ""}).value(), (Nodes{a, c, b}));
    cluster.stand_by(a, 2);  // the standby is on the node of a stage
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, c, b}));
    // A free node takes precedence over a standby's node: if that node is lost, the standby and the stage are lost
    // together.
    Cluster larger({a, b, c, d}, {a, b});
    larger.stand_by(c);
    QCOMPARE(larger.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, d, b}));
    // The standby keeps its memory.
    NodeInfo small = cluster.context.state().nodes.at(c).info;
    small.memory = 2 * process_memory - 1;
    cluster.context.append(NodeJoined{small});
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, a, b}));
    small.memory = 2 * process_memory;
    cluster.context.append(NodeJoined{small});
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, c, b}));
    // Unlike a standby, an instance of another task occupies the node.
    cluster.run(TaskId("u-1"), {c});
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, a, b}));
}

void RecutPlacementTest::error_names_the_node_that_is_not_ready() {
    Cluster cluster({a, b, c}, {a, b});
    QCOMPARE(cluster.place({{0}, {1}}, {"", "m/z"}).error().where, std::string("node m/z"));
    cluster.context.append(NodeEnded{b, NodeState::away, "silent"});
    QCOMPARE(cluster.place({{0}, {1}}).error().where, std::string("node m/b"));
}

void RecutPlacementTest::error_names_the_node_that_is_too_small() {
    Cluster cluster({a, b, c}, {a, b});
    NodeInfo small = cluster.context.state().nodes.at(c).info;
    small.memory = process_memory - 1;
    cluster.context.append(NodeJoined{small});
    const Error named = cluster.place({{0}, {0, 1}, {1}}, {"", "m/c", ""}).error();
    QCOMPARE(named.code, ErrorCode::unavailable);
    QCOMPARE(named.where, std::string("node m/c"));
    QCOMPARE(named.what, std::string("m/c has no memory for another stage"));
    QVERIFY(named.next.find("name another node") != std::string::npos);
    // If the task names no node, the stage goes to another node.
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, a, b}));
    small.memory = process_memory;
    cluster.context.append(NodeJoined{small});
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}, {"", "m/c", ""}).value(), (Nodes{a, c, b}));
    // A stage on another device does not need the node's memory.
    small.memory = process_memory - 1;
    cluster.context.append(NodeJoined{small});
    cluster.device = "cuda";
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}, {"", "m/c", ""}).value(), (Nodes{a, c, b}));
}

void RecutPlacementTest::node_assigned_elsewhere_meanwhile_is_detected() {
    Cluster cluster({a, b, c}, {a, b});
    PlanSummary plan;
    const auto check = [&] {
        return check_next_nodes(cluster.context.state(), use_of(cluster.context.state()),
                                cluster.context.state().tasks.at(the_task), plan, {a, c, b}, cluster.now);
    };
    QVERIFY(check().ok());
    cluster.run(TaskId("u-1"), {c});
    QCOMPARE(check().error().where, std::string("node m/c"));
}

void RecutPlacementTest::stages_leave_a_drained_node() {
    Cluster cluster({a, b, c}, {a, b});
    cluster.context.append(DrainChanged{b, true, "me"});
    QCOMPARE(cluster.place({{0}, {1}}).value(), (Nodes{a, c}));
    // b is not used, although the task names it
    QCOMPARE(cluster.place({{0}, {1}}, {"m/a", "m/b"}).value(), (Nodes{a, c}));
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, c, a}));
    cluster.run(TaskId("u-1"), {c});
    QCOMPARE(cluster.place({{0}, {1}}).value(), (Nodes{a, a}));
    cluster.context.append(DrainChanged{b, false, "me"});
    QCOMPARE(cluster.place({{0}, {1}}).value(), (Nodes{a, b}));
}

void RecutPlacementTest::no_stage_moves_to_a_drained_node() {
    Cluster cluster({a, b, c, d}, {a, b});
    cluster.context.append(DrainChanged{c, true, "me"});
    QCOMPARE(cluster.place({{0}, {0, 1}, {1}}).value(), (Nodes{a, d, b}));
    const auto check = check_next_nodes(cluster.context.state(), use_of(cluster.context.state()),
                                        cluster.context.state().tasks.at(the_task), {}, {a, c}, cluster.now);
    QCOMPARE(check.error().where, std::string("node m/c"));
    QVERIFY(check.error().what.find("drained") != std::string::npos);
}

/// A new stage avoids a node with too many deaths, even if another stage of the task stays on that node.
void RecutPlacementTest::new_stage_avoids_nodes_with_too_many_deaths() {
    Cluster cluster({a, b, c}, {a, b});
    cluster.context.append(DrainChanged{b, true, "me"});
    QCOMPARE(cluster.place({{0}, {1}}, {}, "", {c}).value(), (Nodes{a, a}));
    const auto none = cluster.place({{0}, {1}}, {}, "", {a, c});
    QVERIFY(!none.ok());
    QVERIFY(none.error().what.find("m/a could not keep an instance of the task running") != std::string::npos);
}

DIVISI_TEST(RecutPlacementTest)

}  // namespace recut_placement_test

#include "recut_placement_test.moc"
