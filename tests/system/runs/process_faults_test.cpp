// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_program.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/tcp_cluster.h"

namespace process_faults_test {

using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

namespace {

/// Returns the state of a process, "T" if it is stopped; empty if it has ended.
QByteArray state_of(qint64 pid) {
    QFile status(QString("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly)) return {};
    const QByteArray text = status.readAll(), name = "\nState:";
    return text.mid(text.indexOf(name) + name.size()).trimmed().left(1);
}

}  // namespace

/// Tests that `divisictl fault` kills and pauses processes of an embedded cluster. Its tasks must continue with the
/// losses that they would have had.
class ProcessFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void killed_and_paused_processes_do_not_change_losses();
    void invalid_fault_is_refused();
    void cluster_without_allow_faults_refuses_faults();

private:
    /// Checks that the command was refused and that its message contains `why`.
    static void expect_refusal(const Finished& told, const char* why) {
        QVERIFY(told.status != 0);
        QVERIFY2(told.errors.contains(why), qPrintable(told.errors));
    }
    /// Runs a fault command and returns its one line of JSON.
    QJsonObject fault(const QStringList& words) const {
        const Finished told = programs_.run(QStringList{"fault"} + words + QStringList{"--json"});
        if (told.status != 0) qWarning("%s", qPrintable(told.errors));
        return told.objects().value(0);
    }

    Programs programs_;
};

void ProcessFaults::killed_and_paused_processes_do_not_change_losses() {
    DisturbedRun run(programs_, programs_.task_across_mics("fault", endless), {"checkpoint.every=5"});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const auto instances = [&] { return programs_.pids("divisi-instance", "fault-1/stage-1/"); };
    const auto killed = instances();
    QCOMPARE(fault({"kill-instance", "fault-1/stage-1/0"}),
             (QJsonObject{{"sid", "fault-1/stage-1/0"}, {"done", "killed"}}));
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QVERIFY(instances() != killed);

    const auto paused = programs_.pids("divisi-instance", "fault-1/stage-0/");
    QCOMPARE(paused.size(), 1);
    QCOMPARE(fault({"pause", "fault-1/stage-0/0", "--for", "3s"})["done"].toString(), QString("paused for 3s"));
    QVERIFY2(run.wait_until([&] { return state_of(paused.first()) == "T"; }), run.told());
    QVERIFY2(run.wait_until([&] { return state_of(paused.first()) != "T"; }), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QCOMPARE(programs_.pids("divisi-instance", "fault-1/stage-0/"), paused);
    QCOMPARE(run.all("recovery").size(), 1);

    const auto node = programs_.pids("divisi-node", "mic-2/node-1");
    // A node that has only just connected cannot be killed, see node_can_be_killed() of the unit tests.
    bool dead = false;
    const auto dies = [&] {
        return dead = dead || fault({"kill-node", "mic-2/node-1"})["node"].toString() == "mic-2/node-1";
    };
    QVERIFY2(run.wait_until(dies), run.told());
    QVERIFY2(run.wait_for_recoveries(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    const auto is_back = [&] {
        const auto now = programs_.pids("divisi-node", "mic-2/node-1");
        return now.size() == 1 && now != node;
    };
    QVERIFY2(run.wait_until(is_back), run.told());
    run.stop();
    expect_reference_bits(run);
    for (const char* line : {"was killed by", "was paused for 3 s by", "the node mic-2/node-1 was killed by"})
        QVERIFY2(programs_.run({"logs", "--contains", line}).output.contains(line), line);
}

void ProcessFaults::invalid_fault_is_refused() {
    expect_refusal(programs_.run({"fault", "kill-instance", "nobody-1/stage-0/0"}), "no process serves this SID now");
    expect_refusal(programs_.run({"fault", "kill-node", "mic-9/node-1"}), "the nodes are: mic-1/node-1");
    expect_refusal(programs_.run({"fault", "pause", "nobody-1/stage-0/0", "--for", "90s"}), "at most 60 s");
    expect_refusal(programs_.run({"fault", "pause", "nobody-1/stage-0/0", "--for", "soon"}), "write e.g. 10s");
}

void ProcessFaults::cluster_without_allow_faults_refuses_faults() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    for (const QStringList& words :
         {QStringList{"kill-instance", "t-1/stage-0/0"}, {"kill-node", "mic-1/node-1"}, {"pause", "t-1/stage-0/0"}})
        expect_refusal(cluster.programs.run(QStringList{"fault"} + words), "start divisid with --allow-faults");
    QVERIFY(cluster.allow(cluster.make_key("viewer.key"), "somebody", "viewer"));
    expect_refusal(cluster.run_as("viewer.key", {"fault", "kill-node", "mic-1/node-1"}),
                   "does not permit the role operator");
}

DIVISI_TEST(ProcessFaults)

}  // namespace process_faults_test

#include "process_faults_test.moc"
