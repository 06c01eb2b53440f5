// SPDX-License-Identifier: Apache-2.0

#include "tests/system/tcp_cluster.h"

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace faults_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

/// Tests machine faults during a run: a process disappears, or a disk is full.
class Faults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void killed_node_agent_ends_a_task_that_forbids_recovery();
    void full_disk_error_names_the_folder_data();
    void full_disk_error_names_the_folder();
};

namespace {

/// Returns a task that ends at its first fault.
TaskFile task(int steps) {
    return TaskFile("faults").set("train.steps", steps).set("split.stages", 2).set("faults.answer", "fail");
}

}  // namespace

void Faults::killed_node_agent_ends_a_task_that_forbids_recovery() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const QString file = cluster.programs.write("faults.toml", task(1'000'000));
    QProcess run;
    run.setProcessEnvironment(cluster.programs.environment());
    run.start(Programs::program("divisictl"), {"run", file, "--json"});
    QVERIFY(QTest::qWaitFor([&] { return run.canReadLine() || run.state() == QProcess::NotRunning; }, 30'000));
    QVERIFY2(run.readLine().contains("\"event\":\"step\""), run.readAllStandardError().constData());

    cluster.node(1).kill();
    QVERIFY(run.waitForFinished(30'000));
    QCOMPARE(run.exitCode(), 1);
    const QString output = run.readAllStandardOutput();
    QVERIFY2(output.contains("mic-2/node-1"), qPrintable(output.right(600)));
    QVERIFY2(output.contains("submit"), qPrintable(output.right(600)));
    const auto instances = [&] { return cluster.programs.left_behind().filter("divisi-instance"); };
    QVERIFY2(QTest::qWaitFor([&] { return instances().isEmpty(); }, 15'000), qPrintable(instances().join('\n')));
    const Finished status = cluster.programs.run({"cluster", "status", "--json"});
    QVERIFY2(status.output.contains("\"state\":\"lost\""), qPrintable(status.output));
}

void Faults::full_disk_error_names_the_folder_data() {
    QTest::addColumn<QString>("size");
    QTest::addColumn<QByteArray>("task");
    const TaskFile gpt =
        task(1)
            .gpt(6, 256, 4, 8)
            .replace("data", {{"kind", "text"}, {"path", DIVISI_SOURCE_DIR "/resources/samples/text/divisi.txt"}});
    const auto row = [](const char* name, const char* size, const TaskFile& of) {
        QTest::newRow(name) << size << QByteArray::fromStdString(of.text());
    };
    row("no room for the weights", "12m", gpt);  // the weights take 20 MiB
    row("no room for the event log", "400k", task(1'000'000));
    row("no room at all", "64k", task(1));
}

void Faults::full_disk_error_names_the_folder() {
    QFETCH(QString, size);
    QFETCH(QByteArray, task);
    // The data folder is a small file system in its own mount namespace.
    const Programs programs;
    const QString script =
        QString(
            "mkdir -p '%1' && mount -t tmpfs -o size=%2 none '%1' || exit 77; "
            "'%3' run '%4' --json; status=$?; find '%1' -name '*.new*' >&2; exit $status")
            .arg(programs.data(), size, Programs::program("divisictl"), programs.write("full.toml", task));
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start("unshare", {"--user", "--map-root-user", "--mount", "sh", "-c", script});
    QVERIFY(run.waitForFinished(60'000) || run.error() == QProcess::FailedToStart);
    const QString output = run.readAllStandardOutput(), errors = run.readAllStandardError();
    if (run.error() == QProcess::FailedToStart || run.exitCode() == 77 || errors.startsWith("unshare:"))
        QSKIP("this system lets no user mount a small file system in a namespace of its own");
    const QString told = output.right(600) + errors;
    QVERIFY2(run.exitCode() == 1, qPrintable(told));
    QVERIFY2(told.contains(programs.data()) && told.contains("the disk is full"), qPrintable(told));
    QVERIFY2(!errors.contains(".new"), qPrintable("half-written: " + errors));
    QVERIFY2(QTest::qWaitFor([&] { return programs.left_behind().isEmpty(); }, 15'000),
             qPrintable(programs.left_behind().join('\n')));
}

DIVISI_TEST(Faults)

}  // namespace faults_test

#include "faults_test.moc"
