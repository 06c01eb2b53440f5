// SPDX-License-Identifier: Apache-2.0
// Tests a run whose orchestrator disappears, and a run that is paused itself. The run waits, and prints every step.
#include <signal.h>

#include <QElapsedTimer>

#include "tests/support/test_program.h"
#include "tests/system/http_get.h"
#include "tests/system/programs.h"

namespace outage_test {

using divisi::tests::Finished;
using divisi::tests::http_get;
using divisi::tests::Programs;

class Outages : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void run_that_was_paused_prints_every_step_once();
    void restarted_orchestrator_adopts_its_task();
    void run_waits_for_an_absent_orchestrator();
    void run_gives_up_after_its_wait_time();
    void interrupted_wait_ends_at_once();
    void orchestrator_keeps_serving_while_its_log_is_locked();
};

namespace {

/// Starts divisid and two nodes without a supervisor, so that nothing restarts them, and runs a task on them.
class Lab {
public:
    ~Lab() {
        for (QProcess* process : {&run, &first_node_, &second_node_, &divisid}) end(*process);
    }
    bool start() {
        launch_orchestrator();
        if (!QTest::qWaitFor([&] { return QFile::exists(connection()); }, 10'000)) return false;
        int number = 0;
        for (QProcess* node : {&first_node_, &second_node_}) {
            const QString name = QString("m/node-%1").arg(++number);
            launch(*node, "divisi-node",
                   {"--connect", connection(), "--name", name, "--data", programs.folder() + "/" + name, "--runtime",
                    programs.folder()});
        }
        return QTest::qWaitFor(
            [&] {
                return programs.run({"cluster", "status", "--json"}).output.count("\"state\":\"ready\"") == 2;
            },
            20'000);
    }
    void launch_orchestrator() {
        launch(divisid, "divisid",
               {"--data", programs.data(), "--listen", "ipc://" + programs.folder() + "/control.sock", "--metrics",
                "127.0.0.1:0"});
    }
    /// Returns the duration of the longest iteration of divisid's event loop, from divisid's own metrics.
    double longest_round_s() {
        said_ += divisid.readAllStandardOutput();
        const QByteArray before = "http://127.0.0.1:", name = "\ndivisi_loop_longest_round_seconds ";
        const int port = said_.mid(said_.indexOf(before) + before.size()).split('/').first().toInt();
        const auto text = QByteArray::fromStdString(http_get(port, "/metrics"));
        return text.mid(text.indexOf(name) + name.size()).split('\n').first().toDouble();
    }
    void kill_orchestrator() {
        divisid.kill();
        divisid.waitForFinished();
    }
    /// Starts a run and waits until it has done its first steps.
    bool run_steps(int steps, const QStringList& more = {}) {
        const QString file = programs.small_task("outage", steps);
        run.setProcessEnvironment(programs.environment());
        run.start(Programs::program("divisictl"), QStringList{"run", file, "--json", "--connect", connection()} + more);
        return QTest::qWaitFor([&] { return collect().contains("\"event\":\"step\""); }, 60'000);
    }
    /// Runs the same task again, undisturbed.
    Finished run_again() const {
        return programs.run({"run", programs.folder() + "/outage.toml", "--json", "--connect", connection()}, 200'000);
    }
    /// Returns the processes of instances with their ids.
    QStringList instances() const {
        QStringList found;
        for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
            QFile file("/proc/" + pid + "/cmdline");
            if (!file.open(QIODevice::ReadOnly)) continue;
            const QByteArray line = file.readAll();
            if (line.contains(programs.folder().toUtf8()) && line.contains("divisi-instance"))
                found.append(pid + " " + QString(line).replace(QChar('\0'), ' '));
        }
        return found;
    }
    const QByteArray& collect() {
        output_ += run.readAllStandardOutput();
        errors_ += run.readAllStandardError();
        return output_;
    }
    bool wait_for_end(int limit_ms) {
        return QTest::qWaitFor([&] { return (collect(), run.state() == QProcess::NotRunning); }, limit_ms);
    }
    Finished finished() {
        collect();
        return {run.exitCode(), output_, errors_};
    }

    Programs programs;
    QProcess divisid, run;

private:
    QString connection() const { return programs.data() + "/connection.toml"; }
    void launch(QProcess& process, const QString& name, const QStringList& arguments) const {
        process.setProcessEnvironment(programs.environment());
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(Programs::program(name), arguments);
    }
    static void end(QProcess& process) {
        if (process.state() == QProcess::NotRunning) return;
        process.terminate();
        if (!process.waitForFinished(15'000)) process.kill();
        process.waitForFinished();
    }

    QProcess first_node_, second_node_;
    QByteArray output_, errors_, said_;
};

}  // namespace

/// The run is paused for longer than its orchestrator keeps a silent peer.
void Outages::run_that_was_paused_prints_every_step_once() {
    constexpr int steps = 12'000;
    Lab lab;
    QVERIFY(lab.start());
    QVERIFY2(lab.run_steps(steps), lab.finished().errors.toUtf8().constData());
    ::kill(static_cast<pid_t>(lab.run.processId()), SIGSTOP);
    QTest::qWait(9'000);
    ::kill(static_cast<pid_t>(lab.run.processId()), SIGCONT);
    QVERIFY(lab.wait_for_end(200'000));
    const Finished run = lab.finished();
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    const auto printed = run.objects("step");
    for (int i = 0; i < std::min<int>(steps, static_cast<int>(printed.size())); ++i)
        if (printed[i]["step"].toInt() != i + 1)
            QFAIL(qPrintable(QString("after step %1 comes %2").arg(i).arg(printed[i]["step"].toInt())));
    QCOMPARE(printed.size(), steps);
    QCOMPARE(run.objects("end").value(0)["outcome"].toString(), QString("succeeded"));
}

/// The orchestrator is killed while the task trains, and restarted by hand. The instances are the same processes, so
/// nothing is trained twice. The run prints every step once, with the bits of an undisturbed run.
void Outages::restarted_orchestrator_adopts_its_task() {
    constexpr int steps = 6'000;
    Lab lab;
    QVERIFY(lab.start());
    QVERIFY2(lab.run_steps(steps), lab.finished().errors.toUtf8().constData());
    const QStringList before = lab.instances();
    QCOMPARE(before.size(), 2);
    for (int kill = 0; kill < 2; ++kill) {
        lab.kill_orchestrator();
        QTest::qWait(1'000);
        lab.launch_orchestrator();
        const auto printed = lab.collect().size();
        QVERIFY(QTest::qWaitFor([&] { return lab.collect().size() > printed + 1'000; }, 30'000));
        QVERIFY2(lab.instances() == before, qPrintable(lab.instances().join('\n')));
    }
    QVERIFY(lab.wait_for_end(200'000));
    const Finished run = lab.finished();
    QVERIFY2(run.status == 0, qPrintable(run.errors + run.output.right(600)));
    const auto printed = run.objects("step");
    for (int i = 0; i < std::min<int>(steps, static_cast<int>(printed.size())); ++i)
        if (printed[i]["step"].toInt() != i + 1)
            QFAIL(qPrintable(QString("after step %1 comes %2").arg(i).arg(printed[i]["step"].toInt())));
    QCOMPARE(printed.size(), steps);
    const Finished undisturbed = lab.run_again();
    QVERIFY2(undisturbed.status == 0, qPrintable(undisturbed.errors));
    QCOMPARE(run.losses(), undisturbed.losses());
}

/// The orchestrator is away for longer than a restart takes. The task continues meanwhile, and the run later prints
/// all of its steps.
void Outages::run_waits_for_an_absent_orchestrator() {
    Lab lab;
    QVERIFY(lab.start());
    QVERIFY2(lab.run_steps(1'000'000), lab.finished().errors.toUtf8().constData());
    lab.kill_orchestrator();
    QVERIFY2(!lab.wait_for_end(25'000), lab.finished().errors.toUtf8().constData());
    QVERIFY2(lab.finished().errors.contains("waiting"), lab.finished().errors.toUtf8().constData());
    const auto printed = lab.collect().size();
    lab.launch_orchestrator();
    QVERIFY(QTest::qWaitFor([&] { return lab.collect().size() > printed + 10'000; }, 30'000));
    QCOMPARE(lab.programs.run({"tasks", "stop", "outage-1"}).status, 0);
    QVERIFY(lab.wait_for_end(30'000));
    const Finished run = lab.finished();
    QCOMPARE(run.status, 3);
    QVERIFY2(run.errors.contains("back after"), qPrintable(run.errors));
    const auto steps = run.objects("step");
    for (int i = 0; i < static_cast<int>(steps.size()); ++i)
        if (steps[i]["step"].toInt() != i + 1)
            QFAIL(qPrintable(QString("after step %1 comes %2").arg(i).arg(steps[i]["step"].toInt())));
    QCOMPARE(run.objects("end").value(0)["outcome"].toString(), QString("stopped"));
}

void Outages::run_gives_up_after_its_wait_time() {
    Lab lab;
    QVERIFY(lab.start());
    QVERIFY2(lab.run_steps(1'000'000, {"--wait", "2"}), lab.finished().errors.toUtf8().constData());
    lab.kill_orchestrator();
    QVERIFY(lab.wait_for_end(10'000));
    QCOMPARE(lab.finished().status, 1);
    QVERIFY2(lab.finished().errors.contains("has not come back"), qPrintable(lab.finished().errors));
}

void Outages::interrupted_wait_ends_at_once() {
    Lab lab;
    QVERIFY(lab.start());
    QVERIFY2(lab.run_steps(1'000'000), lab.finished().errors.toUtf8().constData());
    lab.kill_orchestrator();
    QTest::qWait(1'000);
    lab.run.terminate();
    QVERIFY(lab.wait_for_end(5'000));
    QCOMPARE(lab.finished().status, 130);
    QVERIFY2(lab.finished().errors.contains("may continue"), qPrintable(lab.finished().errors));
}

/// Python's own SQLite locks the log for longer than SQLite would wait, as a user at a shell might do.
void Outages::orchestrator_keeps_serving_while_its_log_is_locked() {
    constexpr int steps = 4'000;
    Lab lab;
    QVERIFY(lab.start());
    QVERIFY2(lab.run_steps(steps), lab.finished().errors.toUtf8().constData());
    QProcess locker;
    locker.start("python3", {"-c",
                             "import sqlite3, sys, time\n"
                             "log = sqlite3.connect(sys.argv[1], timeout=20)\n"
                             "log.execute('BEGIN IMMEDIATE')\n"
                             "print('locked', flush=True)\n"
                             "time.sleep(8)\n",
                             lab.programs.data() + "/events.sqlite"});
    QVERIFY(QTest::qWaitFor([&] { return locker.readAllStandardOutput().contains("locked"); }, 30'000));
    // Without the log no new events are published, but connected peers are still served.
    QVERIFY(locker.waitForFinished(30'000));
    QVERIFY2(lab.wait_for_end(120'000), lab.finished().errors.toUtf8().constData());
    const Finished run = lab.finished();
    QVERIFY2(run.status == 0, qPrintable(run.errors + run.output.right(600)));
    QCOMPARE(run.objects("step").size(), steps);
    QVERIFY2(lab.longest_round_s() > 0 && lab.longest_round_s() < 1,
             qPrintable(QString::number(lab.longest_round_s())));
}

DIVISI_TEST(Outages)

}  // namespace outage_test

#include "outage_test.moc"
