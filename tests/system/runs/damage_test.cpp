// SPDX-License-Identifier: Apache-2.0
#include <sys/mount.h>

#include <QElapsedTimer>

#include "tests/support/test_program.h"
#include "tests/system/damaged_files.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/tcp_cluster.h"

namespace damage_test {

using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::flip_a_bit;
using divisi::tests::signal_role;
using divisi::tests::TcpCluster;

namespace {

constexpr const char* never = "checkpoint.every=never";

}  // namespace

/// Tests disks that lose written data, and processes that pause for longer than any timeout. Trainings keep the losses
/// that they would have had, or end with the reason.
class Damage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flipped_bit_in_a_snapshot_is_found_and_its_copy_read();
    void task_without_an_intact_snapshot_ends_with_the_reason();
    void instance_resumed_after_a_long_pause_does_no_harm_data();
    void instance_resumed_after_a_long_pause_does_no_harm();
    void full_disk_prevents_only_checkpoints();

private:
    static QDir blobs(const TcpCluster& cluster, const QString& node) {
        return QDir(cluster.programs.folder() + "/" + node + "/blobs");
    }
    /// Returns the snapshots that a node has stored since `before`: its own and the copy of another node's.
    static QStringList snapshots_of(const TcpCluster& cluster, const QString& node, const QStringList& before) {
        QStringList found;
        for (const QString& file : blobs(cluster, node).entryList(QDir::Files))
            if (!before.contains(file) && !file.contains('.')) found << blobs(cluster, node).filePath(file);
        return found;
    }
};

void Damage::flipped_bit_in_a_snapshot_is_found_and_its_copy_read() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("flipped", endless), {never});
    QVERIFY2(run.wait_for_steps(5), run.told());
    const QStringList before = blobs(cluster, "mic-2-node-1").entryList(QDir::Files);
    QCOMPARE(cluster.programs.run({"checkpoint", "flipped-1"}).status, 0);
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const QStringList stored = snapshots_of(cluster, "mic-2-node-1", before);
    QCOMPARE(stored.size(), 2);
    flip_a_bit(stored);

    QCOMPARE(signal_role(cluster.programs, "flipped-1/stage-1", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    const auto recoveries = run.all("recovery");
    QCOMPARE(recoveries.size(), 2);
    QVERIFY2(recoveries[1]["reason"].toString().contains("its bytes have changed on the disk"), run.told());
    QCOMPARE(recoveries[1]["step"].toInt(), run.last("checkpoint")["step"].toInt());
}

void Damage::task_without_an_intact_snapshot_ends_with_the_reason() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("spoilt", endless), {never});
    QVERIFY2(run.wait_for_steps(5), run.told());
    const QStringList nodes{"mic-1-node-1", "mic-2-node-1"};
    QStringList before;
    for (const QString& node : nodes) before += blobs(cluster, node).entryList(QDir::Files);
    QCOMPARE(cluster.programs.run({"checkpoint", "spoilt-1"}).status, 0);
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    for (const QString& node : nodes) flip_a_bit(snapshots_of(cluster, node, before));

    QCOMPARE(signal_role(cluster.programs, "spoilt-1/stage-1", SIGKILL).size(), 1);
    QCOMPARE(run.wait_for_end(), 1);
    const QJsonObject end = run.last("end");
    QCOMPARE(end["outcome"].toString(), QString("failed"));
    QVERIFY2(end["error"]["what"].toString().contains("its bytes have changed on the disk"), run.told());
    const QString waiting = cluster.programs.run({"exceptions"}).output;
    QVERIFY2(waiting.contains("spoilt-1"), qPrintable(waiting));
}

void Damage::instance_resumed_after_a_long_pause_does_no_harm_data() {
    QTest::addColumn<int>("sleep_ms");
    QTest::newRow("until its task continues") << 0;
    QTest::newRow("for 30 s") << 30'000;
}

/// The instance is considered dead and its task continues without it. Then the instance resumes, unless it was ended
/// during its pause.
void Damage::instance_resumed_after_a_long_pause_does_no_harm() {
    QFETCH(const int, sleep_ms);
    TcpCluster cluster;
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("slept", endless), {"checkpoint.every=5"});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const auto stopped = signal_role(cluster.programs, "slept-1/stage-1", SIGSTOP);
    QCOMPARE(stopped.size(), 1);
    QElapsedTimer asleep;
    asleep.start();
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_until([&] { return asleep.hasExpired(sleep_ms); }), run.told());
    ::kill(static_cast<pid_t>(stopped.first()), SIGCONT);
    QVERIFY2(run.wait_for_more_steps(), run.told());
    const auto is_gone = [&] {
        return !cluster.programs.pids("divisi-instance", "slept-1/stage-1/").contains(stopped.first());
    };
    QVERIFY2(run.wait_until(is_gone), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("recovery").size(), 1);
}

/// Training continues without checkpoints.
void Damage::full_disk_prevents_only_checkpoints() {
    TcpCluster cluster;
    const QByteArray folder = QFile::encodeName(cluster.programs.folder() + "/mic-2-node-1");
    QVERIFY(QDir().mkpath(QFile::decodeName(folder)));
    if (::mount("tmpfs", folder.constData(), "tmpfs", 0, "size=8m") != 0) QSKIP("a small disk cannot be mounted here");
    const auto unmount = qScopeGuard([&] { ::umount2(folder.constData(), MNT_DETACH); });
    QVERIFY(cluster.start());
    DisturbedRun run(cluster.programs, cluster.programs.task_across_mics("full", endless), {"checkpoint.every=5"});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QFile rest(QFile::decodeName(folder) + "/rest");
    QVERIFY(rest.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
    while (rest.write(QByteArray(1 << 16, 'x')) == 1 << 16) continue;
    const int committed = run.last("checkpoint")["step"].toInt();
    const auto told = [&] {
        return cluster.programs.run({"logs", "--task", "full-1", "--contains", "snapshot"}).output.contains("space");
    };
    QVERIFY2(run.wait_until(told), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    rest.close();
    QVERIFY(rest.remove());
    QVERIFY2(run.wait_for_checkpoint(std::max(committed, run.last("step")["step"].toInt())), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.all("recovery").isEmpty());
}

DIVISI_TEST(Damage)

}  // namespace damage_test

#include "damage_test.moc"
