// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/process_faults.h"
#include "backend/control/protocol/fault_messages.h"

#include <cmath>
#include <limits>

#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace process_faults_test {

using namespace divisi;
using namespace divisi::control;

namespace {

const Sid role("t-1/stage-0/0");

/// A fixture with a node, one instance, and an operator.
struct Scene : test::Fixture {
    ProcessFaults faults{context};
    PeerId operates = connect(9);
    PeerId agent = node(1, "m/a", "host", "ipc:///m/a");
    InstanceId player = next_instance(context.state(), role);

    Scene() {
        context.append(TaskSubmitted{TaskId("t-1"), "t", "", "/", "", {}, "me", 0});
        context.append(PhaseChanged{TaskId("t-1"), TaskPhase::exchange, ""});
        place(player);
        clear();
    }
    void place(const InstanceId& instance) {
        context.append(InstancePlaced{TaskId("t-1"), instance, role, NodeId("m/a"), 0});
    }
    template <typename Message>
    std::string why_not(const Message& message) {
        clear();
        say(faults, operates, message);
        const auto refused = sent<Refused>();
        return refused.empty() ? "" : refused.back().second.error.message();
    }
};

}  // namespace

/// Tests faults of instances and nodes that an operator orders: which peer gets the order, and which orders are
/// refused.
class ProcessFaultsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void faults_need_a_cluster_that_allows_them();
    void kill_goes_to_the_node_of_the_instance();
    void pause_needs_a_duration_of_at_most_60_s();
    void node_can_be_killed();
    void impossible_targets_are_refused();
    void newest_incarnation_is_the_target();
};

void ProcessFaultsTest::faults_need_a_cluster_that_allows_them() {
    Scene scene;
    const std::string no = "use the embedded cluster, or start divisid with --allow-faults";
    for (const std::string& told : {scene.why_not(KillInstance{role}), scene.why_not(KillNode{NodeId("m/a")}),
                                    scene.why_not(PauseInstance{role, 2})})
        QVERIFY2(told.find(no) != std::string::npos, told.c_str());
    QVERIFY(scene.sent<FaultInstance>().empty() && scene.sent<KillDevice>().empty());
    for (const Message& message : {Message(KillInstance{role}), Message(KillNode{}), Message(PauseInstance{role, 2})})
        QVERIFY(needed_right(message) == Right::submit);
    QVERIFY(needed_right(FaultInstance{}) == Right::serve);
}

void ProcessFaultsTest::kill_goes_to_the_node_of_the_instance() {
    Scene scene;
    scene.faults.allow();
    QCOMPARE(scene.why_not(KillInstance{role}), std::string());
    const auto told = scene.sent<FaultInstance>();
    QCOMPARE(told.size(), std::size_t(1));
    QCOMPARE(told[0].first, scene.agent);
    QCOMPARE(told[0].second.instance, scene.player);
    QCOMPARE(told[0].second.pause_s, 0.0);
    QCOMPARE(scene.sent<Done>().at(0).first, scene.operates);
    const auto lines = scene.logged<Noted>();
    QCOMPARE(lines.size(), std::size_t(1));
    QCOMPARE(lines[0].text, "the instance " + scene.player.value() + " was killed by me");
    QCOMPARE(lines[0].task, std::string("t-1"));
}

void ProcessFaultsTest::pause_needs_a_duration_of_at_most_60_s() {
    Scene scene;
    scene.faults.allow();
    QCOMPARE(scene.why_not(PauseInstance{role, 2.5}), std::string());
    QCOMPARE(scene.sent<FaultInstance>().at(0).second.pause_s, 2.5);
    QCOMPARE(scene.logged<Noted>().at(0).text, "the instance " + scene.player.value() + " was paused for 2.5 s by me");
    for (const double bad : {0.0, -1.0, most_pause_s + 1, std::nan(""), std::numeric_limits<double>::infinity()}) {
        const std::string told = scene.why_not(PauseInstance{role, bad});
        QVERIFY2(told.find("at most 60 s") != std::string::npos, told.c_str());
        QVERIFY(scene.sent<FaultInstance>().empty());
    }
}

void ProcessFaultsTest::node_can_be_killed() {
    Scene scene;
    scene.faults.allow();
    const std::string early = scene.why_not(KillNode{NodeId("m/a")});
    QVERIFY2(early.find("only just connected") != std::string::npos, early.c_str());
    QVERIFY(scene.sent<KillDevice>().empty());
    scene.pass(least_node_age);
    QCOMPARE(scene.why_not(KillNode{NodeId("m/a")}), std::string());
    QCOMPARE(scene.sent<KillDevice>().size(), std::size_t(1));
    QCOMPARE(scene.sent<KillDevice>()[0].first, scene.agent);
    QCOMPARE(scene.sent<Done>().at(0).first, scene.operates);
    QCOMPARE(scene.logged<Noted>().at(0).text, std::string("the node m/a was killed by me"));
}

void ProcessFaultsTest::impossible_targets_are_refused() {
    Scene scene;
    scene.faults.allow();
    const auto refused = [&](const auto& message, const char* why) {
        const std::string told = scene.why_not(message);
        QVERIFY2(told.find(why) != std::string::npos, told.c_str());
        QVERIFY(scene.sent<FaultInstance>().empty() && scene.sent<KillDevice>().empty());
        QVERIFY(scene.logged<Noted>().empty());
    };
    refused(KillInstance{Sid("t-1/stage-7/0")}, "SIDs with a process: t-1/stage-0/0");
    refused(KillNode{NodeId("m/z")}, "the nodes are: m/a");
    scene.pass(least_node_age);
    (void)scene.context.sessions().close(scene.agent);
    refused(KillInstance{role}, "the node is away");
    refused(PauseInstance{role, 2}, "the node is away");
    refused(KillNode{NodeId("m/a")}, "the node is away");
    scene.context.append(InstanceEnded{scene.player, ""});
    refused(KillInstance{role}, "no task runs");
}

/// An older incarnation whose process has not ended yet is not chosen.
void ProcessFaultsTest::newest_incarnation_is_the_target() {
    Scene scene;
    scene.faults.allow();
    const InstanceId second = next_instance(scene.context.state(), role);
    QVERIFY(second != scene.player);
    scene.place(second);
    QCOMPARE(scene.why_not(KillInstance{role}), std::string());
    QCOMPARE(scene.sent<FaultInstance>().at(0).second.instance, second);
}

DIVISI_TEST(ProcessFaultsTest)

}  // namespace process_faults_test

#include "process_faults_test.moc"
