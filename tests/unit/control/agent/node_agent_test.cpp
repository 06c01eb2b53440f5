// SPDX-License-Identifier: Apache-2.0
#include "backend/control/agent/node_agent.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/fault_messages.h"
#include "backend/control/protocol/instance_messages.h"

#include "tests/support/test_program.h"

namespace node_agent_test {

using namespace divisi;
using namespace divisi::control;

/// Tests how a node agent ends: it reports why before its instances end, and says goodbye after the last one.
class NodeAgentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ending_agent_reports_why_and_says_goodbye_last();
    void disconnected_agent_sends_nothing();
    void broken_connection_ends_no_instance();
    void instances_end_if_no_orchestrator_returns();
    void goodbye_ends_the_agent_unless_it_reconnects();
    void refused_registration_is_reported();
    void kept_process_runs_the_next_instance();
    void kept_process_without_a_successor_ends();
    void dead_kept_process_is_replaced();
    void unreachable_kept_process_ends();
    void next_instance_waits_for_the_kept_process();
    void fault_affects_only_running_instances();
    void killed_agent_ends_all_its_instances();

private:
    template <typename M>
    static std::vector<M> said(const node::Output& output) {
        std::vector<M> found;
        for (const node::SendUp& up : output.sends)
            if (const auto* message = get_if<M>(&up.message)) found.push_back(*message);
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
    /// Returns an agent with one instance, "a", whose process is kept.
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

void NodeAgentTest::ending_agent_reports_why_and_says_goodbye_last() {
    NodeAgent agent = with_instances({"a", "b"}, true);
    const node::Output told = agent.step(node::Terminate{}, start);
    QCOMPARE(said<InstanceFailed>(told).size(), std::size_t(2));
    QVERIFY(said<InstanceFailed>(told).front().error.message().find("node is ending") != std::string::npos);
    QCOMPARE(told.signals.size(), std::size_t(2));
    QVERIFY(said<Goodbye>(told).empty() && !told.exit);
    QVERIFY(said<InstanceFailed>(agent.step(node::Terminate{}, start)).empty());  // the reason is reported only once
    QVERIFY(!agent.step(node::ChildExited{InstanceId("a"), 0, 15, ""}, start).exit);
    const node::Output last = agent.step(node::ChildExited{InstanceId("b"), 0, 15, ""}, start);
    QVERIFY(last.exit);
    QCOMPARE(said<InstanceExited>(last).size(), std::size_t(1));
    QVERIFY(holds_alternative<Goodbye>(last.sends.back().message));
}

void NodeAgentTest::disconnected_agent_sends_nothing() {
    NodeAgent agent = with_instances({"a"}, false);
    QVERIFY(agent.step(node::Terminate{}, start).sends.empty());
    QVERIFY(said<Goodbye>(agent.step(node::ChildExited{InstanceId("a"), 0, 15, ""}, start)).empty());
}

/// After a reconnect, the agent registers with its running instances and then reports those that ended meanwhile.
void NodeAgentTest::broken_connection_ends_no_instance() {
    NodeAgent agent = with_instances({"a", "b"}, false);
    QVERIFY(agent.step(node::ChildExited{InstanceId("a"), 3, 0, "", {.cpu_ms = 7}}, start).sends.empty());
    const node::Output back = agent.step(node::Connected{}, start);
    QVERIFY(back.signals.empty());
    const auto registered = said<RegisterNode>(back);
    QCOMPARE(registered.size(), std::size_t(1));
    QCOMPARE(registered[0].instances, (std::vector<InstanceId>{InstanceId("b"), InstanceId("a")}));
    // nothing is reported before the registration is accepted
    QVERIFY(said<NodeReport>(agent.step(node::Load{}, start)).empty());
    const node::Output done = agent.step(node::FromOrchestrator{1, Done{}}, start);
    QCOMPARE(said<InstanceExited>(done).size(), std::size_t(1));
    QCOMPARE(said<InstanceExited>(done)[0].code, 3);
    QCOMPARE(said<InstanceExited>(done)[0].usage.cpu_ms.value(), std::int64_t(7));
    const auto reports = said<NodeReport>(agent.step(node::Load{0, 0, {{InstanceId("b"), {.cpu_ms = 8}}}}, start));
    QCOMPARE(reports.size(), std::size_t(1));
    QCOMPARE(reports[0].usages.at(0).usage.cpu_ms.value(), std::int64_t(8));
}

void NodeAgentTest::instances_end_if_no_orchestrator_returns() {
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

/// A goodbye ends the agent after the grace time, once its instances have ended. A crash without a goodbye does not
/// have this effect.
void NodeAgentTest::goodbye_ends_the_agent_unless_it_reconnects() {
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
    QVERIFY(!wait(agent, now, farewell_grace).exit);  // the instance still runs and is asked to end
    const node::Output last = agent.step(node::ChildExited{InstanceId("a"), 0, 15, ""}, now);
    QVERIFY(last.exit && last.dismissed);
    NodeAgent by_hand = with_instances({}, true);
    (void)by_hand.step(node::FromOrchestrator{0, Goodbye{"for good"}}, start);
    const node::Output told = by_hand.step(node::Terminate{}, start);
    QVERIFY(told.exit && !told.dismissed);
}

void NodeAgentTest::refused_registration_is_reported() {
    NodeInfo info;
    info.id = NodeId("m/n");
    NodeAgent agent(info);
    (void)agent.step(node::Connected{}, start);
    const Error taken{ErrorCode::conflict, "another node agent has this name", "m/n", ""};
    const node::Output waits = agent.step(node::FromOrchestrator{1, Refused{taken}}, start);
    QVERIFY(waits.told && !waits.failed && !waits.exit);
    QCOMPARE(said<RegisterNode>(agent.step(node::Load{}, start)).size(), std::size_t(1));  // the agent retries
    const Error denied{ErrorCode::denied, "not this key's name", "m/n", ""};
    const node::Output ends = agent.step(node::FromOrchestrator{1, Refused{denied}}, start);
    QVERIFY(ends.exit && ends.failed && ends.failed->what == denied.what);
}

/// The agent reports the end of the first instance, with its consumption. The process then belongs to the second
/// instance.
void NodeAgentTest::kept_process_runs_the_next_instance() {
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

/// A kept process ends in four cases: on an order, if the orchestrator disconnects, if its node ends, or if no instance
/// follows.
void NodeAgentTest::kept_process_without_a_successor_ends() {
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

void NodeAgentTest::dead_kept_process_is_replaced() {
    NodeAgent agent = with_kept();
    // its instance had already ended
    QVERIFY(agent.step(node::ChildExited{InstanceId("a"), 0, 9, ""}, start).sends.empty());
    const node::Output output = agent.step(next("b", "a"), start);
    QVERIFY(output.passes.empty());
    QCOMPARE(output.spawns.size(), std::size_t(1));
    // A process that was told to end is not passed on to another instance either.
    NodeAgent other = with_kept();
    (void)other.step(node::FromOrchestrator{0, StopInstance{InstanceId("a")}}, start);
    QCOMPARE(other.step(next("b", "a"), start).spawns.size(), std::size_t(1));
}

void NodeAgentTest::unreachable_kept_process_ends() {
    NodeAgent agent = with_instances({"a"}, true);
    (void)agent.step(node::FromOrchestrator{0, StopInstance{InstanceId("a"), true}}, start);
    const node::Output failed = agent.step(node::KeepFailed{InstanceId("a")}, start);
    QCOMPARE(failed.signals.size(), std::size_t(1));
    QVERIFY(failed.sends.empty());
    QCOMPARE(said<InstanceExited>(agent.step(node::ChildExited{InstanceId("a"), 0, 15, ""}, start)).size(),
             std::size_t(1));
}

/// An orchestrator that recovers a task sends both orders, stop and start, at the same time.
void NodeAgentTest::next_instance_waits_for_the_kept_process() {
    const auto asked = [] {
        NodeAgent agent = with_instances({"a"}, true);
        (void)agent.step(node::FromOrchestrator{0, StopInstance{InstanceId("a"), true}}, start);
        const node::Output early = agent.step(next("b", "a"), start);
        if (!early.spawns.empty() || !early.passes.empty() || !early.sends.empty()) qFatal("the agent did not wait");
        return agent;
    };
    NodeAgent kept = asked();
    const node::Output passed = kept.step(node::Kept{InstanceId("a"), {}}, start);
    QCOMPARE(said<InstanceExited>(passed).size(), std::size_t(1));
    QCOMPARE(passed.passes.size(), std::size_t(1));
    QCOMPARE(passed.passes[0].what.instance, InstanceId("b"));
    QCOMPARE(kept.children(), std::size_t(1));
    QVERIFY(kept.step(node::Load{}, start + 2 * kept_grace).signals.empty());

    // If the kept process ends instead, another process is started.
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

/// A process killed by a fault is reported like any other process. A fault of an unknown instance, or of an instance
/// without a process, is ignored.
void NodeAgentTest::fault_affects_only_running_instances() {
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

void NodeAgentTest::killed_agent_ends_all_its_instances() {
    NodeAgent agent = with_instances({"a"}, true);
    const node::Output output = agent.step(node::FromOrchestrator{0, KillDevice{}}, start);
    QVERIFY(output.die && !output.exit);
    QVERIFY(output.sends.empty());  // a machine without power reports nothing
}

DIVISI_TEST(NodeAgentTest)

}  // namespace node_agent_test

#include "node_agent_test.moc"
