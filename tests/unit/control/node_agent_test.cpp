// SPDX-License-Identifier: Apache-2.0
#include "backend/control/node_agent.h"

#include <QTest>

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
    void a_refused_registration_is_told();

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

QTEST_GUILESS_MAIN(NodeAgentTest)
#include "node_agent_test.moc"
