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

QTEST_GUILESS_MAIN(NodeAgentTest)
#include "node_agent_test.moc"
