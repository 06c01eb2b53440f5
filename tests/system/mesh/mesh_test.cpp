// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <functional>

#include "backend/file/descriptor.h"

#include "tests/support/test_program.h"
#include "tests/system/free_port.h"
#include "tests/system/tcp_cluster.h"

namespace mesh_test {

using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

/// Tests the embedded cluster's mesh with real processes, and a task with a cut between two MICs.
class MeshSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void task_across_mics_trains_through_the_mesh_with_reference_bits();
    void killed_router_neither_repeats_a_step_nor_changes_losses();
    void killed_orchestrator_refills_its_registry_without_changing_losses();
    void cut_and_healed_link_neither_repeats_steps_nor_changes_losses();
    void slow_link_delays_steps_but_does_not_change_losses();
    void fault_commands_need_an_operator_and_the_allow_faults_option();
    void mesh_works_with_curve();
    void gateway_that_returns_at_another_address_is_found();
    void silent_router_loses_its_lease_and_its_traffic();
    void revoked_router_is_excluded_and_losses_do_not_change();
    void thousand_half_open_handshakes_do_not_stop_a_stream();

private:
    /// Returns the number of units whose instance is active in the registry.
    static int active_services(const Programs& programs) {
        int count = 0;
        for (const QJsonObject& one : programs.run({"services", "--json"}).objects())
            count += one["health"].toString() == "active" ? 1 : 0;
        return count;
    }
    /// Returns the lines of `services` that have `key`: "sid" for units, "device" for gateways and routers.
    static QList<QJsonObject> registered(const Programs& programs, const char* key, const QStringList& prefix = {}) {
        QList<QJsonObject> all = programs.run(QStringList{"services"} + prefix + QStringList{"--json"}).objects();
        all.removeIf([&](const QJsonObject& one) { return !one.contains(QLatin1String(key)); });
        return all;
    }
    bool start(Programs& programs) {
        if (!programs.cluster_up()) return false;
        return QTest::qWaitFor([&] { return routes(programs, "up", true) == 5; }, 10'000);
    }
    QList<QJsonObject> devices(const Programs& programs) { return programs.run({"routes", "--json"}).objects(); }
    int routes(const Programs& programs, const QString& key, bool value) {
        int count = 0;
        for (const QJsonObject& device : devices(programs)) count += device[key].toBool() == value ? 1 : 0;
        return count;
    }
    QJsonObject device(const Programs& programs, const QString& name) {
        for (const QJsonObject& one : devices(programs))
            if (one["device"].toString() == name) return one;
        return {};
    }
    /// Decodes the messages between devices with tshark, which shares no code with us.
    void check_capture(const Programs& programs) {
        const QString file = programs.folder() + "/mesh.pcap";
        const Finished captured = programs.run({"capture", file, "--json"});
        QVERIFY2(captured.status == 0, qPrintable(captured.errors));
        const int messages = captured.objects().front()["messages"].toInt();
        QVERIFY(messages > 20);
        QProcess tshark;
        tshark.start("tshark", {"-r", file, "-V"});
        QVERIFY2(tshark.waitForStarted(), "tshark is not installed; packaging/setup does that");
        QVERIFY(tshark.waitForFinished(60'000));
        const QString text = tshark.readAllStandardOutput();
        QCOMPARE(text.count("Resource ReserVation Protocol (RSVP)"), messages);
        QCOMPARE(text.count("[correct]"), messages);
        QVERIFY(!text.contains("Malformed"));
        QVERIFY(text.contains("(28)") && text.contains("(29)"));  // PATH and RESV of the draft
    }
    double bytes(const Programs& programs, const QString& name) { return device(programs, name)["bytes"].toDouble(); }
    /// Runs the task and calls `meanwhile` while its tensors pass routers. Checks that the losses are the reference's.
    void run_with(const Programs& programs, const QString& file, int steps, const std::function<void()>& meanwhile) {
        const Finished reference = programs.run({"reference", file, "--json"});
        QProcess run;
        run.setProcessEnvironment(programs.environment());
        run.start(Programs::program("divisictl"), {"run", file, "--json"});
        const auto carries = [](const QJsonObject& one) {
            return one["role"].toString() == "router" && one["bytes"].toDouble() > 100'000;
        };
        QVERIFY(QTest::qWaitFor([&] { return std::ranges::any_of(devices(programs), carries); }, 30'000));
        meanwhile();
        QVERIFY(run.waitForFinished(120'000));
        Finished finished;
        finished.output = run.readAllStandardOutput();
        QVERIFY2(run.exitCode() == 0, run.readAllStandardError().constData());
        QCOMPARE(finished.losses(), reference.losses());
        QCOMPARE(finished.losses().size(), steps);
    }
    /// Returns whether a router of the backup path has carried nothing, or a gateway saw a failure. On a machine whose
    /// cores are all busy, a router that waits 0.3 s for a core counts as failed, and the backup path may serve.
    bool serves_only_after_a_failure(const Programs& programs, const QString& router) {
        return bytes(programs, router) == 0 || device(programs, "mg-1")["failures"].toInt() > 0 ||
               device(programs, "mg-2")["failures"].toInt() > 0;
    }
    void run_with(const Programs& programs, int steps, const std::function<void()>& meanwhile) {
        run_with(programs, task(programs, steps), steps, meanwhile);
    }
    QString task(const Programs& programs, int steps) {
        return programs.task_across_mics("across", steps, "mic-2/node-2");
    }
};

void MeshSystem::task_across_mics_trains_through_the_mesh_with_reference_bits() {
    Programs programs;
    QVERIFY(start(programs));
    const QString file = task(programs, 30);
    const Finished reference = programs.run({"reference", file, "--json"});
    const Finished run = programs.run({"run", file, "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses(), reference.losses());
    QCOMPARE(run.losses().size(), 30);
    QVERIFY(QTest::qWaitFor([&] { return device(programs, "mg-2")["bytes"].toDouble() > 0; }, 5'000));
    for (const char* name : {"mg-1", "sr-1", "mg-2"}) QVERIFY(device(programs, name)["bytes"].toDouble() > 0);
    QVERIFY(serves_only_after_a_failure(programs, "sr-2"));  // sr-2 is on the backup path
    check_capture(programs);
    for (const QJsonObject& one : devices(programs)) {
        QCOMPARE(one["refused_frames"].toInt(), 0);
        QCOMPARE(one["refused_signals"].toInt(), 0);
        QCOMPARE(one["held"].toInt(), 0);
    }
}

void MeshSystem::killed_router_neither_repeats_a_step_nor_changes_losses() {
    Programs programs;
    QVERIFY(start(programs));
    run_with(programs, 400, [&] {
        QCOMPARE(programs.run({"fault", "kill-router", "sr-1"}).status, 0);
        QVERIFY(QTest::qWaitFor([&] { return bytes(programs, "sr-3") > 0; }, 10'000));
    });
    QVERIFY(programs.run({"logs", "--contains", "was killed by"}).output.contains("the router sr-1 was killed by"));
    // The orchestrator logs the registration of a device once. The log omits the device's own line about it.
    const QString comings = programs.run({"logs", "--contains", "registered with routing identifier"}).output;
    QVERIFY2(comings.count("router sr-2: registered with") == 1 && !comings.contains("device sr-2"),
             qPrintable(comings));
}

void MeshSystem::cut_and_healed_link_neither_repeats_steps_nor_changes_losses() {
    Programs programs;
    QVERIFY(start(programs));
    run_with(programs, 800, [&] {
        const Finished cut = programs.run({"fault", "cut-link", "mg-1", "sr-1"});
        QVERIFY2(cut.status == 0, qPrintable(cut.errors));
        QVERIFY(QTest::qWaitFor([&] { return bytes(programs, "sr-3") > 100'000; }, 20'000));
        const double stopped = bytes(programs, "sr-1");
        const auto shown = [&] { return programs.run({"routes"}).output.contains("sr-1 (failed) [cut]"); };
        QVERIFY2(QTest::qWaitFor(shown, 20'000), qPrintable(programs.run({"routes"}).output));
        QCOMPARE(programs.run({"fault", "list", "--json"}).objects().size(), 1);
        QCOMPARE(programs.run({"fault", "heal"}).status, 0);
        // the router is used again
        QVERIFY(QTest::qWaitFor([&] { return bytes(programs, "sr-1") > stopped; }, 20'000));
    });
    QVERIFY(programs.run({"fault", "list", "--json"}).objects().isEmpty());
    for (const char* line : {"the link mg-1 - sr-1 was cut by", "the link mg-1 - sr-1 is healed"})
        QVERIFY2(programs.run({"logs", "--contains", line}).output.contains(line), line);
}

void MeshSystem::slow_link_delays_steps_but_does_not_change_losses() {
    Programs programs;
    QVERIFY(start(programs));
    // Turns off adaptation; otherwise the traffic would move to the other path.
    QCOMPARE(programs.run({"policies", "set", "adapt=off"}).status, 0);
    run_with(programs, 200, [&] {
        const Finished slow =
            programs.run({"fault", "slow-link", "mg-1", "sr-1", "--rate", "2MB/s", "--delay", "5ms", "--json"});
        QVERIFY2(slow.status == 0, qPrintable(slow.errors));
        QCOMPARE(slow.objects().front()["bytes_per_s"].toDouble(), 2e6);
        QCOMPARE(slow.objects().front()["delay_ms"].toDouble(), 5.0);
        const double before = bytes(programs, "sr-1");
        QVERIFY(QTest::qWaitFor([&] { return bytes(programs, "sr-1") > before; }, 10'000));
    });
    // That a slow link by itself is not a failed one is tested by RelayTest::slow_link_is_not_a_failed_one.
    QVERIFY(serves_only_after_a_failure(programs, "sr-3"));
}

void MeshSystem::fault_commands_need_an_operator_and_the_allow_faults_option() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    const auto mg1 = cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"});
    const auto sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1"});
    QVERIFY(QTest::qWaitFor([&] { return routes(programs, "up", true) == 2; }, 20'000));
    const Finished refused = programs.run({"fault", "cut-link", "mg-1", "sr-1"});
    QVERIFY(refused.status != 0);
    QVERIFY2(refused.errors.contains("start divisid with --allow-faults"), qPrintable(refused.errors));
    QVERIFY(programs.run({"fault", "list"}).output.contains("does not allow faults"));
    QVERIFY(cluster.allow(cluster.make_key("viewer.key"), "somebody", "viewer"));
    const Finished denied = cluster.run_as("viewer.key", {"fault", "kill-router", "sr-1"});
    QVERIFY(denied.status != 0);
    QVERIFY2(denied.errors.contains("does not permit the role operator"), qPrintable(denied.errors));
    QCOMPARE(routes(programs, "up", true), 2);
}

void MeshSystem::killed_orchestrator_refills_its_registry_without_changing_losses() {
    Programs programs;
    QVERIFY(start(programs));
    run_with(programs, 600, [&] {
        const int units = static_cast<int>(registered(programs, "sid").size());
        QVERIFY(QTest::qWaitFor([&] { return active_services(programs) == units; }, 5'000));
        const int sr1 = device(programs, "sr-1")["id"].toInt();
        const auto before = programs.pids("divisid");
        QCOMPARE(before.size(), 1);
        ::kill(static_cast<pid_t>(before.first()), SIGKILL);
        const auto back = [&] { return programs.pids("divisid") != before && routes(programs, "up", true) == 5; };
        QVERIFY(QTest::qWaitFor(back, 15'000));
        QCOMPARE(device(programs, "sr-1")["id"].toInt(), sr1);
        QVERIFY(QTest::qWaitFor([&] { return active_services(programs) == units; }, 5'000));
    });
    QCOMPARE(active_services(programs), 0);
}

void MeshSystem::mesh_works_with_curve() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    const auto mg1 =
        cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"}, divisi::tests::free_port_pair());
    const auto mg2 = cluster.start_device("divisi-gateway", "mg-2", {"--mic", "mic-2"});
    const auto sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"});
    QVERIFY(QTest::qWaitFor([&] { return routes(programs, "up", true) == 3; }, 20'000));
    const QString file = programs.task_across_mics("across", 20);
    const Finished reference = programs.run({"reference", file, "--json"});
    const Finished run = programs.run({"run", file, "--json", "--connect", programs.data() + "/connection.toml"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses(), reference.losses());
    QVERIFY(QTest::qWaitFor([&] { return device(programs, "sr-1")["bytes"].toDouble() > 0; }, 5'000));
}

void MeshSystem::silent_router_loses_its_lease_and_its_traffic() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    const auto mg1 = cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"});
    const auto mg2 = cluster.start_device("divisi-gateway", "mg-2", {"--mic", "mic-2"});
    auto sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"});
    QVERIFY(QTest::qWaitFor([&] { return routes(programs, "up", true) == 3; }, 20'000));
    const int id = device(programs, "sr-1")["id"].toInt();
    QVERIFY2(programs.run({"services"}).output.contains("sr-1"), "the registry has it");
    QCOMPARE(registered(programs, "device").size(), 3);
    const auto routers = registered(programs, "device", {"sr-"});
    QCOMPARE(routers.size(), 1);
    QCOMPARE(routers[0]["device"].toString(), QString("sr-1"));
    QCOMPARE(routers[0]["role"].toString(), QString("router"));
    QCOMPARE(routers[0]["lease"].toString(), QString("held"));
    QVERIFY(routers[0]["renewed_ms"].toInt() < 10'000);
    const auto lease_is = [&](const char* standing) {
        return QTest::qWaitFor([&] { return device(programs, "sr-1")["lease"].toString() == standing; }, 30'000);
    };
    QVERIFY(lease_is("held"));
    sr1->kill();
    QVERIFY(sr1->waitForFinished(5'000));
    QVERIFY(lease_is("lapsed"));
    QVERIFY(device(programs, "sr-1")["renewed_ms"].toInt() >= 10'000);
    QCOMPARE(device(programs, "mg-1")["lease"].toString(), QString("held"));
    QVERIFY(!programs.run({"services"}).output.contains("sr-1"));
    QVERIFY(registered(programs, "device", {"sr-"}).isEmpty());
    QVERIFY(programs.run({"services", "sr-"}).output.contains("no service, gateway or router has the prefix sr-"));
    QVERIFY(programs.run({"logs", "--contains", "its lease has lapsed"}).output.contains("router sr-1"));
    sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"});
    QVERIFY(lease_is("held"));
    QCOMPARE(device(programs, "sr-1")["id"].toInt(), id);
}

void MeshSystem::gateway_that_returns_at_another_address_is_found() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    auto mg1 = cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"});
    const auto mg2 = cluster.start_device("divisi-gateway", "mg-2", {"--mic", "mic-2"});
    const auto sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"});
    QVERIFY(QTest::qWaitFor([&] { return routes(programs, "up", true) == 3; }, 20'000));
    const QString file = programs.task_across_mics("across", 400);
    run_with(programs, file, 400, [&] {
        mg1->kill();
        QVERIFY(mg1->waitForFinished(5'000));
        mg1 = cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"}, divisi::tests::free_port_pair());
    });
}

void MeshSystem::revoked_router_is_excluded_and_losses_do_not_change() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    const auto mg1 =
        cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"}, divisi::tests::free_port_pair());
    const auto mg2 = cluster.start_device("divisi-gateway", "mg-2", {"--mic", "mic-2"});
    const auto sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"});
    const auto sr2 = cluster.start_device("divisi-router", "sr-2", {"--neighbours", "mg-1,mg-2"});
    QVERIFY(QTest::qWaitFor([&] { return routes(programs, "up", true) == 4; }, 20'000));
    const QString file = programs.task_across_mics("across", 400);
    run_with(programs, file, 400, [&] {
        const QString revoked = bytes(programs, "sr-1") > bytes(programs, "sr-2") ? "sr-1" : "sr-2";
        const QString other = revoked == "sr-1" ? "sr-2" : "sr-1";
        const double before = bytes(programs, other);
        QCOMPARE(programs.run({"keys", "revoke", cluster.make_key(revoked + ".key")}).status, 0);
        QVERIFY(QTest::qWaitFor([&] { return bytes(programs, other) > before + 100'000; }, 20'000));
        QVERIFY(device(programs, revoked).isEmpty());  // the router no longer belongs to the mesh
    });
}

void MeshSystem::thousand_half_open_handshakes_do_not_stop_a_stream() {
    rlimit files{};
    QCOMPARE(::getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &files), 0);
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    const int port = divisi::tests::free_port_pair();
    const auto mg1 =
        cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"}, divisi::tests::free_port_pair());
    const auto mg2 = cluster.start_device("divisi-gateway", "mg-2", {"--mic", "mic-2"});
    const auto sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"}, port);
    QVERIFY(QTest::qWaitFor([&] { return routes(programs, "up", true) == 3; }, 20'000));
    std::vector<divisi::file::Descriptor> half_open;
    for (int i = 0; i < 1000; ++i) {
        divisi::file::Descriptor one(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(one.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) break;
        QCOMPARE(::send(one.get(), "\xff\0\0\0", 4, MSG_NOSIGNAL), ssize_t{4});  // start of a greeting
        half_open.push_back(std::move(one));
    }
    QVERIFY(half_open.size() > 500);
    const QString file = programs.task_across_mics("across", 20);
    const Finished reference = programs.run({"reference", file, "--json"});
    const Finished run = programs.run({"run", file, "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses(), reference.losses());
    QVERIFY(QTest::qWaitFor([&] { return bytes(programs, "sr-1") > 0; }, 5'000));
    // The router has closed all silent connections.
    const QDir open("/proc/" + QString::number(device(programs, "sr-1")["pid"].toInt()) + "/fd");
    const auto descriptors = [&] {
        return open.entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System).size();
    };
    QVERIFY2(QTest::qWaitFor([&] { return descriptors() < 200; }, 20'000), qPrintable(QString::number(descriptors())));
}

DIVISI_TEST(MeshSystem)

}  // namespace mesh_test

#include "mesh_test.moc"
