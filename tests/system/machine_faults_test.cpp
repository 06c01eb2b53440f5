// SPDX-License-Identifier: Apache-2.0
#include "tests/system/disturbed_run.h"
#include "tests/system/tcp_cluster.h"

using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Programs;
using divisi::tests::signal_role;
using divisi::tests::TcpCluster;

namespace {

constexpr const char* every = "checkpoint.every=5";

}  // namespace

/// The orchestrator and nodes are killed under a training: it goes on with the losses that it would have had.
class MachineFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void an_orchestrator_killed_beside_an_instance_recovers_the_task_data();
    void an_orchestrator_killed_beside_an_instance_recovers_the_task();
    void a_killed_orchestrator_forgets_no_checkpoint();
    void a_killed_node_is_restarted_and_gets_its_instance_back();
    void a_node_that_is_gone_is_left();

private:
    QString across_mics(const QString& name) const { return programs_.task_across_mics(name, endless); }
    /// Whoever hosts the cluster starts it again.
    void kill_orchestrator() {
        const auto before = programs_.pids("divisid");
        QCOMPARE(before.size(), 1);
        ::kill(static_cast<pid_t>(before.first()), SIGKILL);
        const auto is_back = [&] {
            const auto now = programs_.pids("divisid");
            return now.size() == 1 && now != before;
        };
        QVERIFY(QTest::qWaitFor(is_back, 30'000));
    }

    Programs programs_;
};

void MachineFaults::an_orchestrator_killed_beside_an_instance_recovers_the_task_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<bool>("recovering");
    QTest::newRow("before it can recover") << "unheard" << false;
    QTest::newRow("while it recovers") << "begun" << true;
}

void MachineFaults::an_orchestrator_killed_beside_an_instance_recovers_the_task() {
    QFETCH(QString, task);
    QFETCH(bool, recovering);
    DisturbedRun run(programs_, across_mics(task), {every});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QCOMPARE(signal_role(programs_, task + "-1/stage-1", SIGKILL).size(), 1);
    if (recovering) QVERIFY2(run.wait_for_recoveries(1), run.told());
    kill_orchestrator();
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.last("recovery")["step"].toInt() >= run.all("checkpoint").first()["step"].toInt());
}

/// Nor those that it had not committed yet: instances go on meanwhile, and the next one is whole.
void MachineFaults::a_killed_orchestrator_forgets_no_checkpoint() {
    DisturbedRun run(programs_, across_mics("kept"), {every});
    int committed = 0;
    for (int kill = 0; kill < 2; ++kill) {
        QVERIFY2(run.wait_for_checkpoint(committed), run.told());
        committed = run.last("checkpoint")["step"].toInt();
        kill_orchestrator();
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

/// Its instances end with it.
void MachineFaults::a_killed_node_is_restarted_and_gets_its_instance_back() {
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

/// For good: the other node has a copy of its snapshots.
void MachineFaults::a_node_that_is_gone_is_left() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("left", endless), {every});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    cluster.node(1).kill();
    QVERIFY(cluster.node(1).waitForFinished(10'000));
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.last("recovery")["step"].toInt() > 0);
    QVERIFY(cluster.programs.run({"cluster", "status", "--json"}).output.contains("\"state\":\"lost\""));
}

QTEST_GUILESS_MAIN(MachineFaults)
#include "machine_faults_test.moc"
