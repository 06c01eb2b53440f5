// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/system/free_port.h"
#include "tests/system/net_lab.h"
#include "tests/system/tcp_cluster.h"

using divisi::tests::Finished;
using divisi::tests::NetLab;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

namespace {

const char* task_text = R"(
[task]
name = "hosts"
[model]
zoo = "gpt"
layers = 2
width = 64
heads = 2
context = 32
[data]
kind = "synthetic"
samples = 64
[train]
steps = %1
batch = 8
microbatches = 4
optimizer = "adamw"
[split]
stages = 2
schedule = "1f1b"
[place]
stages = ["mic-1/node-1", "mic-2/node-1"]
)";

/// Five hosts: the orchestrator's, two with a node and its gateway, and two with a router. Everybody is linked with the
/// orchestrator, and both gateways with both routers; between the gateways there is no link at all.
struct Hosts {
    NetLab lab;
    TcpCluster cluster;
    std::vector<TcpCluster::Process> devices;

    bool start() {
        for (const char* host : {"o", "a", "b", "r", "s"}) lab.add_host(host);
        for (const char* host : {"a", "b", "r", "s"}) lab.link("o", host);
        for (const auto& [gateway, router] : ways()) lab.link(gateway, router);
        for (const auto& [gateway, router] : ways())
            for (const auto& [from, to] : {std::pair(gateway, router), std::pair(router, gateway)})
                lab.slow(from, to, "200mbit");
        cluster.place = [this](const QString& name) {
            const QString host = host_of(name);
            return TcpCluster::Place{lab.address(host), lab.space(host)};
        };
        if (!cluster.start()) return false;
        const int port = 7620;  // of hosts that nobody else is on
        devices.push_back(cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"}, port));
        devices.push_back(cluster.start_device("divisi-gateway", "mg-2", {"--mic", "mic-2"}, port));
        for (const char* router : {"sr-1", "sr-2"})
            devices.push_back(cluster.start_device("divisi-router", router, {"--neighbours", "mg-1,mg-2"}, port));
        return QTest::qWaitFor([&] { return usable_neighbours() == 8; }, 20'000);
    }
    static QList<std::pair<QString, QString>> ways() { return {{"a", "r"}, {"r", "b"}, {"a", "s"}, {"s", "b"}}; }
    static QString host_of(const QString& name) {
        static const QMap<QString, QString> hosts{{"mic-1/node-1", "a"}, {"mg-1", "a"}, {"mic-2/node-1", "b"},
                                                  {"mg-2", "b"},         {"sr-1", "r"}, {"sr-2", "s"}};
        return hosts.value(name, "o");
    }
    QList<QJsonObject> routes() const { return cluster.programs.run({"routes", "--json"}).objects(); }
    /// Ends of links that work, as the devices report them.
    int usable_neighbours() const {
        int count = 0;
        for (const QJsonObject& device : routes())
            for (const QJsonValue one : device["neighbours"].toArray()) count += one["usable"].toBool() ? 1 : 0;
        return count;
    }
    /// The router by which the first host's tensors go now: what grows.
    QString busy_router() const {
        const qint64 r = lab.sent("a", "r"), s = lab.sent("a", "s");
        QTest::qWait(500);
        return lab.sent("a", "r") - r > lab.sent("a", "s") - s ? "r" : "s";
    }
    /// Loss bits of a run in which `disturb` happens once tensors flow.
    QStringList losses(int steps, const std::function<void()>& disturb) {
        const Programs& programs = cluster.programs;
        const QString file = programs.write("hosts.toml", QString(task_text).arg(steps).toUtf8());
        reference = programs.run({"reference", file, "--json"}).losses();
        QProcess run;
        run.setProcessEnvironment(programs.environment());
        const qint64 before = lab.sent("a", "r") + lab.sent("a", "s");
        run.start(Programs::program("divisictl"),
                  {"run", file, "--json", "--connect", programs.data() + "/connection.toml"});
        if (!QTest::qWaitFor([&] { return lab.sent("a", "r") + lab.sent("a", "s") > before + 3'000'000; }, 60'000))
            return {};
        disturb();
        disturbed = run.state() == QProcess::Running;
        Finished finished;
        if (run.waitForFinished(120'000)) finished.output = run.readAllStandardOutput();
        if (run.exitCode() != 0) qWarning("%s", run.readAllStandardError().constData());
        return finished.losses();
    }
    QStringList reference;
    bool disturbed = false;  ///< the run was not over by then
};

}  // namespace

/// Hosts with addresses of their own and links that are slow, cut and healed, while a task trains across them.
class Namespaces : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        if (const QString why = NetLab::missing(); !why.isEmpty()) QSKIP(qPrintable(why));
    }
    void a_cut_link_costs_no_bit();
    void a_router_whose_host_is_cut_off_costs_no_bit();
    void a_node_whose_host_is_cut_off_comes_back();
};

void Namespaces::a_cut_link_costs_no_bit() {
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

void Namespaces::a_router_whose_host_is_cut_off_costs_no_bit() {
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

void Namespaces::a_node_whose_host_is_cut_off_comes_back() {
    Hosts hosts;
    QVERIFY(hosts.start());
    const QStringList losses = hosts.losses(400, [&] {
        for (const char* end : {"o", "r", "s"}) hosts.lab.cut("b", end);
        QTest::qWait(4'000);
        for (const char* end : {"o", "r", "s"}) hosts.lab.heal("b", end);
    });
    QVERIFY(hosts.disturbed);
    QCOMPARE(losses, hosts.reference);
    QCOMPARE(losses.size(), 400);
}

QTEST_GUILESS_MAIN(Namespaces)
#include "namespaces_test.moc"
