// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QTest>

#include "tests/system/tcp_cluster.h"

using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

namespace {

const char* task_text = R"(
[task]
name = "across"
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
stages = ["mic-1/node-1", "mic-2/node-2"]
)";

}  // namespace

/// The embedded cluster's mesh, by real processes: a task whose cut lies between two MICs.
class MeshSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_task_across_mics_goes_by_gateways_and_routers_with_the_references_bits();
    void a_killed_router_costs_neither_step_nor_bit();
    void with_curve_too();

private:
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
    /// tshark, which shares no code with us, reads what the devices said to each other.
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
    QString task(const Programs& programs, int steps) {
        return programs.write("across.toml", QString(task_text).arg(steps).toUtf8());
    }
};

void MeshSystem::a_task_across_mics_goes_by_gateways_and_routers_with_the_references_bits() {
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
    QCOMPARE(device(programs, "sr-2")["bytes"].toDouble(), 0.0);  // it lies on the backup path
    check_capture(programs);
    for (const QJsonObject& one : devices(programs)) {
        QCOMPARE(one["refused_frames"].toInt(), 0);
        QCOMPARE(one["refused_signals"].toInt(), 0);
        QCOMPARE(one["held"].toInt(), 0);
    }
}

void MeshSystem::a_killed_router_costs_neither_step_nor_bit() {
    Programs programs;
    QVERIFY(start(programs));
    const QString file = task(programs, 400);
    const Finished reference = programs.run({"reference", file, "--json"});
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(Programs::program("divisictl"), {"run", file, "--json"});
    QVERIFY(QTest::qWaitFor([&] { return device(programs, "sr-1")["bytes"].toDouble() > 100'000; }, 30'000));
    ::kill(device(programs, "sr-1")["pid"].toInt(), SIGKILL);
    QVERIFY(run.waitForFinished(60'000));
    Finished finished;
    finished.output = run.readAllStandardOutput();
    QCOMPARE(run.exitCode(), 0);
    QCOMPARE(finished.losses(), reference.losses());
    QVERIFY(QTest::qWaitFor([&] { return device(programs, "sr-3")["bytes"].toDouble() > 0; }, 5'000));
}

void MeshSystem::with_curve_too() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    const auto mg1 = cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"});
    const auto mg2 = cluster.start_device("divisi-gateway", "mg-2", {"--mic", "mic-2"});
    const auto sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"});
    QVERIFY(QTest::qWaitFor([&] { return routes(programs, "up", true) == 3; }, 20'000));
    const QString file = programs.write("across.toml", QString(task_text).arg(20).replace("node-2", "node-1").toUtf8());
    const Finished reference = programs.run({"reference", file, "--json"});
    const Finished run = programs.run({"run", file, "--json", "--connect", programs.data() + "/connection.toml"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses(), reference.losses());
    QVERIFY(QTest::qWaitFor([&] { return device(programs, "sr-1")["bytes"].toDouble() > 0; }, 5'000));
}

QTEST_GUILESS_MAIN(MeshSystem)
#include "mesh_test.moc"
