// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>

#include "tests/support/test_program.h"

#include "tests/system/disturbed_run.h"

namespace orchestrator_faults_test {

using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Finished;
using divisi::tests::kill_orchestrator;
using divisi::tests::Programs;
using divisi::tests::signal_role;

namespace {

constexpr const char* never = "checkpoint.every=never";
/// 8 MB in each direction: a step takes more than a second, so that the test can act in time.
constexpr const char *slow_rate = "10MB/s", *wide_batch = "train.batch=8192";
constexpr int longest_recut_ms = 120'000;

/// Returns the step of an ordered checkpoint; 0 if none was ordered.
int ordered_step(const Finished& ordered) { return ordered.objects().value(0)["step"].toInt(); }

/// Pauses a node, so that it makes no copies. Operations that wait for a copy stay pending until it continues.
pid_t stop_node(const Programs& programs, const QByteArray& name) {
    const auto found = programs.pids("divisi-node", name);
    if (found.size() != 1) return 0;
    ::kill(static_cast<pid_t>(found[0]), SIGSTOP);
    return static_cast<pid_t>(found[0]);
}

/// Returns the last step that a task does under its current plan before a re-cut; 0 if none was announced yet.
int last_of_plan(const Programs& programs, const QString& task) {
    const QString told = programs.run({"logs", "--task", task, "--contains", "ends its plan"}).output;
    return QRegularExpression("with step (\\d+)").match(told).captured(1).toInt();
}

}  // namespace

/// Kills the orchestrator in the middle of an operation on a training, which continues with the losses that it would
/// have had. A stopped node keeps the operation pending: without its copies nothing is committed.
class OrchestratorFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void checkpoint_completes_after_the_orchestrator_is_killed();
    void old_plan_continues_if_the_orchestrator_dies_in_a_recut();
};

/// Both stages have taken their snapshots and report them to the next orchestrator.
void OrchestratorFaults::checkpoint_completes_after_the_orchestrator_is_killed() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    DisturbedRun run(programs, programs.task_across_mics("amid", endless), {never});
    QVERIFY2(run.wait_for_steps(20), run.told());
    const pid_t node = stop_node(programs, "mic-2/node-1");
    const int step = ordered_step(programs.run({"checkpoint", "amid-1", "--json"}));
    const bool taken = step > 0 && run.wait_for_steps(step + 5);
    const bool open = run.all("checkpoint").isEmpty();
    kill_orchestrator(programs, node);
    QVERIFY2(node != 0 && taken && open, run.told());
    QVERIFY2(run.wait_for_checkpoint(), run.told());
    QCOMPARE(run.last("checkpoint")["step"].toInt(), step);
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QVERIFY(run.all("recovery").isEmpty());
    // The checkpoint is complete: recovery from it gives the same losses.
    QCOMPARE(signal_role(programs, "amid-1/stage-0", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.last("recovery")["step"].toInt(), step);
}

/// All stages pause at the end of the old plan, and the new plan has no start state yet.
void OrchestratorFaults::old_plan_continues_if_the_orchestrator_dies_in_a_recut() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    for (const char* router : {"sr-1", "sr-2"})
        QCOMPARE(programs.run({"fault", "slow-link", "mg-1", router, "--rate", slow_rate}).status, 0);
    const QString file = programs.write("wide.toml", divisi::tests::wide_task(endless));
    DisturbedRun run(programs, file, {never, wide_batch});
    QVERIFY2(run.wait_for_steps(5), run.told());
    QProcess asks;
    asks.setProcessEnvironment(programs.environment());
    asks.start(Programs::program("divisictl"), {"recut", "wide-1", "--stages", "3", "--json"});
    int last = 0;
    const bool told = QTest::qWaitFor([&] { return (last = last_of_plan(programs, "wide-1")) > 0; }, 60'000);
    const pid_t node = stop_node(programs, "mic-2/node-2");
    const bool stands = told && run.wait_for_steps(last);
    const bool open = run.all("checkpoint").isEmpty() && run.all("recut").isEmpty();
    kill_orchestrator(programs, node);
    QVERIFY2(node != 0 && stands && open, run.told());
    // The command that requested the re-cut may already have ended by the time the orchestrator is back.
    QVERIFY(QTest::qWaitFor([&] { return asks.state() == QProcess::NotRunning; }, longest_recut_ms));
    QVERIFY(asks.exitStatus() == QProcess::NormalExit && asks.exitCode() != 0);
    // The stages do not wait for the dead orchestrator, and nothing of its re-cut remains.
    QVERIFY2(run.wait_for_steps(last + 5), run.told());
    QCOMPARE(run.generation(), 1);
    const auto is_over = [&] { return programs.pids("divisi-instance", "wide-1/standby/").isEmpty(); };
    QVERIFY(QTest::qWaitFor(is_over, 60'000));
    const Finished again = programs.run({"recut", "wide-1", "--stages", "3", "--json"}, longest_recut_ms);
    QVERIFY2(again.status == 0, qPrintable(again.errors));
    QCOMPARE(again.objects().value(0)["steps_again"].toInt(-1), 0);
    QVERIFY2(run.wait_for_generation(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("recut").size(), 1);
    QVERIFY(run.all("recovery").isEmpty());
}

DIVISI_TEST(OrchestratorFaults)

}  // namespace orchestrator_faults_test

#include "orchestrator_faults_test.moc"
