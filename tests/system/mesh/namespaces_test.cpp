// SPDX-License-Identifier: Apache-2.0

#include "tests/support/test_program.h"
#include "tests/system/hosts_by_file.h"
#include "tests/system/net_lab.h"

namespace namespaces_test {

using divisi::tests::Finished;
using divisi::tests::HostsByFile;
using divisi::tests::NetLab;
using divisi::tests::Programs;

namespace {

const char* cluster_text = R"(
[cluster]
name = "five-hosts"
transport = "tcp"
host = "o"
)"
                           "orchestrator = \"tcp://%1:7600\"\n"  // moc mistakes slashes in a raw string for a comment
                           R"(
[[host]]
name = "o"
address = "%1"
[[host]]
name = "a"
address = "%2"
[[host]]
name = "b"
address = "%3"
[[host]]
name = "r"
address = "%4"
[[host]]
name = "s"
address = "%5"

[[mic]]
name = "mic-1"
[[mic.node]]
name = "node-1"
host = "a"
[mic.gateway]
name = "mg-1"
host = "a"
links = ["sr-1", "sr-2"]

[[mic]]
name = "mic-2"
[[mic.node]]
name = "node-1"
host = "b"
[mic.gateway]
name = "mg-2"
host = "b"

[[router]]
name = "sr-1"
host = "r"
links = ["mg-2"]

[[router]]
name = "sr-2"
host = "s"
links = ["mg-2"]
)";

/// Five hosts started from one file: the orchestrator's, two with a node and its gateway, and two with a router. All
/// hosts are linked with the orchestrator's, and both gateways with both routers. There is no link between the
/// gateways.
struct Hosts {
    NetLab lab;
    HostsByFile cluster;

    bool start() {
        const QStringList names{"o", "a", "b", "r", "s"};
        for (const QString& host : names) lab.add_host(host);
        for (const char* host : {"a", "b", "r", "s"}) lab.link("o", host);
        for (const auto& [gateway, router] : ways()) lab.link(gateway, router);
        for (const auto& [gateway, router] : ways())
            for (const auto& [from, to] : {std::pair(gateway, router), std::pair(router, gateway)})
                lab.slow(from, to, "200mbit");
        cluster.space = [this](const QString& host) { return lab.space(host); };
        QString text = cluster_text;
        for (const QString& host : names) text = text.arg(lab.address(host));
        cluster.fill_in_keys(text, names);
        for (const QString& host : names) cluster.start(host);
        return QTest::qWaitFor([&] { return usable_neighbours() == 8 && ready_nodes() == 2; }, 30'000);
    }
    static QList<std::pair<QString, QString>> ways() { return {{"a", "r"}, {"r", "b"}, {"a", "s"}, {"s", "b"}}; }
    QString connection() const { return cluster.connection("o"); }
    QList<QJsonObject> routes() const {
        return cluster.programs.run({"routes", "--json", "--connect", connection()}).objects();
    }
    qsizetype ready_nodes() const {
        const Finished status = cluster.programs.run({"cluster", "status", "--json", "--connect", connection()});
        return status.output.count("\"state\":\"ready\"");
    }
    /// Returns the number of working link ends that the devices report.
    int usable_neighbours() const {
        int count = 0;
        for (const QJsonObject& device : routes())
            for (const QJsonValue one : device["neighbours"].toArray()) count += one["usable"].toBool() ? 1 : 0;
        return count;
    }
    /// Returns the router that now carries the first host's tensors: the one whose byte count grows.
    QString busy_router() const {
        const qint64 r = lab.sent("a", "r"), s = lab.sent("a", "s");
        QTest::qWait(500);
        return lab.sent("a", "r") - r > lab.sent("a", "s") - s ? "r" : "s";
    }
    /// Runs a task, calls `disturb` once tensors flow, and returns the loss bits.
    QStringList losses(int steps, const std::function<void()>& disturb) {
        const Programs& programs = cluster.programs;
        const QString file = programs.task_across_mics("hosts", steps);
        reference = programs.run({"reference", file, "--json"}).losses();
        QProcess run;
        run.setProcessEnvironment(programs.environment());
        const qint64 before = lab.sent("a", "r") + lab.sent("a", "s");
        run.start(Programs::program("divisictl"), {"run", file, "--json", "--connect", connection()});
        if (!QTest::qWaitFor([&] { return lab.sent("a", "r") + lab.sent("a", "s") > before + 3'000'000; }, 60'000))
            return {};
        disturb();
        disturbed = run.state() == QProcess::Running;
        Finished finished;
        if (run.waitForFinished(120'000)) finished.output = run.readAllStandardOutput();
        if (run.exitCode() != 0) qWarning("%s", run.readAllStandardError().constData());
        return bits_of(finished);
    }
    /// Returns the loss bits in the order of steps. Repeated steps must have had the same bits.
    static QStringList bits_of(const Finished& finished) {
        QMap<int, QString> bits;
        for (const QJsonObject& line : finished.objects("step")) {
            QString& one = bits[line["step"].toInt()];
            const QString now = line["loss_bits"].toString();
            one = one.isEmpty() || one == now ? now : one + " and " + now;
        }
        return bits.values();
    }
    QStringList reference;
    bool disturbed = false;  ///< whether the disturbance occurred before the run ended
};

}  // namespace

/// Tests hosts with their own addresses. Their links are slowed, cut and healed while a task trains across them.
class Namespaces : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        if (const QString why = NetLab::missing(); !why.isEmpty()) QSKIP(qPrintable(why));
    }
    void cut_link_does_not_change_losses();
    void router_on_a_cut_off_host_does_not_change_losses();
    void node_on_a_cut_off_host_returns_data();
    void node_on_a_cut_off_host_returns();
};

void Namespaces::cut_link_does_not_change_losses() {
    Hosts hosts;
    QVERIFY(hosts.start());
    QString by, other;
    qint64 before = 0;
    const QStringList losses = hosts.losses(400, [&] {
        by = hosts.busy_router();
        other = by == "r" ? "s" : "r";
        before = hosts.lab.sent("a", other);
        hosts.lab.cut("a", by);
    });
    QVERIFY(hosts.disturbed);
    QCOMPARE(losses.size(), 400);
    QCOMPARE(losses, hosts.reference);
    QVERIFY(hosts.lab.sent("a", other) > before + 3'000'000);
    hosts.lab.heal("a", by);
    QVERIFY(QTest::qWaitFor([&] { return hosts.usable_neighbours() == 8; }, 20'000));
}

void Namespaces::router_on_a_cut_off_host_does_not_change_losses() {
    Hosts hosts;
    QVERIFY(hosts.start());
    const QStringList losses = hosts.losses(400, [&] {
        const QString by = hosts.busy_router();
        for (const char* end : {"o", "a", "b"}) hosts.lab.cut(by, end);
        QTest::qWait(3'000);
        for (const char* end : {"o", "a", "b"}) hosts.lab.heal(by, end);
    });
    QVERIFY(hosts.disturbed);
    QCOMPARE(losses, hosts.reference);
    QCOMPARE(losses.size(), 400);
    QVERIFY(QTest::qWaitFor([&] { return hosts.usable_neighbours() == 8; }, 20'000));
}

void Namespaces::node_on_a_cut_off_host_returns_data() {
    QTest::addColumn<int>("seconds");
    QTest::newRow("after 3 s") << 3;
    QTest::newRow("after 10 s") << 10;
    QTest::newRow("after 60 s") << 60;
}

/// If the host returns within the node's time limit, no step is repeated. After the limit the stage continues elsewhere
/// from a checkpoint.
void Namespaces::node_on_a_cut_off_host_returns() {
    constexpr int longest_usual = 10;
    QFETCH(const int, seconds);
    if (seconds > longest_usual && !qEnvironmentVariableIsSet("DIVISI_LONG_TESTS"))
        QSKIP("it takes minutes: set DIVISI_LONG_TESTS=1");
    Hosts hosts;
    QVERIFY(hosts.start());
    const QStringList losses = hosts.losses(400, [&] {
        for (const char* end : {"o", "r", "s"}) hosts.lab.cut("b", end);
        QTest::qWait(seconds * 1'000);
        for (const char* end : {"o", "r", "s"}) hosts.lab.heal("b", end);
    });
    QVERIFY(hosts.disturbed);
    QCOMPARE(losses, hosts.reference);
    QCOMPARE(losses.size(), 400);
}

DIVISI_TEST(Namespaces)

}  // namespace namespaces_test

#include "namespaces_test.moc"
