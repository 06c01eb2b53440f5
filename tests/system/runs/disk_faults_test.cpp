// SPDX-License-Identifier: Apache-2.0

#include "tests/support/test_program.h"
#include "tests/system/damaged_files.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/tcp_cluster.h"

namespace disk_faults_test {

using divisi::tests::cut_off;
using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::flip_a_bit;
using divisi::tests::signal_role;
using divisi::tests::TcpCluster;

namespace {

constexpr const char *every = "checkpoint.every=5", *never = "checkpoint.every=never";
constexpr const char* node = "mic-2-node-1";  ///< node of the second stage

}  // namespace

/// Tests nodes whose disks lose part of their data. Trainings keep the losses that they would have had.
class DiskFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void damaged_state_store_does_not_change_losses_data();
    void damaged_state_store_does_not_change_losses();
    void copy_of_a_truncated_snapshot_is_read();

private:
    /// Returns the files of a node in a folder, filtered by name patterns.
    static QStringList files_of(const TcpCluster& cluster, const QString& folder, const QStringList& names = {}) {
        const QDir place(cluster.programs.folder() + "/" + node + "/" + folder);
        QStringList found;
        for (const QString& file : place.entryList(names, QDir::Files)) found << place.filePath(file);
        return found;
    }
};

void DiskFaults::damaged_state_store_does_not_change_losses_data() {
    QTest::addColumn<bool>("flipped");
    QTest::newRow("cut off") << false;
    QTest::newRow("with flipped bits") << true;
}

/// The process that wrote the store dies, and its successor finds the damage. The store holds nothing that a task needs
/// to continue.
void DiskFaults::damaged_state_store_does_not_change_losses() {
    QFETCH(const bool, flipped);
    TcpCluster cluster;
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("noted", endless), {every});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QCOMPARE(signal_role(cluster.programs, "noted-1/stage-1", SIGSTOP).size(), 1);
    const QString name = "noted-1.stage-1.0.sqlite";
    const QStringList stores = files_of(cluster, "stores", {name, name + "-wal"});
    QVERIFY(!stores.isEmpty());
    if (flipped) flip_a_bit(stores);
    else cut_off(stores);
    QCOMPARE(signal_role(cluster.programs, "noted-1/stage-1", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("recovery").size(), 1);
    QVERIFY(run.last("recovery")["step"].toInt() > 0);
}

/// Truncates two files on the node of the stage that dies: its own snapshot and its copy of the other stage's.
void DiskFaults::copy_of_a_truncated_snapshot_is_read() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("halved", endless), {never});
    QVERIFY2(run.wait_for_steps(5), run.told());
    const QStringList before = files_of(cluster, "blobs");
    QCOMPARE(cluster.programs.run({"checkpoint", "halved-1"}).status, 0);
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QStringList snapshots = files_of(cluster, "blobs");
    snapshots.removeIf([&](const QString& file) { return before.contains(file) || QFileInfo(file).suffix() != ""; });
    QCOMPARE(snapshots.size(), 2);
    cut_off(snapshots);
    QCOMPARE(signal_role(cluster.programs, "halved-1/stage-1", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.last("recovery")["step"].toInt(), run.last("checkpoint")["step"].toInt());
}

DIVISI_TEST(DiskFaults)

}  // namespace disk_faults_test

#include "disk_faults_test.moc"
