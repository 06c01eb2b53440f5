// SPDX-License-Identifier: Apache-2.0
// Tests re-cuts and moves of a task with a stage that died too often on a node: Recuts::nodes_for().

#include "tests/unit/control/recut_fixture.h"

#include "tests/support/test_program.h"

namespace recut_exhausted_nodes_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

/// A fixture in which stage 1 died four times on b and continued on c. Stage 0, whose only snapshot is on b, has stayed
/// there.
struct Fixture : RecutFixture {
    Fixture() {
        commit(3, {NodeId("a"), NodeId("b")}, {NodeId("b")});
        (void)lose("a");
        go_on({newest(first), newest(second)});
        commit(5, {NodeId("b")}, {NodeId("b"), NodeId("c")});
        for (int i = 0; i < 4; ++i) (void)hear(nodes["b"], InstanceExited{newest(second), 0, 9, ""});
        go_on({newest(first), newest(second)});
        if (node_of(first) != NodeId("b") || node_of(second) != NodeId("c")) qFatal("the stages are on other nodes");
    }
    void commit(std::int64_t step, const std::vector<NodeId>& by_first, const std::vector<NodeId>& by_second) {
        const std::string number = std::to_string(step);
        context.append(CheckpointCommitted{the_task,
                                           {1,
                                            step,
                                            now,
                                            {{sid_of(first), 0, "first-" + number, 10, by_first},
                                             {sid_of(second), 1, "second-" + number, 10, by_second}}}});
        (void)take();
    }
    InstanceId newest(const InstanceId& of) const {
        Incarnation number = 1;
        while (context.state().instances.contains(instance_of(sid_of(of), number + 1))) ++number;
        return instance_of(sid_of(of), number);
    }
    NodeId node_of(const InstanceId& of) const { return context.state().instances.at(newest(of)).node; }
    /// Requests a plan of three stages. For each stage, the task file names a node or no node.
    Output ask_for(const std::vector<std::string>& wanted) {
        PlanSummary plan = summary("next", {{0}, {0, 1}, {1}});
        plan.stage_nodes = wanted;
        return plan_of(plan);
    }
    Output plan_of(const PlanSummary& plan) { return RecutFixture::plan(ask(stages(3)), plan); }
    static bool notes(const Output& output, const std::string& words) {
        return std::ranges::any_of(logged<Noted>(output),
                                   [&](const Noted& note) { return note.text.find(words) != std::string::npos; });
    }
};

}  // namespace

class RecutExhaustedNodesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void node_on_which_the_stage_died_too_often_is_refused();
    void another_stage_may_use_that_node();
    void rejoined_node_may_be_named();
    void drain_keeps_the_stage_on_its_new_node();
};

void RecutExhaustedNodesTest::node_on_which_the_stage_died_too_often_is_refused() {
    Fixture fixture;
    const Generation generation = fixture.task().generation;
    const Output planned = fixture.ask_for({"", "b", ""});
    const Error error = fixture.refusal(planned);
    QCOMPARE(error.code, ErrorCode::unavailable);
    QCOMPARE(error.where, std::string("node b"));
    QCOMPARE(error.what,
             std::string("stage 1 of the new plan cannot run on a node where it failed too often (faults there: 4)"));
    QCOMPARE(error.next, std::string("name another node for the stage, or repair this node and start its agent again"));
    // The old plan continues, and nothing was started.
    QVERIFY(fixture.task().phase == TaskPhase::exchange && fixture.task().plan_hash == "hash");
    QCOMPARE(fixture.task().generation, generation);
    QVERIFY(!fixture.recuts.changes(the_task) && fixture.maker.ordered.empty());
    QVERIFY(fixture.starts(planned, "b").empty() && fixture.starts(planned, "c").empty());
    // A request that names another node is accepted.
    QVERIFY(sent<Refused>(fixture.ask_for({"", "c", ""}), fixture.client).empty());
    QVERIFY(fixture.recuts.changes(the_task));
}

void RecutExhaustedNodesTest::another_stage_may_use_that_node() {
    Fixture fixture;
    const Output planned = fixture.ask_for({"b", "", ""});
    QVERIFY(sent<Refused>(planned, fixture.client).empty());
    QVERIFY(fixture.recuts.changes(the_task));
}

void RecutExhaustedNodesTest::rejoined_node_may_be_named() {
    Fixture fixture;
    fixture.commit(6, {NodeId("b"), NodeId("c")}, {NodeId("c")});
    (void)fixture.lose("b");
    (void)fixture.join("b");
    fixture.go_on({fixture.newest(first), fixture.newest(second)});
    QVERIFY(sent<Refused>(fixture.ask_for({"", "b", ""}), fixture.client).empty());
    QVERIFY(fixture.recuts.changes(the_task));
}

/// The task file still names b, but draining another node does not move the stage back there.
void RecutExhaustedNodesTest::drain_keeps_the_stage_on_its_new_node() {
    Fixture fixture;
    QVERIFY(fixture.recuts.move(the_task, "me").ok());
    PlanSummary plan = Fixture::summary("hash", {{0}, {1}});
    plan.stage_nodes = {"", "b"};
    const Output planned = fixture.RecutFixture::plan(fixture.take(), plan);
    QVERIFY(Fixture::notes(planned, "will continue with its stages on b, c"));
    QVERIFY(fixture.recuts.changes(the_task));
}

DIVISI_TEST(RecutExhaustedNodesTest)

}  // namespace recut_exhausted_nodes_test

#include "recut_exhausted_nodes_test.moc"
