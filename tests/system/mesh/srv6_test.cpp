// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QStandardPaths>

#include "tests/support/test_program.h"
#include "tests/system/net_lab.h"
#include "tests/system/tcp_cluster.h"

namespace srv6_test {

using divisi::tests::Finished;
using divisi::tests::NetLab;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

namespace {

constexpr int steps = 300;
/// Time until all state of a killed device is removed; documented in README.md of agents/router.
constexpr int gone_within_ms = 2000;

/// Returns why this kernel or machine cannot run the test; empty if it can.
QString missing() {
    if (const QString why = NetLab::missing(); !why.isEmpty()) return why;
    if (QStandardPaths::findExecutable("tshark").isEmpty()) return "packets cannot be read here: tshark is missing";
    NetLab lab(NetLab::Ip::v6);
    lab.add_host("probe");
    lab.in("probe",
           {"ip", "-6", "route", "add", "100::1", "encap", "seg6", "mode", "encap", "segs", "::1", "dev", "lo"});
    const bool made = lab.said("probe", {"ip", "-6", "route", "show", "100::1"}).contains("seg6");
    return made ? QString() : "SRv6 routes cannot be made here: the kernel or its rights are missing";
}

/// Six hosts with only IPv6 addresses, all linked with the orchestrator's host, o. There are two paths from gateway a
/// to gateway b. One goes by the routers of r and s, which the hosts' own routes use. The other goes by the router of
/// t; it is the mesh's shortest path.
struct Hosts {
    NetLab lab{NetLab::Ip::v6};
    TcpCluster cluster;
    std::map<QString, TcpCluster::Process> devices;

    Hosts() {
        for (const char* host : {"o", "a", "b", "r", "s", "t"}) lab.add_host(host);
        for (const char* host : {"a", "b", "r", "s", "t"}) lab.link("o", host);
        for (const auto& [one, other] : {std::pair("a", "r"), {"r", "s"}, {"s", "b"}, {"a", "t"}, {"t", "b"}})
            lab.link(one, other);
        for (const char* router : {"r", "s", "t"})
            lab.in(router, {"sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding"});
        lab.route("a", "b", "r");
        lab.route("r", "b", "s");
        lab.route("b", "a", "s");
        lab.route("s", "a", "r");
    }
    bool start() {
        cluster.place = [this](const QString& name) {
            const QString host = host_of(name);
            return TcpCluster::Place{"[" + lab.address(host) + "]", lab.space(host)};
        };
        if (!cluster.start()) return false;
        for (const char* router : {"sr-1", "sr-2", "sr-3"}) start(router);
        for (const char* gateway : {"mg-1", "mg-2"}) start(gateway);
        return QTest::qWaitFor([&] { return steered("a") && steered("b") && usable_neighbours() == 12; }, 20'000);
    }
    void start(const QString& name, const QStringList& more = {"--srv6"}) {
        static const QMap<QString, QString> neighbours{
            {"mg-1", "mg-2"}, {"mg-2", "mg-1"}, {"sr-1", "mg-1,sr-2"}, {"sr-2", "mg-2"}, {"sr-3", "mg-1,mg-2"}};
        const bool gateway = name.startsWith("mg");
        QStringList arguments{"--neighbours", neighbours[name]};
        if (gateway)
            arguments << "--mic"
                      << "mic-" + name.right(1);
        if (more.contains("--srv6")) arguments << "--runtime" << runtime();
        devices.erase(name);
        devices.emplace(
            name, cluster.start_device(gateway ? "divisi-gateway" : "divisi-router", name, arguments + more, 7620));
    }
    static QString host_of(const QString& name) {
        static const QMap<QString, QString> hosts{{"mic-1/node-1", "a"}, {"mg-1", "a"}, {"mic-2/node-1", "b"},
                                                  {"mg-2", "b"},         {"sr-1", "r"}, {"sr-2", "s"},
                                                  {"sr-3", "t"}};
        return hosts.value(name, "o");
    }
    /// Returns the folder where routers keep the state to restore after a kill.
    QString runtime() const { return cluster.programs.folder() + "/run"; }
    int usable_neighbours() const {
        int count = 0;
        for (const QJsonObject& device : cluster.programs.run({"routes", "--json"}).objects())
            for (const QJsonValue one : device["neighbours"].toArray()) count += one["usable"].toBool() ? 1 : 0;
        return count;
    }
    QString routes(const QString& host) const { return lab.said(host, {"ip", "-6", "route", "show"}); }
    /// Returns whether the host has steering routes in addition to the route with which a gateway tests for support.
    bool steered(const QString& host) const {
        return routes(host).count("proto 213 metric 1 ") > routes(host).count("100::");
    }
    /// Returns the process that changes the host's routes; 0: none.
    qint64 guard_of(const QString& name) const {
        const QString parent = QString::number(devices.at(name)->processId());
        for (const QString& line : lab.said("o", {"ps", "--ppid", parent, "-o", "pid=,args="}).split('\n'))
            if (line.contains("--srv6-guard")) return line.trimmed().section(' ', 0, 0).toLongLong();
        return 0;
    }
    QString allowed(const QString& host, const QString& interface) const {
        return lab.said(host, {"cat", "/proc/sys/net/ipv6/conf/" + interface + "/seg6_enabled"}).trimmed();
    }
};

/// Captures packets from one host to another and decodes them with tshark.
class Capture {
public:
    Capture(const Hosts& hosts, const QString& host, const QString& from)
        : file_(hosts.cluster.programs.folder() + "/" + host + ".pcap") {
        process_.start("ip", {"netns", "exec", hosts.lab.space(host), "tshark", "-q", "-i", NetLab::device(from), "-f",
                              "ip6", "-s", "256", "-w", file_});
        if (!QTest::qWaitFor([&] { return QFile::exists(file_); }, 10'000)) qWarning("tshark has not begun");
    }
    ~Capture() { end(); }
    /// Returns the segments of each packet with a segment routing header, last segment first, as in RFC 8754.
    QStringList segments() {
        end();
        QProcess reader;
        reader.start("tshark",
                     {"-r", file_, "-Y", "ipv6.routing.type == 4", "-T", "fields", "-e", "ipv6.routing.srh.addr"});
        reader.waitForFinished(60'000);
        return QString(reader.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
    }

private:
    void end() {
        if (process_.state() == QProcess::NotRunning) return;
        process_.terminate();
        process_.waitForFinished(10'000);
    }
    QString file_;
    QProcess process_;
};

}  // namespace

/// Tests the option --srv6: the kernels of the routers' hosts forward the traffic between gateways, along the path that
/// the mesh chose.
class Srv6 : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        if (const QString why = missing(); !why.isEmpty()) QSKIP(qPrintable(why));
    }
    void tensors_take_the_chosen_path_and_after_a_cut_the_other_path();
    void nothing_remains_after_an_orderly_end();
    void nothing_remains_after_a_kill();
    void next_gateway_removes_what_a_killed_gateway_and_guard_left();
    void next_router_restores_settings_of_killed_router_and_guard();
    void killed_guard_is_replaced();
    void new_guard_restores_settings_of_a_killed_router_guard();
    void missing_prerequisites_are_reported();
};

void Srv6::tensors_take_the_chosen_path_and_after_a_cut_the_other_path() {
    Hosts hosts;
    QVERIFY(hosts.start());
    const Programs& programs = hosts.cluster.programs;
    const QString file = programs.task_across_mics("steered", steps);
    const QStringList reference = programs.run({"reference", file, "--json"}).losses();
    Capture first(hosts, "t", "a"), second(hosts, "s", "r");
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    const qint64 before = hosts.lab.sent("a", "t");
    run.start(Programs::program("divisictl"),
              {"run", file, "--json", "--connect", programs.data() + "/connection.toml"});
    QVERIFY(QTest::qWaitFor([&] { return hosts.lab.sent("a", "t") > before + 3'000'000; }, 60'000));
    hosts.lab.cut("a", "t");
    const bool disturbed = run.state() == QProcess::Running;
    QVERIFY(run.waitForFinished(120'000));
    Finished finished;
    finished.output = run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, run.readAllStandardError());
    QVERIFY(disturbed);
    QCOMPARE(finished.losses().size(), steps);
    QCOMPARE(finished.losses(), reference);

    const auto address = [&](const char* host) { return hosts.lab.address(host); };
    const QStringList by_t = first.segments(), by_r_and_s = second.segments();
    QVERIFY2(by_t.count(address("t")) > 100, qPrintable(QString::number(by_t.size())));
    QVERIFY2(by_r_and_s.count(address("s") + "," + address("r")) > 100, qPrintable(by_r_and_s.mid(0, 3).join(' ')));
}

void Srv6::nothing_remains_after_an_orderly_end() {
    Hosts hosts;
    // Adds foreign routes: one with the protocol number of Divisi's routes, and one to the steered address itself.
    hosts.lab.in(
        "a", {"ip", "-6", "route", "add", "fd77::98", "dev", NetLab::device("r"), "proto", "213", "metric", "1024"});
    hosts.lab.in("a", {"ip", "-6", "route", "add", hosts.lab.address("b"), "encap", "seg6", "mode", "encap", "segs",
                       hosts.lab.address("r"), "dev", NetLab::device("r"), "proto", "static", "metric", "7"});
    const QString before_a = hosts.routes("a"), before_t = hosts.routes("t");
    QVERIFY(hosts.start());
    QVERIFY2(hosts.steered("a") && before_a.contains("fd77::98"), qPrintable(hosts.routes("a")));
    QCOMPARE(hosts.allowed("t", NetLab::device("a")), "1");
    QCOMPARE(hosts.allowed("t", NetLab::device("o")), "0");  // this link leads to no neighbour
    for (const char* name : {"mg-1", "sr-3"}) {
        hosts.devices.at(name)->terminate();
        QVERIFY(hosts.devices.at(name)->waitForFinished(10'000));
    }
    QCOMPARE(hosts.routes("a"), before_a);
    QCOMPARE(hosts.routes("t"), before_t);
    for (const char* interface : {"all", "to-a", "to-b"}) QCOMPARE(hosts.allowed("t", interface), "0");
}

void Srv6::nothing_remains_after_a_kill() {
    Hosts hosts;
    const QString before = hosts.routes("a");
    QVERIFY(hosts.start());
    for (const char* name : {"mg-1", "sr-3"}) hosts.devices.at(name)->kill();
    QVERIFY(QTest::qWaitFor([&] { return hosts.routes("a") == before && hosts.allowed("t", "to-a") == "0"; },
                            gone_within_ms));
}

void Srv6::killed_guard_is_replaced() {
    Hosts hosts;
    const QString before = hosts.routes("a");
    QVERIFY(hosts.start());
    const qint64 first = hosts.guard_of("mg-1");
    QVERIFY(first > 0);
    ::kill(static_cast<pid_t>(first), SIGKILL);
    QVERIFY(QTest::qWaitFor(
        [&] { return hosts.guard_of("mg-1") != first && hosts.guard_of("mg-1") != 0 && hosts.steered("a"); }, 10'000));
    hosts.devices.at("mg-1")->terminate();
    QVERIFY(hosts.devices.at("mg-1")->waitForFinished(10'000));
    QCOMPARE(hosts.routes("a"), before);
}

void Srv6::new_guard_restores_settings_of_a_killed_router_guard() {
    Hosts hosts;
    QVERIFY(hosts.start());
    QCOMPARE(hosts.allowed("t", "to-a"), "1");
    const qint64 first = hosts.guard_of("sr-3");
    QVERIFY(first > 0);
    ::kill(static_cast<pid_t>(first), SIGKILL);
    QVERIFY(QTest::qWaitFor([&] { return hosts.guard_of("sr-3") != first && hosts.guard_of("sr-3") != 0; }, 10'000));
    QCOMPARE(hosts.allowed("t", "to-a"), "1");
    hosts.devices.at("sr-3")->kill();
    for (const char* interface : {"all", "to-a", "to-b"})
        QVERIFY2(QTest::qWaitFor([&] { return hosts.allowed("t", interface) == "0"; }, gone_within_ms), interface);
}

void Srv6::next_gateway_removes_what_a_killed_gateway_and_guard_left() {
    Hosts hosts;
    const QString before = hosts.routes("a");
    QVERIFY(hosts.start());
    // The gateway is killed too, because it would start another guard a second later.
    QProcess& gateway = *hosts.devices.at("mg-1");
    const auto guard = static_cast<pid_t>(hosts.guard_of("mg-1"));
    QVERIFY(guard > 0);
    ::kill(guard, SIGKILL);
    gateway.kill();
    QVERIFY(gateway.waitForFinished(10'000));
    QVERIFY(hosts.steered("a"));
    hosts.start("mg-1", {});  // without the option no route is changed
    QTest::qWait(500);
    QVERIFY(hosts.steered("a"));
    // Adds a stale route to a gateway that no longer exists.
    hosts.lab.in("a", {"ip", "-6", "route", "add", "fd77::99", "encap", "seg6", "mode", "encap", "segs",
                       hosts.lab.address("r"), "dev", NetLab::device("r"), "proto", "213", "metric", "1"});
    hosts.start("mg-1");
    QVERIFY(QTest::qWaitFor([&] { return hosts.usable_neighbours() == 12; }, 20'000));
    QVERIFY(hosts.steered("a"));
    QVERIFY2(!hosts.routes("a").contains("fd77::99"), qPrintable(hosts.routes("a")));
    hosts.devices.at("mg-1")->terminate();
    QVERIFY(hosts.devices.at("mg-1")->waitForFinished(10'000));
    QCOMPARE(hosts.routes("a"), before);
}

void Srv6::next_router_restores_settings_of_killed_router_and_guard() {
    Hosts hosts;
    QVERIFY(hosts.start());
    const QStringList settings{"all", "to-a", "to-b"};
    const auto kept = [&] { return QDir(hosts.runtime()).entryList({"srv6-*"}, QDir::Files).size(); };
    QTRY_COMPARE(kept(), 3);  // one per router
    for (const bool again : {true, false}) {
        // The router is killed too, because it would start another guard a second later.
        QProcess& router = *hosts.devices.at("sr-3");
        const auto guard = static_cast<pid_t>(hosts.guard_of("sr-3"));
        QVERIFY(guard > 0);
        ::kill(guard, SIGKILL);
        router.kill();
        QVERIFY(router.waitForFinished(10'000));
        for (const QString& interface : settings) QCOMPARE(hosts.allowed("t", interface), "1");
        hosts.start("sr-3");
        QVERIFY(
            QTest::qWaitFor([&] { return hosts.usable_neighbours() == 12 && hosts.guard_of("sr-3") != 0; }, 20'000));
        // After the second kill, the settings from before the first kill must still be known.
        if (again) continue;
        hosts.devices.at("sr-3")->terminate();
        QVERIFY(hosts.devices.at("sr-3")->waitForFinished(10'000));
    }
    for (const QString& interface : settings)
        QVERIFY(QTest::qWaitFor([&] { return hosts.allowed("t", interface) == "0"; }, gone_within_ms));
    QTRY_COMPARE(kept(), 2);
}

void Srv6::missing_prerequisites_are_reported() {
    Hosts hosts;
    QVERIFY(hosts.start());
    const auto refusal = [&](const QString& name, const QString& host, const QStringList& wrapper,
                             const QString& listen) {
        QProcess process;
        process.setProcessEnvironment(hosts.cluster.programs.environment());
        const bool gateway = name.startsWith("mg");
        QStringList command{"netns", "exec", hosts.lab.space(host)};
        command << wrapper << Programs::program(gateway ? "divisi-gateway" : "divisi-router") << "--connect"
                << hosts.cluster.connection() << "--name" << name << "--listen" << listen << "--keys"
                << hosts.cluster.programs.folder() + "/" + name + ".key"
                << "--runtime" << hosts.runtime() << "--srv6";
        if (gateway)
            command << "--mic"
                    << "mic-9";
        process.start("ip", command);
        if (!process.waitForFinished(15'000)) return QString("it goes on");
        return QString::number(process.exitCode()) + ": " + process.readAllStandardError();
    };
    const QString own = "[" + hosts.lab.address("o") + "]:7620";
    const QStringList without{"setpriv", "--bounding-set", "-net_admin"};
    const QString rights = refusal("mg-9", "o", without, own);
    QVERIFY2(rights.startsWith("2: ") && rights.contains("CAP_NET_ADMIN"), qPrintable(rights));
    const QString forwarding = refusal("sr-9", "o", {}, own);
    QVERIFY2(forwarding.startsWith("2: ") && forwarding.contains("sysctl -w"), qPrintable(forwarding));
    const QString address = refusal("mg-9", "o", {}, "127.0.0.1:7620");
    QVERIFY2(address.startsWith("2: ") && address.contains("--listen [ADDRESS]:PORT"), qPrintable(address));
    const QString second = refusal("mg-9", "a", {}, "[" + hosts.lab.address("a") + "]:7630");
    QVERIFY2(second.startsWith("2: ") && second.contains("another gateway of this host"), qPrintable(second));
}

DIVISI_TEST(Srv6)

}  // namespace srv6_test

#include "srv6_test.moc"
