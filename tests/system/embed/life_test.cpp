// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QElapsedTimer>

#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace life_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests that no process remains, whatever ends the program that embeds a cluster.
class Life : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void embedded_run_leaves_nothing();
    void signals_end_all_processes_data();
    void signals_end_all_processes();
    void killed_instance_fails_a_task_that_forbids_recovery();
    void killed_orchestrator_restarts_and_adopts_its_task();
    void stopped_task_ends_as_stopped();
    void second_run_joins_the_first();
    void messages_contain_no_control_characters();
    void trained_weights_are_exported();

private:
    static QString task(const Programs& programs, int steps);
    static bool wait_for_step(QProcess& run);
    static bool all_gone(const Programs& programs);
};

QString Life::task(const Programs& programs, int steps) { return programs.small_task("life", steps); }

bool Life::wait_for_step(QProcess& run) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 60'000) {
        if (run.canReadLine() || run.waitForReadyRead(500))
            while (run.canReadLine())
                if (run.readLine().contains("\"event\":\"step\"")) return true;
        if (run.state() == QProcess::NotRunning) return false;
    }
    return false;
}

bool Life::all_gone(const Programs& programs) {
    return QTest::qWaitFor([&] { return programs.left_behind().isEmpty() && programs.leftover_files().isEmpty(); },
                           15'000);
}

void Life::embedded_run_leaves_nothing() {
    const Programs programs;
    const Finished run = programs.run({"run", task(programs, 3), "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses().size(), 3);
    QCOMPARE(run.objects("end").value(0)["outcome"].toString(), QString("succeeded"));
    QVERIFY2(all_gone(programs), qPrintable((programs.left_behind() + programs.leftover_files()).join('\n')));
}

void Life::signals_end_all_processes_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGKILL") << SIGKILL;
}

void Life::signals_end_all_processes() {
    QFETCH(int, signal);
    const Programs programs;
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(Programs::program("divisictl"), {"run", task(programs, 1'000'000), "--json"});
    QVERIFY(wait_for_step(run));
    ::kill(static_cast<pid_t>(run.processId()), signal);
    QVERIFY(run.waitForFinished(20'000));
    QVERIFY2(all_gone(programs), qPrintable((programs.left_behind() + programs.leftover_files()).join('\n')));
}

void Life::killed_instance_fails_a_task_that_forbids_recovery() {
    const Programs programs;
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(Programs::program("divisictl"),
              {"run", task(programs, 1'000'000), "--json", "--set", "faults.answer=fail"});
    QVERIFY(wait_for_step(run));
    const auto instances = programs.pids("divisi-instance");
    QCOMPARE(instances.size(), 2);
    ::kill(static_cast<pid_t>(instances.first()), SIGKILL);
    QVERIFY(run.waitForFinished(30'000));
    QCOMPARE(run.exitCode(), 1);
    const QString errors = run.readAllStandardOutput();
    QVERIFY2(errors.contains("signal 9") || errors.contains("connection ended"), qPrintable(errors.right(600)));
    QVERIFY(!errors.contains("\"event\":\"recovery\""));
    QVERIFY(all_gone(programs));
}

/// The run that embeds the orchestrator restarts it.
void Life::killed_orchestrator_restarts_and_adopts_its_task() {
    constexpr int steps = 3'000;
    const Programs programs;
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(Programs::program("divisictl"), {"run", task(programs, steps), "--json"});
    QVERIFY(wait_for_step(run));
    const auto orchestrators = programs.pids("divisid");
    QCOMPARE(orchestrators.size(), 1);
    ::kill(static_cast<pid_t>(orchestrators.first()), SIGKILL);
    QVERIFY(run.waitForFinished(120'000));
    const QString output = run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, qPrintable(output.right(600)));
    // wait_for_step() has already read the first step.
    QCOMPARE(output.count("\"event\":\"step\""), steps - 1);
    for (const int step : {2, steps / 2, steps}) QCOMPARE(output.count(QString("\"step\":%1,").arg(step)), 1);
    QVERIFY(programs.pids("divisid") != orchestrators);
    QVERIFY(all_gone(programs));
}

void Life::stopped_task_ends_as_stopped() {
    const Programs programs;
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(Programs::program("divisictl"), {"run", task(programs, 1'000'000), "--json"});
    QVERIFY(wait_for_step(run));
    const Finished stop = programs.run({"tasks", "stop", "life-1"});
    QVERIFY2(stop.status == 0, qPrintable(stop.errors));
    QVERIFY(run.waitForFinished(20'000));
    QCOMPARE(run.exitCode(), 3);
    QVERIFY(all_gone(programs));
}

void Life::second_run_joins_the_first() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    const auto before = programs.pids("divisid");
    const Finished first = programs.run({"run", task(programs, 2), "--json"});
    const Finished second = programs.run({"run", task(programs, 2), "--json"});
    QCOMPARE(first.status, 0);
    QCOMPARE(second.status, 0);
    QCOMPARE(programs.pids("divisid"), before);
    QCOMPARE(second.objects("end").value(0)["task"].toString(), QString("life-2"));
    const Finished tasks = programs.run({"tasks", "--json"});
    QCOMPARE(tasks.objects().size(), 2);
    QCOMPARE(programs.run({"cluster", "down"}).status, 0);
    QVERIFY2(all_gone(programs), qPrintable((programs.left_behind() + programs.leftover_files()).join('\n')));
}

/// Names come from files and peers; messages must not contain terminal control characters.
void Life::messages_contain_no_control_characters() {
    const Programs programs;
    const Finished unread = programs.run({"run", "\x1b[31mnone.toml"});
    QVERIFY(unread.status != 0 && unread.errors.contains("\\x1b[31mnone.toml"));
    QVERIFY(!unread.errors.contains('\x1b'));
    const Finished unknown = programs.run({"modle", "info"});
    QCOMPARE(unknown.status, 2);
    QVERIFY2(unknown.errors.contains("unknown command 'modle'") && unknown.errors.contains("'model'"),
             qPrintable(unknown.errors));
}

void Life::trained_weights_are_exported() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    QCOMPARE(programs.run({"run", task(programs, 2)}).status, 0);
    const QString file = programs.folder() + "/out.onnx";
    const Finished exported = programs.run({"model", "export", "life", file});
    QVERIFY2(exported.status == 0, qPrintable(exported.errors));
    const Finished info = programs.run({"model", "info", file, "--json"});
    const Finished zoo = programs.run({"model", "info", "zoo:mlp", "--json"});
    QCOMPARE(info.objects().value(0)["parameters"], zoo.objects().value(0)["parameters"]);
}

DIVISI_TEST(Life)

}  // namespace life_test

#include "life_test.moc"
