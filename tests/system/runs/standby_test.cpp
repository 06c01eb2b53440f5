// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/disturbed_run.h"

namespace standby_test {

using divisi::testing::TaskFile;
using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Programs;
using divisi::tests::signal_role;

namespace {

constexpr const char *by_steps = "checkpoint.every=5", *one_standby = "place.standby=1";

/// The task has two stages and names no nodes for them, so one of the three nodes runs no stage.
TaskFile free_task() {
    return TaskFile("free")
        .gpt(2, 64, 2, 32)
        .section("train", {{"steps", 1'000'000}, {"microbatches", 4}, {"optimizer", "adamw"}})
        .set("split.stages", 2)
        .set("place.nodes", {"mic-1/node-1", "mic-2/*"});
}

}  // namespace

/// Tests a task that keeps a standby process ready. After an instance is killed, the standby takes over its SID.
class Standby : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void standby_takes_over_the_sid_of_a_dead_instance_data();
    void standby_takes_over_the_sid_of_a_dead_instance();
    void death_of_a_standby_does_not_disturb_the_task();
    void batch_task_has_no_standby();

private:
    /// Returns the row of 'services' for a role ("free-1/stage-1/0").
    QJsonObject row_of(const QString& role) const {
        for (const QJsonObject& row : programs_.run({"services", role.section('/', 0, 0), "--json"}).objects())
            if (row["instance"].toString() == role) return row;
        return {};
    }
    bool wait_for_standby(DisturbedRun& run, const QString& task, int incarnation) const {
        return run.wait_until([&] {
            const QJsonObject row = row_of(task + "/standby/0");
            return row["instance_state"].toString() == "standby" && row["incarnation"].toInt() == incarnation;
        });
    }
    QList<qint64> idle_processes(const QString& task) const {
        return programs_.pids("divisi-instance", task.toUtf8() + "/standby/0#");
    }
    /// Returns the stage that a standby on this node would replace: one on the same node, else one of the same MIC.
    QString stage_beside(const QString& task, const QString& node) const {
        const QStringList stages{task + "/stage-0", task + "/stage-1"};
        for (const QString& stage : stages)
            if (row_of(stage + "/0")["node"].toString() == node) return stage;
        for (const QString& stage : stages)
            if (row_of(stage + "/0")["node"].toString().section('/', 0, 0) == node.section('/', 0, 0)) return stage;
        return {};
    }
    bool wait_for_no_process(const QString& task) const {
        return QTest::qWaitFor([&] { return programs_.pids("divisi-instance", task.toUtf8() + '/').isEmpty(); },
                               30'000);
    }

    Programs programs_;
};

void Standby::standby_takes_over_the_sid_of_a_dead_instance_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("task");
    QTest::newRow("on the node of a stage") << programs_.task_across_mics("near", endless, "mic-1/node-2") << "near-1";
    QTest::newRow("on another node") << programs_.write("free.toml", free_task()) << "free-1";
}

void Standby::standby_takes_over_the_sid_of_a_dead_instance() {
    QFETCH(QString, file);
    QFETCH(QString, task);
    DisturbedRun run(programs_, file, {by_steps, one_standby});
    QVERIFY2(wait_for_standby(run, task, 1), run.told());
    const QString node = row_of(task + "/standby/0")["node"].toString();
    const auto idle = idle_processes(task);
    QCOMPARE(idle.size(), 1);
    const QString role = stage_beside(task, node);
    QVERIFY2(!role.isEmpty(), qPrintable(node));
    // Waits for a checkpoint whose copies went to the standby's node.
    QVERIFY2(run.wait_for_checkpoint(run.last("step")["step"].toInt()), run.told());

    QElapsedTimer since;
    since.start();
    QCOMPARE(signal_role(programs_, role, SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_generation(2), run.told());
    qInfo("%s: the next step %lld ms after the kill", qPrintable(task), static_cast<long long>(since.elapsed()));
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QCOMPARE(run.all("recovery").size(), 1);
    // no new process was started for the role
    QVERIFY(programs_.pids("divisi-instance", role.toUtf8() + '/').isEmpty());
    QVERIFY(idle_processes(task).contains(idle[0]));
    const QJsonObject now = row_of(role + "/0");
    QCOMPARE(now["instance_state"].toString(), QString("running"));
    QCOMPARE(now["incarnation"].toInt(), 2);
    QCOMPARE(now["node"].toString(), node);

    // The next standby is ready. Killing the promoted process kills the stage.
    QVERIFY2(wait_for_standby(run, task, 2), run.told());
    QCOMPARE(::kill(static_cast<pid_t>(idle[0]), SIGKILL), 0);
    QVERIFY2(run.wait_for_generation(3), run.told());
    QVERIFY2(run.last("recovery")["instance"].toString().startsWith(role), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(wait_for_no_process(task));
}

void Standby::death_of_a_standby_does_not_disturb_the_task() {
    DisturbedRun run(programs_, programs_.small_task("idle", endless), {"checkpoint.every=never", one_standby});
    QVERIFY2(wait_for_standby(run, "idle-1", 1), run.told());
    const auto idle = idle_processes("idle-1");
    QCOMPARE(idle.size(), 1);
    QCOMPARE(::kill(static_cast<pid_t>(idle[0]), SIGKILL), 0);
    QVERIFY2(wait_for_standby(run, "idle-1", 2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    for (const QJsonObject& row : programs_.run({"tasks", "--json"}).objects())
        if (row["task"].toString() == "idle-1") QCOMPARE(row["standbys"].toInt(), 1);
    run.stop();
    QVERIFY(run.all("recovery").isEmpty());
    QVERIFY(wait_for_no_process("idle-1"));
    const QString logs = programs_.run({"logs", "--task", "idle-1", "--contains", "no longer a standby"}).output;
    QVERIFY2(logs.contains("the instance is no longer a standby"), qPrintable(logs.right(1'000)));
    // The killed standby and its successor each had a lease and returned it once.
    const auto receipts_of = [&](const QString& instance) {
        qsizetype count = 0;
        for (const QJsonObject& row : programs_.run({"receipts", "--task", "idle-1", "--json"}).objects())
            count += row["instance"].toString() == instance ? 1 : 0;
        return count;
    };
    QVERIFY(QTest::qWaitFor([&] { return receipts_of("idle-1/standby/0#2") > 0; }, 30'000));
    QCOMPARE(receipts_of("idle-1/standby/0#2"), 1);
    QCOMPARE(receipts_of("idle-1/standby/0#1"), 1);
}

void Standby::batch_task_has_no_standby() {
    const QString file = programs_.write(
        "batch.toml", TaskFile().batch({"from", "near-1"}).set("data.samples", 4).set("place.standby", 1));
    const auto refused = programs_.run({"run", file});
    QVERIFY(refused.status != 0);
    QVERIFY2(refused.errors.contains("place.standby has no meaning for a batch task"), qPrintable(refused.errors));
}

DIVISI_TEST(Standby)

}  // namespace standby_test

#include "standby_test.moc"
