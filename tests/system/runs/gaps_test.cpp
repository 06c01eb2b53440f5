// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QElapsedTimer>
#include <QRegularExpression>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/gap_proxy.h"
#include "tests/system/tcp_cluster.h"

namespace gaps_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::GapProxy;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

/// Tests a process that pauses for a while, and a network that fails for a while. Both must count as a gap, not as a
/// fault.
class Gaps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void short_pause_of_any_process_is_tolerated_data();
    void short_pause_of_any_process_is_tolerated();
    void short_network_failure_is_tolerated_data();
    void short_network_failure_is_tolerated();
};

namespace {

/// A task that would end if a gap were treated as a fault.
TaskFile gaps_task() {
    return TaskFile("gaps").set("train.steps", 1'000'000).set("split.stages", 2).set("faults.answer", "fail");
}

/// `divisictl run --json`, with the last step that it printed.
class Run {
public:
    Run(const Programs& programs, const QStringList& more = {}) {
        process_.setProcessEnvironment(programs.environment());
        process_.start(Programs::program("divisictl"),
                       QStringList{"run", programs.write("gaps.toml", gaps_task()), "--json"} + more);
    }
    ~Run() {
        process_.kill();
        process_.waitForFinished();
    }
    /// Waits for a step after `step` that was trained from now on. Returns false if the run ends or on timeout.
    bool wait_for_step_after(int step, int limit_ms) {
        return QTest::qWaitFor([&] { return last_step() > step || over(); }, limit_ms) && last_step() > step;
    }
    int last_step() {
        while (process_.canReadLine()) {
            const QJsonDocument line = QJsonDocument::fromJson(process_.readLine());
            if (line["event"].toString() == "step") last_ = line["step"].toInt();
            if (line["event"].toString() == "end") end_ = QString(line.toJson(QJsonDocument::Compact));
        }
        return last_;
    }
    bool over() const { return process_.state() == QProcess::NotRunning; }
    QProcess& process() { return process_; }
    QString told() {
        (void)last_step();
        return end_ + process_.readAllStandardError();
    }

private:
    QProcess process_;
    int last_ = 0;
    QString end_;
};

int ready_nodes(const Programs& programs) {
    return static_cast<int>(programs.run({"cluster", "status", "--json"}).output.count("\"state\":\"ready\""));
}

}  // namespace

void Gaps::short_pause_of_any_process_is_tolerated_data() {
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<QByteArray>("argument");
    QTest::addColumn<int>("pause_ms");
    QTest::newRow("orchestrator, 3 s") << QByteArray("divisid") << QByteArray() << 3000;
    QTest::newRow("node, 5 s") << QByteArray("divisi-node") << QByteArray("mic-1/node-1") << 4900;
    QTest::newRow("node, 12 s") << QByteArray("divisi-node") << QByteArray("mic-1/node-1") << 12'000;
    QTest::newRow("instance, 3 s") << QByteArray("divisi-instance") << QByteArray("stage-1") << 3000;
    QTest::newRow("instance, 12 s") << QByteArray("divisi-instance") << QByteArray("stage-1") << 12'000;
    QTest::newRow("client, 3 s") << QByteArray("divisictl") << QByteArray("run") << 3000;
    QTest::newRow("orchestrator, 20 s") << QByteArray("divisid") << QByteArray() << 20'000;
}

void Gaps::short_pause_of_any_process_is_tolerated() {
    QFETCH(QByteArray, program);
    QFETCH(QByteArray, argument);
    QFETCH(int, pause_ms);
    Programs programs;
    QVERIFY(programs.cluster_up());
    const int nodes = ready_nodes(programs);
    Run run(programs);
    QVERIFY2(run.wait_for_step_after(0, 30'000), qPrintable(run.told()));
    const auto pid = static_cast<pid_t>(programs.pids(program, argument).value(0));
    QVERIFY(pid > 0);
    QCOMPARE(::kill(pid, SIGSTOP), 0);
    QTest::qWait(pause_ms);
    (void)run.last_step();
    QCOMPARE(::kill(pid, SIGCONT), 0);
    QTest::qWait(1000);  // lets queued steps arrive first, so that they do not count
    QVERIFY2(run.wait_for_step_after(run.last_step(), 30'000), qPrintable(run.told()));
    QTest::qWait(2000);  // leaves time for a late failure
    QVERIFY2(run.wait_for_step_after(run.last_step(), 10'000), qPrintable(run.told()));
    QCOMPARE(ready_nodes(programs), nodes);
    QCOMPARE(programs.run({"tasks", "stop", "gaps-1"}).status, 0);
    QVERIFY(run.process().waitForFinished(20'000));
    QCOMPARE(run.process().exitCode(), 3);
}

void Gaps::short_network_failure_is_tolerated_data() {
    QTest::addColumn<int>("network");
    QTest::newRow("stalls") << static_cast<int>(GapProxy::Network::stalls);
    QTest::newRow("drops") << static_cast<int>(GapProxy::Network::drops);
    QTest::newRow("refuses") << static_cast<int>(GapProxy::Network::refuses);
}

/// The network carries the control connections of both nodes, their instances and the client.
void Gaps::short_network_failure_is_tolerated() {
    QFETCH(int, network);
    TcpCluster cluster;
    std::unique_ptr<GapProxy> proxy;
    cluster.route = [&](const QString& connection) {
        QFile file(connection);
        if (!file.open(QIODevice::ReadOnly)) qFatal("no connection file");
        const QString text = file.readAll();
        const QString port = QRegularExpression(R"(127\.0\.0\.1:(\d+))").match(text).captured(1);
        proxy = std::make_unique<GapProxy>(port.toInt());
        return cluster.programs.write("through.toml",
                                      QString(text).replace(port, QString::number(proxy->port())).toUtf8());
    };
    QVERIFY(cluster.start());
    QVERIFY(cluster.allow(cluster.make_key("me.key"), "me", "operator"));
    Run run(cluster.programs, {"--connect", cluster.programs.folder() + "/through.toml", "--keys",
                               cluster.programs.folder() + "/me.key"});
    QVERIFY2(run.wait_for_step_after(0, 30'000), qPrintable(run.told()));
    proxy->set(static_cast<GapProxy::Network>(network));
    QTest::qWait(8000);
    // During the gap, `tasks` shows that the task waits, and for which peer.
    const QString tasks = cluster.programs.run({"tasks"}).output;
    QTest::qWait(2000);
    proxy->set(GapProxy::Network::up);
    QVERIFY2(tasks.contains("waits for node mic-1/node-1"), qPrintable(tasks));
    QVERIFY2(QTest::qWaitFor([&] { return ready_nodes(cluster.programs) == 2; }, 20'000), qPrintable(run.told()));
    QVERIFY2(run.wait_for_step_after(run.last_step(), 30'000), qPrintable(run.told()));
    QTest::qWait(16'000);  // together with the gap, longer than any timeout
    QVERIFY2(run.wait_for_step_after(run.last_step(), 10'000), qPrintable(run.told()));
    const QString after = cluster.programs.run({"tasks"}).output;
    QVERIFY2(!after.contains("waits for"), qPrintable(after));
    QCOMPARE(cluster.programs.run({"tasks", "stop", "gaps-1"}).status, 0);
    QVERIFY(run.process().waitForFinished(20'000));
    QCOMPARE(run.process().exitCode(), 3);
    proxy.reset();
}

DIVISI_TEST(Gaps)

}  // namespace gaps_test

#include "gaps_test.moc"
