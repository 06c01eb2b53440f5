// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/free_port.h"
#include "tests/system/hosts_by_file.h"
#include "tests/system/http_get.h"

namespace hosts_file_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::free_port_pair;
using divisi::tests::HostsByFile;
using divisi::tests::http_get;

namespace {

const char* cluster_text = R"([cluster]
name = "two-hosts"
transport = "tcp"
host = "head"
orchestrator = "%1"
[[host]]
name = "head"
address = "127.0.0.1"
[[host]]
name = "alpha"
address = "127.0.0.1"
[[host]]
name = "gamma"
address = "127.0.0.1"
[[mic]]
name = "mic-1"
[[mic.node]]
name = "node-1"
host = "head"
metrics = "127.0.0.1:%5"
metrics_instances = true
[[mic.node]]
name = "node-2"
host = "gamma"
[mic.gateway]
name = "mg-1"
host = "head"
port = %2
links = ["sr-1"]
[mic.gateway.limits]
task_rate = "500 MB/s"
task_set_ups = 400
set_up_deadline = "3 s"
policy_validity = "60 s"
[[mic]]
name = "mic-2"
[[mic.node]]
name = "node-1"
host = "alpha"
[mic.gateway]
name = "mg-2"
host = "alpha"
port = %3
links = ["sr-1"]
[[router]]
name = "sr-1"
host = "alpha"
port = %4
[[module]]
name = "link-trend"
host = "alpha"
[policy]
entries = ["breaker:mg-1=5", "breaker-window=20s", "alarm-latency:sr-1=200ms"]
)";

TaskFile task_of_two() {
    return TaskFile("by-file")
        .set("train.steps", 20)
        .set("split.stages", 2)
        .set("place.stages", {"mic-1/node-1", "mic-2/node-1"});
}

/// `metrics` is the metrics port of the first host's node.
QString with_ports(int metrics = 0) {
    return QString(cluster_text)
        .arg(QString("tcp://127.0.0.1:%1").arg(free_port_pair()))
        .arg(free_port_pair())
        .arg(free_port_pair())
        .arg(free_port_pair())
        .arg(metrics);
}

}  // namespace

/// Tests a cluster that is started from one cluster file, with one command per host. Here, two hosts run on one
/// machine.
class HostsFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cluster_starts_trains_and_ends_together();
    void missing_or_wrong_entries_are_reported();

private:
    static bool module_is(const HostsByFile& cluster, const QString& connection, const QString& state) {
        const auto all = cluster.programs.run({"modules", "--json", "--connect", connection}).objects();
        return all.size() == 1 && all[0]["state"].toString() == state;
    }
    /// Checks the metrics of the only node whose metrics the file enables, and of its instances.
    static void check_metrics(const HostsByFile& cluster, int port) {
        const auto told = [&] { return http_get(port, "/metrics"); };
        const char* const connected = "divisi_node_connected{node=\"mic-1/node-1\"} 1";
        QTRY_VERIFY_WITH_TIMEOUT(told().find(connected) != std::string::npos, 10'000);
        QCOMPARE(cluster.programs.pids("divisi-node", "--metrics-instances").size(), 1);
    }
    static void check_what_the_file_sets(const HostsByFile& cluster, const QString& connection) {
        // The gateway has the limits of the file and applies them.
        for (const char* option :
             {"--task-rate 5e+08B/s", "--task-set-ups 400", "--set-up-deadline 3", "--policy-validity 60"})
            QCOMPARE(cluster.programs.pids("divisi-gateway", QByteArray(option).replace(' ', '\0')).size(), 1);
        // The policy of the file became a policy version that all devices follow.
        const auto policies = [&] { return cluster.programs.run({"policies", "--json", "--connect", connection}); };
        QVERIFY(QTest::qWaitFor([&] { return policies().output.count("\"applied\":1") == 3; }, 10'000));
        const QString said = policies().output;
        for (const char* part :
             {"\"author\":\"cluster file\"", "breaker:mg-1=5", "breaker-window=20s", "alarm-latency:sr-1=200ms"})
            QVERIFY2(said.contains(part), qPrintable(said));
    }
};

void HostsFile::cluster_starts_trains_and_ends_together() {
    HostsByFile cluster;
    const int metrics = free_port_pair();
    cluster.fill_in_keys(with_ports(metrics), {"head", "alpha", "gamma"});
    cluster.start("alpha");  // peers that start before the orchestrator wait for it
    cluster.start("gamma");  // gamma has a node but no device
    QTest::qWait(300);
    cluster.start("head");
    const QString connection = cluster.connection("head");
    const auto usable = [&] {
        qsizetype count = 0;
        for (const QJsonObject& device : cluster.programs.run({"routes", "--json", "--connect", connection}).objects())
            for (const QJsonValue one : device["neighbours"].toArray()) count += one["usable"].toBool() ? 1 : 0;
        return count;
    };
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(connection) && usable() == 4; }, 30'000));
    const auto ready = [&] {
        const Finished status = cluster.programs.run({"cluster", "status", "--json", "--connect", connection});
        return status.output.count("\"state\":\"ready\"") == 3;
    };
    QVERIFY(QTest::qWaitFor(ready, 20'000));
    check_what_the_file_sets(cluster, connection);
    check_metrics(cluster, metrics);
    const QString task = cluster.programs.write("task.toml", task_of_two());
    const Finished run = cluster.programs.run({"run", task, "--json", "--connect", connection});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses(), cluster.programs.run({"reference", task, "--json"}).losses());
    // A stopped module stays stopped.
    QVERIFY(QTest::qWaitFor([&] { return module_is(cluster, connection, "advises"); }, 10'000));
    QCOMPARE(cluster.programs.run({"modules", "stop", "link-trend", "--connect", connection}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return cluster.programs.pids("divisi-module-link-trend").isEmpty(); }, 10'000));
    // A program that is killed by hand is restarted.
    const auto router = [&] { return cluster.programs.pids("divisi-router", "sr-1"); };
    const QList<qint64> ended = router();
    QCOMPARE(ended.size(), 1);
    QCOMPARE(::kill(static_cast<pid_t>(ended[0]), SIGTERM), 0);
    QVERIFY(QTest::qWaitFor([&] { return router().size() == 1 && router() != ended; }, 10'000));
    QVERIFY(QTest::qWaitFor([&] { return usable() == 4; }, 20'000));
    QCOMPARE(cluster.host("alpha").state(), QProcess::Running);
    // If `cluster start` was killed, the next `cluster start` waits for the processes that the first had started.
    const QList<qint64> orphaned = router();
    cluster.host("alpha").kill();
    QVERIFY(cluster.host("alpha").waitForFinished());
    cluster.start("alpha");
    QVERIFY(QTest::qWaitFor([&] { return router().size() == 1 && router() != orphaned; }, 30'000));
    QVERIFY(QTest::qWaitFor([&] { return usable() == 4 && ready(); }, 30'000));
    QCOMPARE(cluster.host("alpha").state(), QProcess::Running);
    // A killed orchestrator returns before its nodes give up: none of them ends.
    const auto node = [&] { return cluster.programs.pids("divisi-node", "mic-1/node-2"); };
    const auto orchestrator = [&] { return cluster.programs.pids("divisid", cluster.data("head").toUtf8()); };
    const QList<qint64> adopted = node(), killed = orchestrator();
    QVERIFY(adopted.size() == 1 && killed.size() == 1);
    QCOMPARE(::kill(static_cast<pid_t>(killed[0]), SIGKILL), 0);
    QVERIFY(QTest::qWaitFor([&] { return orchestrator().size() == 1 && orchestrator() != killed; }, 10'000));
    QVERIFY(QTest::qWaitFor([&] { return usable() == 4 && ready(); }, 30'000));
    QCOMPARE(node(), adopted);
    QCOMPARE(cluster.host("gamma").state(), QProcess::Running);
    // A second start of the same host is refused.
    const Finished again =
        cluster.programs.run({"cluster", "start", cluster.file(), "--host", "alpha", "--data", cluster.data("alpha")});
    QVERIFY(again.status != 0 && again.errors.contains(cluster.data("alpha")));
    cluster.host("head").terminate();
    QVERIFY(cluster.host("head").waitForFinished(20'000));
    QVERIFY(cluster.host("alpha").waitForFinished(20'000));  // ends with its orchestrator
    QCOMPARE(cluster.host("alpha").exitCode(), 0);
    QVERIFY(cluster.host("gamma").waitForFinished(20'000));  // the orchestrator has also dismissed gamma's node
    QCOMPARE(cluster.host("gamma").exitCode(), 0);
    QCOMPARE(cluster.programs.left_behind(), QStringList());
}

void HostsFile::missing_or_wrong_entries_are_reported() {
    HostsByFile cluster;
    const auto start = [&](const QString& host) {
        return cluster.programs.run({"cluster", "start", cluster.file(), "--host", host, "--data", cluster.data(host)});
    };
    cluster.fill_in_keys(with_ports(), {});
    Finished refused = start("beta");
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.errors.contains("one of head, alpha"), qPrintable(refused.errors));
    refused = start("alpha");
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.errors.contains("no key of mic-2/node-1") && refused.errors.contains("cluster keys"),
             qPrintable(refused.errors));
    cluster.fill_in_keys(with_ports(), {"alpha"});
    refused = start("alpha");
    QVERIFY2(refused.errors.contains("orchestrator_key") && refused.errors.contains("head"),
             qPrintable(refused.errors));
    const QString filled = cluster.fill_in_keys(with_ports(), {"alpha", "head"});
    const qsizetype at = filled.indexOf("name = \"sr-1\"\nkey = \"") + 21;
    cluster.programs.write("cluster.toml", QString(filled).replace(at, 40, QString(40, 'a')).toUtf8());
    refused = start("alpha");
    QVERIFY2(refused.errors.contains("another key of sr-1"), qPrintable(refused.errors));
    cluster.programs.write("cluster.toml",
                           QString(filled).replace("links = [\"sr-1\"]", "links = [\"sr-9\"]").toUtf8());
    refused = start("alpha");
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.errors.contains("cluster.toml:") && refused.errors.contains("'sr-9'"), qPrintable(refused.errors));
    QCOMPARE(cluster.programs.left_behind(), QStringList());
}

DIVISI_TEST(HostsFile)

}  // namespace hosts_file_test

#include "hosts_file_test.moc"
