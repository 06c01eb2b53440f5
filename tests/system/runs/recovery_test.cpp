// SPDX-License-Identifier: Apache-2.0
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/disturbed_run.h"
#include "tests/system/tcp_cluster.h"

namespace recovery_test {

using divisi::testing::TaskFile;
using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::signal_role;
using divisi::tests::TcpCluster;

namespace {

constexpr int every = 5;
constexpr const char *by_steps = "checkpoint.every=5", *never = "checkpoint.every=never";

TaskFile resnet_task() {
    return TaskFile("resnet")
        .section("model", {{"zoo", "resnet18"}, {"width", 8}})
        .section("train", {{"steps", 60}, {"lr", 0.05}, {"momentum", 0.9}})
        .set("split.stages", 2);
}

TaskFile dealt_task() {
    return TaskFile("dealt")
        .gpt(2, 64, 2, 32)
        .replace("data", {{"kind", "text"},
                          {"path", DIVISI_SOURCE_DIR "/resources/samples/text/divisi.txt"},
                          {"validation_share", 0.05},
                          {"instances", 2}})
        .section("train",
                 {{"steps", 200}, {"microbatches", 4}, {"optimizer", "adamw"}, {"eval_every", 20}, {"eval_batches", 2}})
        .set("split.stages", 2)
        .set("place.stages", {"mic-1/node-1", "mic-2/node-1"});
}

}  // namespace

/// Tests trainings whose instances are killed. The training returns to its last checkpoint and continues with the
/// losses that it would have had.
class Recovery : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void killed_instance_does_not_change_losses_data();
    void killed_instance_does_not_change_losses();
    void without_a_checkpoint_training_starts_over();
    void both_instances_killed_at_once_recover();
    void fault_during_a_recovery_is_recovered_data();
    void fault_during_a_recovery_is_recovered();
    void task_waits_for_a_paused_instance();
    void recovery_starts_from_an_ordered_checkpoint();
    void checkpoint_of_a_task_that_does_not_train_is_refused();
    void fourth_fault_of_an_instance_moves_it_to_another_node();
    void fourth_fault_without_another_node_ends_the_task();

private:
    QString across_mics(const QString& name) const { return programs_.task_across_mics(name, endless); }
    QString node_of(const QString& task) const {
        QString node;
        for (const QJsonObject& row : programs_.run({"services", task, "--json"}).objects())
            if (row["instance_state"].toString() == "running") node = row["node"].toString();
        return node;
    }

    Programs programs_;
};

void Recovery::killed_instance_does_not_change_losses_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<QString>("killed");
    QTest::newRow("sgd, in one MIC") << programs_.task_across_mics("near", 300, "mic-1/node-2") << "sgd"
                                     << "near-1/stage-1";
    QTest::newRow("adamw, a cut between MICs") << programs_.task_across_mics("far", 300) << "adamw"
                                               << "far-1/stage-0";
    QTest::newRow("batch normalization and momentum") << programs_.write("resnet.toml", resnet_task()) << "sgd"
                                                      << "resnet-1/stage-1";
    QTest::newRow("data instances and evaluations") << programs_.write("dealt.toml", dealt_task()) << "adamw"
                                                    << "dealt-1/stage-1";
}

/// The instance is killed in mid-training; the run continues to its end.
void Recovery::killed_instance_does_not_change_losses() {
    QFETCH(QString, file);
    QFETCH(QString, optimizer);
    QFETCH(QString, killed);
    DisturbedRun run(programs_, file, {by_steps, "train.optimizer=" + optimizer});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const int committed = run.last("checkpoint")["step"].toInt();
    QCOMPARE(signal_role(programs_, killed, SIGKILL).size(), 1);
    QCOMPARE(run.wait_for_end(), 0);
    QCOMPARE(run.last("end")["outcome"].toString(), QString("succeeded"));
    expect_reference_bits(run);

    const auto recoveries = run.all("recovery");
    QCOMPARE(recoveries.size(), 1);
    QVERIFY(recoveries[0]["step"].toInt() >= committed);
    QCOMPARE(recoveries[0]["step"].toInt() % every, 0);
    QVERIFY2(recoveries[0]["instance"].toString().startsWith(killed), run.told());
    QVERIFY2(recoveries[0]["reason"].toString().contains("signal 9"), run.told());
    for (const QJsonObject& checkpoint : run.all("checkpoint")) QCOMPARE(checkpoint["step"].toInt() % every, 0);
}

void Recovery::without_a_checkpoint_training_starts_over() {
    DisturbedRun run(programs_, across_mics("anew"), {never});
    QVERIFY2(run.wait_for_steps(20), run.told());
    QCOMPARE(signal_role(programs_, "anew-1/stage-1", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QCOMPARE(run.last("recovery")["step"].toInt(), 0);
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("recovery").size(), 1);
    QVERIFY(run.all("checkpoint").isEmpty());
}

void Recovery::both_instances_killed_at_once_recover() {
    DisturbedRun run(programs_, across_mics("both"), {by_steps});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QCOMPARE(signal_role(programs_, "both-1", SIGKILL).size(), 2);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.last("recovery")["step"].toInt() >= every);
}

void Recovery::fault_during_a_recovery_is_recovered_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<bool>("again");
    QTest::newRow("of the instance that is started again") << "same" << true;
    QTest::newRow("of the instance that stays") << "other" << false;
}

void Recovery::fault_during_a_recovery_is_recovered() {
    QFETCH(QString, task);
    QFETCH(bool, again);
    const QString first = task + "-1/stage-0", second = task + "-1/stage-1";
    DisturbedRun run(programs_, across_mics(task), {by_steps});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    const auto killed = signal_role(programs_, second, SIGKILL);
    QCOMPARE(killed.size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    const auto replaced = [&](const QString& role, const auto& before) {
        const auto now = programs_.pids("divisi-instance", role.toUtf8() + '/');
        return !now.isEmpty() && now != before;
    };
    if (again) QVERIFY2(run.wait_until([&] { return replaced(second, killed); }), run.told());
    const QString& victim = again ? second : first;
    const auto victims = signal_role(programs_, victim, SIGKILL);
    QVERIFY(!victims.isEmpty());
    // If the current recovery has not yet fixed the old fault, it includes the new one; otherwise another recovery
    // begins.
    QVERIFY2(run.wait_until([&] { return replaced(victim, victims); }), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.last("recovery")["step"].toInt() >= run.all("recovery")[0]["step"].toInt());
}

/// The pause is shorter than the timeout after which a peer counts as dead.
void Recovery::task_waits_for_a_paused_instance() {
    DisturbedRun run(programs_, across_mics("paused"), {by_steps});
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QCOMPARE(signal_role(programs_, "paused-1/stage-1", SIGSTOP).size(), 1);
    QTest::qWait(3'000);
    QCOMPARE(signal_role(programs_, "paused-1/stage-1", SIGCONT).size(), 1);
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QVERIFY(run.all("recovery").isEmpty());
    QCOMPARE(run.generation(), 1);
}

void Recovery::recovery_starts_from_an_ordered_checkpoint() {
    DisturbedRun run(programs_, across_mics("ordered"), {never});
    QVERIFY2(run.wait_for_steps(20), run.told());
    QVERIFY(run.all("checkpoint").isEmpty());
    const Finished ordered = programs_.run({"checkpoint", "ordered-1"});
    QVERIFY2(ordered.status == 0, qPrintable(ordered.errors));
    QVERIFY2(ordered.output.contains("checkpoint of ordered-1 after step "), qPrintable(ordered.output));
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QCOMPARE(signal_role(programs_, "ordered-1/stage-0", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("checkpoint").size(), 1);
    QCOMPARE(run.last("recovery")["step"].toInt(), run.last("checkpoint")["step"].toInt());
}

void Recovery::checkpoint_of_a_task_that_does_not_train_is_refused() {
    const Finished unknown = programs_.run({"checkpoint", "nobody-1"});
    QVERIFY(unknown.status != 0);
    QVERIFY2(unknown.errors.contains("nobody-1"), qPrintable(unknown.errors));
    QCOMPARE(programs_.run({"run", programs_.small_task("over", 3)}).status, 0);
    const Finished over = programs_.run({"checkpoint", "over-1"});
    QVERIFY(over.status != 0);
    QVERIFY2(over.errors.contains("over-1"), qPrintable(over.errors));
}

/// After three faults within ten minutes, the next one no longer counts as transient.
void Recovery::fourth_fault_of_an_instance_moves_it_to_another_node() {
    DisturbedRun run(programs_, programs_.small_task("moves", endless), {never, "split.stages=1"});
    QVERIFY2(run.wait_for_steps(1), run.told());
    const QString first = node_of("moves-1");
    QVERIFY(!first.isEmpty());
    for (int fault = 1; fault <= 4; ++fault) {
        QCOMPARE(node_of("moves-1"), first);
        QCOMPARE(signal_role(programs_, "moves-1/stage-0", SIGKILL).size(), 1);
        QVERIFY2(run.wait_until([&] { return run.generation() == fault + 1; }), run.told());
    }
    const QString now = node_of("moves-1");
    QVERIFY2(!now.isEmpty() && now != first, qPrintable(now));
    run.stop();
    expect_reference_bits(run);
}

void Recovery::fourth_fault_without_another_node_ends_the_task() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    cluster.node(1).terminate();
    QVERIFY(cluster.node(1).waitForFinished(15'000));
    DisturbedRun run(cluster.programs, cluster.programs.small_task("hopeless", endless), {never, "split.stages=1"});
    for (int fault = 1; fault <= 4; ++fault) {
        QVERIFY2(run.wait_until([&] { return run.generation() == fault; }), run.told());
        QCOMPARE(signal_role(cluster.programs, "hopeless-1/stage-0", SIGKILL).size(), 1);
    }
    QCOMPARE(run.wait_for_end(), 1);
    QCOMPARE(run.all("recovery").size(), 3);
    const QJsonObject end = run.last("end");
    QCOMPARE(end["outcome"].toString(), QString("failed"));
    QVERIFY2(end["error"]["what"].toString().contains("signal 9"), run.told());
    const QString logs = cluster.programs.run({"logs", "--task", "hopeless-1"}).output;
    QVERIFY2(logs.contains("recovered 3 times within 10 minutes"), qPrintable(logs.right(1'000)));
}

DIVISI_TEST(Recovery)

}  // namespace recovery_test

#include "recovery_test.moc"
