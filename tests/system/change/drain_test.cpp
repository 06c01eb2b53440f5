// SPDX-License-Identifier: Apache-2.0
#include "tests/system/disturbed_run.h"

#include "tests/support/test_program.h"

namespace drain_test {

using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

constexpr int longest_drain_ms = 120'000;

}  // namespace

/// Drains a node while a task trains on it. The losses must equal those of the same training in one process.
class Drain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void stage_moves_off_a_drained_node();
    void impossible_drain_is_refused();

private:
    Finished drain(const QStringList& words) const {
        return programs_.run(QStringList{"drain"} + words + QStringList{"--json"}, longest_drain_ms);
    }
    QString drain_of(const QString& node) const {
        for (const QJsonObject& row : programs_.run({"nodes", "--json"}).objects())
            if (row["node"].toString() == node) return row["drain"].toString();
        return {};
    }

    Programs programs_;
};

void Drain::stage_moves_off_a_drained_node() {
    const QString node = "mic-2/node-1";
    DisturbedRun run(programs_, programs_.task_across_mics("moved", endless), {"checkpoint.every=never"});
    QVERIFY2(run.wait_for_steps(20), run.told());
    QCOMPARE(drain_of(node), QString("none"));
    const Finished drained = drain({node, "--wait"});
    QVERIFY2(drained.status == 0, qPrintable(drained.errors));
    const auto said = drained.objects();
    QCOMPARE(said.first()["drain"].toString(), QString("draining"));
    QVERIFY(!said.first()["instances"].toArray().isEmpty());
    QCOMPARE(said.last()["drain"].toString(), QString("drained"));
    QCOMPARE(drain_of(node), QString("drained"));
    QVERIFY2(run.wait_for_generation(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    // No new work is placed on the drained node.
    QCOMPARE(programs_.run({"run", programs_.small_task("beside", 3), "--set", "split.stages=1"}).status, 0);
    QCOMPARE(drain_of(node), QString("drained"));
    QCOMPARE(drain({node, "--undo"}).status, 0);
    QCOMPARE(drain_of(node), QString("none"));
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("recut").size(), 1);
    QCOMPARE(run.all("recut")[0]["from"].toString(), run.all("recut")[0]["plan"].toString());
    QVERIFY(run.all("recovery").isEmpty());
}

void Drain::impossible_drain_is_refused() {
    const auto refused = [&](const QStringList& words, const QString& why) {
        const Finished finished = drain(words);
        QVERIFY(finished.status != 0);
        QVERIFY2(finished.errors.contains(why), qPrintable(finished.errors));
    };
    refused({"mic-9/node-9"}, "no such node");
    refused({"mic-1/node-1", "--undo"}, "not drained");
    const QStringList all{"mic-1/node-1", "mic-1/node-2", "mic-2/node-1"};
    for (const QString& node : all) QCOMPARE(drain({node}).status, 0);
    refused({"mic-2/node-2"}, "only node");
    for (const QString& node : all) QCOMPARE(drain({node, "--undo"}).status, 0);
}

DIVISI_TEST(Drain)

}  // namespace drain_test

#include "drain_test.moc"
