// SPDX-License-Identifier: Apache-2.0
// Tests that links between real processes are measured over the data plane, stored, and used by plans.

#include "tests/support/test_program.h"
#include "tests/system/programs.h"
#include "tests/system/tcp_cluster.h"

namespace divisi::tests::links_test {

class LinksTest : public QObject {
    Q_OBJECT

    static bool plausible(const QJsonObject& link) {
        const double latency_ms = link["latency_ms"].toDouble(), rate = link["bytes_per_s"].toDouble();
        const bool fits = link["source"].toString() == "measured" && latency_ms > 1e-3 && latency_ms < 50 &&
                          rate > 1e6 && rate < 1e12 && link["latency_spread_ms"].toDouble() >= 0;
        if (!fits) qWarning() << link;
        return fits;
    }

private Q_SLOTS:
    void embedded_cluster_measures_the_links_that_plans_use();
    void tcp_links_are_measured_with_curve();
};

void LinksTest::embedded_cluster_measures_the_links_that_plans_use() {
    Programs programs;
    const QString task = QString(DIVISI_SOURCE_DIR) + "/resources/tasks/gpt-text.toml";
    const auto links_of_plan = [&] {
        return programs.run({"plan", task, "--json"}).objects().value(0)["links"].toString();
    };
    QCOMPARE(links_of_plan(), QString("default"));
    const Finished none = programs.run({"links"});
    QVERIFY(none.status != 0);
    QVERIFY2(none.errors.contains("cluster up"), qPrintable(none.errors));

    QVERIFY(programs.cluster_up());
    // Links are measured automatically once the cluster has been idle for a second.
    const auto measured = [&] {
        const auto links = programs.run({"links", "--json"}).objects();
        return links.size() == 1 && links[0]["source"].toString() == "measured";
    };
    QVERIFY(QTest::qWaitFor(measured, 20'000));
    const QJsonObject first = programs.run({"links", "--json"}).objects()[0];
    QVERIFY(plausible(first));
    QCOMPARE(first["transport"].toString(), QString("ipc"));
    QVERIFY(programs.run({"logs"}).output.contains("measured: "));
    QCOMPARE(links_of_plan(), QString("measured"));

    const Finished again = programs.run({"links", "--measure", "--json"});
    QVERIFY2(again.status == 0, qPrintable(again.errors));
    QVERIFY(plausible(again.objects()[0]));
    QVERIFY(again.objects()[0]["latency_ms"] != first["latency_ms"]);
    const QJsonObject last = programs.run({"links", "--json"}).objects()[0];
    QCOMPARE(last, again.objects()[0]);
    QVERIFY(programs.leftover_files().filter("/p-").isEmpty());  // sockets of the measurement

    // The last measurement is kept for plans without a cluster and for the next cluster.
    QCOMPARE(programs.run({"cluster", "down"}).status, 0);
    QCOMPARE(links_of_plan(), QString("measured"));
    QCOMPARE(programs.run({"links", "--json"}).objects().value(0)["latency_ms"], last["latency_ms"]);
    QVERIFY(programs.cluster_up());
    QCOMPARE(programs.run({"links", "--json"}).objects().value(0)["latency_ms"], last["latency_ms"]);
}

void LinksTest::tcp_links_are_measured_with_curve() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Finished links = cluster.programs.run({"links", "--measure", "--json"});
    QVERIFY2(links.status == 0, qPrintable(links.errors));
    QCOMPARE(static_cast<int>(links.objects().size()), 1);  // one machine
    QVERIFY(plausible(links.objects()[0]));
    QCOMPARE(links.objects()[0]["transport"].toString(), QString("tcp"));
    // A viewer may list links but not request a measurement.
    const QString viewer = cluster.make_key("viewer.key");
    QVERIFY(cluster.allow(viewer, "eve", "viewer"));
    QVERIFY(plausible(cluster.run_as("viewer.key", {"links", "--json"}).objects().value(0)));
    QVERIFY(cluster.run_as("viewer.key", {"links", "--measure"}).status != 0);
}

DIVISI_TEST(LinksTest)

}  // namespace divisi::tests::links_test

#include "links_test.moc"
