// SPDX-License-Identifier: Apache-2.0
#include "backend/control/agent/node_agent.h"

#include "tests/support/test_program.h"

namespace node_agent_test {

using namespace divisi;
using namespace divisi::control;

/// How a node agent ends: it says why before its instances end, and goodbye when the last one has.
class NodeAgentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void says_why_its_instances_end_and_goodbye_last();
    void says_nothing_to_nobody();
    void a_broken_connection_ends_no_instance();
    void instances_end_when_nobody_comes_back();
    void a_goodbye_ends_it_unless_the_orchestrator_comes_back();
    void a_refused_registration_is_told();
    void a_kept_process_plays_the_next_instance();
    void a_kept_process_ends_where_nobody_comes();
    void a_kept_process_that_dies_is_replaced();
    void a_process_that_cannot_be_told_ends();
    void who_is_to_go_on_waits_for_the_process();
    void a_fault_is_made_of_what_runs();
    void a_fault_of_its_own_takes_all_with_it();

private:
    template <typename M>
    static std::vector<M> said(const node::Output& output) {
        std::vector<M> found;
        for (const node::SendUp& up : output.sends)
            if (const auto* message = std::get_if<M>(&up.message)) found.push_back(*message);
        return found;
    }
    static NodeAgent with_instances(const std::vector<std::string>& names, bool connected) {
        NodeInfo info;
        info.id = NodeId("m/n");
        NodeAgent agent(info);
        (void)agent.step(node::Connected{}, start);
        (void)agent.step(node::FromOrchestrator{1, Done{}}, start);
        for (const std::string& name : names)
            (void)agent.step(node::FromOrchestrator{0, StartInstance{TaskId("t"), InstanceId(name), Sid(name), 1}},
                             start);
        if (!connected) (void)agent.step(node::Disconnected{}, start);
        return agent;
    }
    /// One instance, "a", whose process is kept.
    static NodeAgent with_kept() {
        NodeAgent agent = with_instances({"a"}, true);
        (void)agent.step(node::FromOrchestrator{0, StopInstance{InstanceId("a"), true}}, start);
        (void)agent.step(node::Kept{InstanceId("a"), {.cpu_ms = 7}}, start);
        return agent;
    }
    static node::FromOrchestrator next(const std::string& name, const std::string& from) {
        return {0, StartInstance{TaskId("t"), InstanceId(name), Sid(name), 1, 1, InstanceId(from)}};
    }
    static constexpr TimePoint start{std::chrono::seconds(100)};
};

void NodeAgentTest::says_why_its_instances_end_and_goodbye_last() {
    NodeAgent agent = with_instances({"a", "b"}, true);
    const node::Output told = agent.step(node::Terminate{}, start);
    QCOMPARE(said<InstanceFailed>(told).size(), std::size_t(2));
    QVERIFY(said<InstanceFailed>(told).front().error.message().find("node is ending") != std::string::npos);
    QCOMPARE(told.signals.size(), std::size_t(2));
    QVERIFY(said<Goodbye>(told).empty() && !told.exit);
    QVERIFY(said<InstanceFailed>(agent.step(node::Terminate{}, start)).empty());  // once is enough
    QVERIFY(!agent.step(node::ChildExited{InstanceId("a"), 0, 15, ""}, start).exit);
    const node::Output last = agent.step(node::ChildExited{InstanceId("b"), 0, 15, ""}, start);
    QVERIFY(last.exit);
    QCOMPARE(said<InstanceExited>(last).size(), std::size_t(1));
    QVERIFY(std::holds_alternative<Goodbye>(last.sends.back().message));
}

void NodeAgentTest::says_nothing_to_nobody() {
    NodeAgent agent = with_instances({"a"}, false);
    QVERIFY(agent.step(node::Terminate{}, start).sends.empty());
    QVERIFY(said<Goodbye>(agent.step(node::ChildExited{InstanceId("a"), 0, 15, ""}, start)).empty());
}

/// It registers again with what runs, and then says what ended meanwhile.
void NodeAgentTest::a_broken_connection_ends_no_instance() {
    NodeAgent agent = with_instances({"a", "b"}, false);
    QVERIFY(agent.step(node::ChildExited{InstanceId("a"), 3, 0, "", {.cpu_ms = 7}}, start).sends.empty());
    const node::Output back = agent.step(node::Connected{}, start);
    QVERIFY(back.signals.empty());
    const auto registered = said<RegisterNode>(back);
    QCOMPARE(registered.size(), std::size_t(1));
    QCOMPARE(registered[0].instances, (std::vector<InstanceId>{InstanceId("b"), InstanceId("a")}));
    QVERIFY(said<NodeReport>(agent.step(node::Load{}, start)).empty());  // nobody yet
    const node::Output done = agent.step(node::FromOrchestrator{1, Done{}}, start);
    QCOMPARE(said<InstanceExited>(done).size(), std::size_t(1));
    QCOMPARE(said<InstanceExited>(done)[0].code, 3);
    QCOMPARE(said<InstanceExited>(done)[0].usage.cpu_ms.value(), std::int64_t(7));
    const auto reports = said<NodeReport>(agent.step(node::Load{0, 0, {{InstanceId("b"), {.cpu_ms = 8}}}}, start));
    QCOMPARE(reports.size(), std::size_t(1));
    QCOMPARE(reports[0].usages.at(0).usage.cpu_ms.value(), std::int64_t(8));
}

void NodeAgentTest::instances_end_when_nobody_comes_back() {
    for (const bool farewell : {false, true}) {
        NodeAgent agent = with_instances({"a"}, true);
        TimePoint now = start;
        if (farewell) (void)agent.step(node::FromOrchestrator{0, Goodbye{"for good"}}, now);
        (void)agent.step(node::Disconnected{}, now);
        Duration passed{};
        while (agent.step(node::Load{}, now += heartbeat_interval).signals.empty()) passed += heartbeat_interval;
        const Duration grace = farewell ? farewell_grace : orphan_grace;
        QVERIFY(passed < grace && passed + 2 * heartbeat_interval > grace);
    }
}

/// Dismissed after the grace, when its instances have ended; a crash without a goodbye dismisses nobody.
void NodeAgentTest::a_goodbye_ends_it_unless_the_orchestrator_comes_back() {
    const auto wait = [](NodeAgent& agent, TimePoint& now, Duration time) {
        node::Output last;
        for (Duration passed{}; passed <= time && !last.exit; passed += heartbeat_interval)
            last = agent.step(node::Load{}, now += heartbeat_interval);
        return last;
    };
    for (const bool goodbye : {false, true}) {
        for (const bool back : {false, true}) {
            NodeAgent agent = with_instances({}, true);
            TimePoint now = start;
            if (goodbye) (void)agent.step(node::FromOrchestrator{0, Goodbye{"for good"}}, now);
            (void)agent.step(node::Disconnected{}, now);
            if (back) QVERIFY(!wait(agent, now, farewell_grace / 2).exit);
            if (back) (void)agent.step(node::Connected{}, now);
            const node::Output last = wait(agent, now, 2 * orphan_grace);
            QCOMPARE(last.exit, goodbye && !back);
            QCOMPARE(last.dismissed, goodbye && !back);
        }
    }
    NodeAgent agent = with_instances({"a"}, true);
    TimePoint now = start;
    (void)agent.step(node::FromOrchestrator{0, Goodbye{"for good"}}, now);
    (void)agent.step(node::Disconnected{}, now);
    QVERIFY(!wait(agent, now, farewell_grace).exit);  // the instance still runs, and is asked to end
    const node::Output last = agent.step(node::ChildExited{InstanceId("a"), 0, 15, ""}, now);
    QVERIFY(last.exit && last.dismissed);
    NodeAgent by_hand = with_instances({}, true);
    (void)by_hand.step(node::FromOrchestrator{0, Goodbye{"for good"}}, start);
    const node::Output told = by_hand.step(node::Terminate{}, start);
    QVERIFY(told.exit && !told.dismissed);
}

void NodeAgentTest::a_refused_registration_is_told() {
    NodeInfo info;
    info.id = NodeId("m/n");
    NodeAgent agent(info);
    (void)agent.step(node::Connected{}, start);
    const Error taken{ErrorCode::conflict, "another node agent has this name", "m/n", ""};
    const node::Output waits = agent.step(node::FromOrchestrator{1, Refused{taken}}, start);
    QVERIFY(waits.told && !waits.failed && !waits.exit);
    QCOMPARE(said<RegisterNode>(agent.step(node::Load{}, start)).size(), std::size_t(1));  // and tries again
    const Error denied{ErrorCode::denied, "not this key's name", "m/n", ""};
    const node::Output ends = agent.step(node::FromOrchestrator{1, Refused{denied}}, start);
    QVERIFY(ends.exit && ends.failed && ends.failed->what == denied.what);
}

/// To the orchestrator the first has ended, with what it took; the process is the second's from then on.
void NodeAgentTest::a_kept_process_plays_the_next_instance() {
    NodeAgent agent = with_instances({"a"}, true);
    const node::Output asked = agent.step(node::FromOrchestrator{0, StopInstance{InstanceId("a"), true}}, start);
    QCOMPARE(asked.keeps, std::vector<InstanceId>{InstanceId("a")});
    QVERIFY(asked.signals.empty() && asked.sends.empty());
    const auto ended = said<InstanceExited>(agent.step(node::Kept{InstanceId("a"), {.cpu_ms = 7}}, start));
    QCOMPARE(ended.size(), std::size_t(1));
    QCOMPARE(ended[0].code, 0);
    QCOMPARE(ended[0].usage.cpu_ms.value(), std::int64_t(7));
    QVERIFY(said<NodeReport>(agent.step(node::Load{}, start)).at(0).instances.empty());

    const node::Output passed = agent.step(next("b", "a"), start);
    QVERIFY(passed.spawns.empty());
    QCOMPARE(passed.passes.size(), std::size_t(1));
    QCOMPARE(passed.passes[0].from, InstanceId("a"));
    QCOMPARE(passed.passes[0].what.instance, InstanceId("b"));
    QCOMPARE(agent.children(), std::size_t(1));
    const node::Output later = agent.step(node::Load{}, start + 2 * kept_grace);
    QVERIFY(later.signals.empty());
    QCOMPARE(said<NodeReport>(later).at(0).instances, std::vector<InstanceId>{InstanceId("b")});
    const auto over = said<InstanceExited>(agent.step(node::ChildExited{InstanceId("b"), 0, 0, ""}, start));
    QCOMPARE(over.size(), std::size_t(1));
    QCOMPARE(over[0].instance, InstanceId("b"));
}

/// Told to, without its orchestrator, with its node, and when nothing is said.
void NodeAgentTest::a_kept_process_ends_where_nobody_comes() {
    for (const node::Input& input : {node::Input(node::FromOrchestrator{0, StopInstance{InstanceId("a")}}),
                                     node::Input(node::Disconnected{}), node::Input(node::Terminate{})}) {
        NodeAgent agent = with_kept();
        const node::Output output = agent.step(input, start);
        QCOMPARE(output.signals.size(), std::size_t(1));
        QVERIFY(said<InstanceFailed>(output).empty());
        QVERIFY(said<InstanceExited>(agent.step(node::ChildExited{InstanceId("a"), 0, 0, ""}, start)).empty());
    }
    NodeAgent agent = with_kept();
    Duration passed{};
    for (TimePoint now = start; agent.step(node::Load{}, now += heartbeat_interval).signals.empty();)
        passed += heartbeat_interval;
    QVERIFY(passed < kept_grace && passed + 2 * heartbeat_interval > kept_grace);
}

void NodeAgentTest::a_kept_process_that_dies_is_replaced() {
    NodeAgent agent = with_kept();
    QVERIFY(agent.step(node::ChildExited{InstanceId("a"), 0, 9, ""}, start).sends.empty());  // its instance was over
    const node::Output output = agent.step(next("b", "a"), start);
    QVERIFY(output.passes.empty());
    QCOMPARE(output.spawns.size(), std::size_t(1));
    // Nor is one passed on that was told to end.
    NodeAgent other = with_kept();
    (void)other.step(node::FromOrchestrator{0, StopInstance{InstanceId("a")}}, start);
    QCOMPARE(other.step(next("b", "a"), start).spawns.size(), std::size_t(1));
}

void NodeAgentTest::a_process_that_cannot_be_told_ends() {
    NodeAgent agent = with_instances({"a"}, true);
    (void)agent.step(node::FromOrchestrator{0, StopInstance{InstanceId("a"), true}}, start);
    const node::Output failed = agent.step(node::KeepFailed{InstanceId("a")}, start);
    QCOMPARE(failed.signals.size(), std::size_t(1));
    QVERIFY(failed.sends.empty());
    QCOMPARE(said<InstanceExited>(agent.step(node::ChildExited{InstanceId("a"), 0, 15, ""}, start)).size(),
             std::size_t(1));
}

/// An orchestrator that recovers a task says both at once.
void NodeAgentTest::who_is_to_go_on_waits_for_the_process() {
    const auto asked = [] {
        NodeAgent agent = with_instances({"a"}, true);
        (void)agent.step(node::FromOrchestrator{0, StopInstance{InstanceId("a"), true}}, start);
        const node::Output early = agent.step(next("b", "a"), start);
        if (!early.spawns.empty() || !early.passes.empty() || !early.sends.empty()) qFatal("it did not wait");
        return agent;
    };
    NodeAgent kept = asked();
    const node::Output passed = kept.step(node::Kept{InstanceId("a"), {}}, start);
    QCOMPARE(said<InstanceExited>(passed).size(), std::size_t(1));
    QCOMPARE(passed.passes.size(), std::size_t(1));
    QCOMPARE(passed.passes[0].what.instance, InstanceId("b"));
    QCOMPARE(kept.children(), std::size_t(1));
    QVERIFY(kept.step(node::Load{}, start + 2 * kept_grace).signals.empty());

    // Where it ends instead, another process is started.
    NodeAgent died = asked();
    const node::Output replaced = died.step(node::ChildExited{InstanceId("a"), 0, 9, ""}, start);
    QCOMPARE(said<InstanceExited>(replaced).size(), std::size_t(1));
    QCOMPARE(replaced.spawns.size(), std::size_t(1));
    NodeAgent deaf = asked();
    const node::Output untold = deaf.step(node::KeepFailed{InstanceId("a")}, start);
    QCOMPARE(untold.signals.size(), std::size_t(1));
    QCOMPARE(untold.spawns.size(), std::size_t(1));
    QCOMPARE(untold.spawns[0].what.instance, InstanceId("b"));
    QCOMPARE(deaf.children(), std::size_t(2));
}

/// The process that dies is told as any other; of one that plays nothing, or is not here, no fault is made.
void NodeAgentTest::a_fault_is_made_of_what_runs() {
    const auto fault = [](const char* name, double pause_s) {
        return node::FromOrchestrator{0, FaultInstance{InstanceId(name), pause_s}};
    };
    NodeAgent agent = with_instances({"a"}, true);
    const node::Output killed = agent.step(fault("a", 0), start);
    QCOMPARE(killed.signals.size(), std::size_t(1));
    QVERIFY(killed.signals[0].instance == InstanceId("a") && killed.signals[0].force);
    QVERIFY(killed.sends.empty() && killed.pauses.empty() && !killed.die);
    const auto told = said<InstanceExited>(agent.step(node::ChildExited{InstanceId("a"), 0, 9, ""}, start));
    QCOMPARE(told.size(), std::size_t(1));
    QCOMPARE(told[0].signal, 9);
    QVERIFY(agent.step(fault("a", 0), start).signals.empty());

    NodeAgent other = with_instances({"b"}, true);
    const node::Output paused = other.step(fault("b", 2.5), start);
    QVERIFY(paused.signals.empty());
    QCOMPARE(paused.pauses.size(), std::size_t(1));
    QVERIFY(paused.pauses[0].instance == InstanceId("b"));
    QVERIFY(paused.pauses[0].time == std::chrono::milliseconds(2500));
    QVERIFY(other.step(fault("b", 1e9), start).pauses[0].time == std::chrono::seconds(60));

    NodeAgent keeping = with_kept();
    QVERIFY(keeping.step(fault("a", 0), start).signals.empty());
    QVERIFY(keeping.step(fault("a", 2.5), start).pauses.empty());
}

void NodeAgentTest::a_fault_of_its_own_takes_all_with_it() {
    NodeAgent agent = with_instances({"a"}, true);
    const node::Output output = agent.step(node::FromOrchestrator{0, KillDevice{}}, start);
    QVERIFY(output.die && !output.exit);
    QVERIFY(output.sends.empty());  // a machine without power says nothing
}

DIVISI_TEST(NodeAgentTest)

}  // namespace node_agent_test

#include "node_agent_test.moc"
