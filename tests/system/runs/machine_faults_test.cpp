// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>

#include "tests/support/test_program.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/tcp_cluster.h"

namespace machine_faults_test {

using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::kill_orchestrator;
using divisi::tests::Programs;
using divisi::tests::signal_role;
using divisi::tests::TcpCluster;

namespace {

constexpr const char* every = "checkpoint.every=5";
/// Longest time from the death of a node to the next step, on a busy machine. Waiting for the node to return takes at
/// least 20 s.
constexpr qint64 longest_stall_ms = 15'000;

}  // namespace

/// Kills the orchestrator and nodes during a training, which continues with the losses that it would have had.
class MachineFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void orchestrator_and_instance_killed_together_recover_the_task_data();
    void orchestrator_and_instance_killed_together_recover_the_task();
    void killed_orchestrator_forgets_no_checkpoint();
    void killed_node_is_restarted_and_gets_its_instance_back();
    void task_moves_off_a_lost_node();
    void task_waits_for_a_node_that_pauses_briefly();
    void task_waits_for_a_lost_node_if_its_setting_says_so();

private:
    QString across_mics(const QString& name) const { return programs_.task_across_mics(name, endless); }

    Programs programs_;
};

void MachineFaults::orchestrator_and_instance_killed_together_recover_the_task_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<bool>("recovering");
    QTest::newRow("before it can recover") << "unheard" << false;
    QTest::newRow("while it recovers") << "begun" << true;
}

void MachineFaults::orchestrator_and_instance_killed_together_recover_the_task() {
    QFETCH(QString, task);
    QFETCH(bool, recovering);
    DisturbedRun run(programs_, across_mics(task), {every});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QCOMPARE(signal_role(programs_, task + "-1/stage-1", SIGKILL).size(), 1);
    if (recovering) QVERIFY2(run.wait_for_recoveries(1), run.told());
    kill_orchestrator(programs_);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.last("recovery")["step"].toInt() >= run.all("checkpoint").first()["step"].toInt());
}

/// Checkpoints that were not yet committed survive too: instances continue while the orchestrator is dead, and the next
/// checkpoint is complete.
void MachineFaults::killed_orchestrator_forgets_no_checkpoint() {
    DisturbedRun run(programs_, across_mics("kept"), {every});
    int committed = 0;
    for (int kill = 0; kill < 2; ++kill) {
        QVERIFY2(run.wait_for_checkpoint(committed), run.told());
        committed = run.last("checkpoint")["step"].toInt();
        kill_orchestrator(programs_);
    }
    QVERIFY2(run.wait_for_checkpoint(committed), run.told());
    QVERIFY(run.all("recovery").isEmpty());
    committed = run.last("checkpoint")["step"].toInt();
    QCOMPARE(signal_role(programs_, "kept-1/stage-0", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("recovery").size(), 1);
    QVERIFY(run.last("recovery")["step"].toInt() >= committed);
}

/// The node's instances end with the node.
void MachineFaults::killed_node_is_restarted_and_gets_its_instance_back() {
    DisturbedRun run(programs_, across_mics("restarted"), {every});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const auto instances = programs_.pids("divisi-instance", "restarted-1/stage-1/");
    const auto nodes = programs_.pids("divisi-node", "mic-2/node-1");
    QCOMPARE(nodes.size(), 1);
    ::kill(static_cast<pid_t>(nodes.first()), SIGKILL);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QVERIFY(programs_.pids("divisi-instance", "restarted-1/stage-1/") != instances);
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.last("recovery")["step"].toInt() > 0);
}

/// The node never returns; the other node has a copy of its snapshots.
void MachineFaults::task_moves_off_a_lost_node() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("left", endless), {every});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QVERIFY2(run.wait_for_steps(250), run.told());  // by then the usual variation of the node's heartbeats is known
    QElapsedTimer stall;
    stall.start();
    cluster.node(1).kill();
    QVERIFY(cluster.node(1).waitForFinished(10'000));
    QVERIFY2(run.wait_for_generation(2), run.told());
    const qint64 stalled_ms = stall.elapsed();
    qInfo("the next step came after %lld ms", static_cast<long long>(stalled_ms));
    QVERIFY2(stalled_ms < longest_stall_ms, run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.last("recovery")["step"].toInt() > 0);
    QVERIFY(cluster.programs.run({"cluster", "status", "--json"}).output.contains("\"state\":\"lost\""));
    const QString logs = cluster.programs.run({"logs", "--task", "left-1", "--contains", "answer: "}).output;
    QVERIFY2(logs.contains("closed between regular heartbeats"), qPrintable(logs.right(1'000)));
}

/// The node and its instance are stopped for as long as a busy machine may delay a process. The connections stay open.
void MachineFaults::task_waits_for_a_node_that_pauses_briefly() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("stopped", endless), {every});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const auto node = static_cast<pid_t>(cluster.node(1).processId());
    QCOMPARE(signal_role(cluster.programs, "stopped-1/stage-1", SIGSTOP).size(), 1);
    ::kill(node, SIGSTOP);
    QTest::qWait(3'000);
    ::kill(node, SIGCONT);
    QCOMPARE(signal_role(cluster.programs, "stopped-1/stage-1", SIGCONT).size(), 1);
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.all("recovery").isEmpty());
    QCOMPARE(run.generation(), 1);
}

/// The task waits although the other node has everything that the stage needs. The node returns when it is restarted.
void MachineFaults::task_waits_for_a_lost_node_if_its_setting_says_so() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    DisturbedRun run(programs, programs.task_across_mics("waits", endless), {every, "faults.answer=wait"});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    cluster.node(1).kill();
    QVERIFY(cluster.node(1).waitForFinished(10'000));
    const auto says = [&] {
        return programs.run({"tasks", "--json"})
            .output.contains("mic-2/node-1 (it is not connected), as its task file says");
    };
    QVERIFY2(QTest::qWaitFor(says, 60'000), run.told());
    const auto again = cluster.start_node("mic-2/node-1", "mic-2-node-1.key", cluster.connection());
    QVERIFY2(run.wait_for_generation(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(!programs.run({"tasks", "--json"}).output.contains("as its task file says"));
}

DIVISI_TEST(MachineFaults)

}  // namespace machine_faults_test

#include "machine_faults_test.moc"
