// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>

#include "tests/support/test_program.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/tcp_cluster.h"

namespace read_only_test {

using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

namespace {

constexpr const char* said_of_it = "the file system is mounted read-only";

/// Makes every program started from now on check for the read-only folder.
void watch_disk(Programs& programs) {
    programs.set_variable("LD_PRELOAD", DIVISI_READ_ONLY_DISK_LIBRARY);
    programs.set_variable("DIVISI_READ_ONLY_DISK", programs.folder() + "/read-only");
}

/// Makes a folder read-only like a faulty disk, including its open files.
void make_read_only(const Programs& programs, const QString& folder) {
    programs.write("read-only.new", folder.toUtf8());
    QVERIFY(QFile::rename(programs.folder() + "/read-only.new", programs.folder() + "/read-only"));
}
void make_writable(const Programs& programs) { QVERIFY(QFile::remove(programs.folder() + "/read-only")); }

}  // namespace

/// Tests a disk that becomes read-only during a training, and later writable again. A program that cannot write reports
/// the place and the remedy. The losses do not change.
class ReadOnlyDisks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's runtime must be loaded before all others");
#endif
    }
    void read_only_node_disk_prevents_only_checkpoints();
    void read_only_orchestrator_disk_ends_only_the_orchestrator();
};

/// The fault affects the node's agent, and the instance with its snapshots and its state store. Training continues
/// without any of them.
void ReadOnlyDisks::read_only_node_disk_prevents_only_checkpoints() {
    TcpCluster cluster;
    watch_disk(cluster.programs);
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("bare", endless), {"checkpoint.every=5"});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const QString folder = cluster.programs.folder() + "/mic-2-node-1";
    make_read_only(cluster.programs, folder);
    int refused = 0;  // the first step reported to have no snapshot
    const QRegularExpression line("after step (\\d+), because bare-1/stage-1/0 has no snapshot of it: " + folder +
                                  ".*" + said_of_it + ".*mount the file system writable again");
    const auto told = [&] {
        const auto found = line.match(cluster.programs.run({"logs", "--task", "bare-1", "--contains", "mount"}).output);
        refused = found.captured(1).toInt();
        return refused > 0;
    };
    QVERIFY2(run.wait_until(told), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    // Earlier snapshots may still be copied to the other node.
    const int committed = run.last("checkpoint")["step"].toInt();
    QVERIFY2(committed < refused, qPrintable(QString("%1 was committed, and %2 refused").arg(committed).arg(refused)));
    make_writable(cluster.programs);
    QVERIFY2(run.wait_for_checkpoint(std::max(refused, run.last("step")["step"].toInt())), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.all("recovery").isEmpty());
    // The instance's state store has resumed too.
    const auto rows = cluster.programs.run({"stores", "show", "bare-1/stage-1/0", "--json"}).objects();
    QVERIFY(!rows.isEmpty());
    int newest = 0;
    for (const QJsonObject& line : rows) newest = std::max(newest, line["row"].toObject()["step"].toInt());
    QVERIFY2(newest > committed, qPrintable(QString::number(newest)));
}

/// The orchestrator does nothing that it cannot make durable. Its nodes continue to train. A restarted orchestrator
/// reports why it cannot begin. Once its disk is writable, it adopts the running task.
void ReadOnlyDisks::read_only_orchestrator_disk_ends_only_the_orchestrator() {
    TcpCluster cluster;
    watch_disk(cluster.programs);
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("alone", endless), {"checkpoint.every=5"});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const QList<qint64> stages = cluster.programs.pids("divisi-instance", "alone-1/stage-");
    QCOMPARE(stages.size(), 2);
    make_read_only(cluster.programs, cluster.programs.data());
    QVERIFY(cluster.orchestrator().waitForFinished(30'000));
    const QByteArray last = cluster.orchestrator().readAllStandardError();
    QVERIFY2(cluster.orchestrator().exitCode() != 0 && last.contains(said_of_it), last.constData());
    QVERIFY2(last.contains(cluster.programs.data().toUtf8()), last.constData());
    cluster.start_orchestrator();
    QVERIFY(cluster.orchestrator().waitForFinished(30'000));
    const QByteArray refusal = cluster.orchestrator().readAllStandardError();
    QVERIFY2(cluster.orchestrator().exitCode() != 0 && refusal.contains("read-only"), refusal.constData());
    QVERIFY(!run.is_over());
    make_writable(cluster.programs);
    cluster.start_orchestrator();
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QVERIFY2(run.wait_for_checkpoint(run.last("checkpoint")["step"].toInt()), run.told());
    QCOMPARE(cluster.programs.pids("divisi-instance", "alone-1/stage-"), stages);
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.all("recovery").isEmpty());
}

DIVISI_TEST(ReadOnlyDisks)

}  // namespace read_only_test

#include "read_only_test.moc"
