// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>

#include <QElapsedTimer>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace client_life_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Checks what happens to a run and its remains after its terminal, its reader or its program ends.
class ClientLife : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ignored_signals_stay_ignored_data();
    void ignored_signals_stay_ignored();
    void closed_output_pipe_ends_an_embedded_run();
    void closed_output_pipe_leaves_a_remote_task_running();
    void run_works_right_after_another_was_killed_data();
    void run_works_right_after_another_was_killed();
    void tasks_of_a_killed_cluster_are_held();
    void unwritable_folder_is_named_data();
    void unwritable_folder_is_named();
};

namespace {

constexpr int endless = 1'000'000;

QString task(const Programs& programs, const QString& name, int steps) {
    // The task uses all nodes, so that two such tasks cannot run at once.
    return programs.write(name + ".toml",
                          TaskFile(name.toStdString())
                              .gpt(4, 16, 2, 8)
                              .set("train.steps", steps)
                              .set("split.stages", 4)
                              .set("place.stages", {"mic-1/node-1", "mic-1/node-2", "mic-2/node-1", "mic-2/node-2"}));
}

std::unique_ptr<QProcess> begin(const Programs& programs, const QStringList& arguments, int ignored_signal = 0) {
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(programs.environment());
    process->setChildProcessModifier([ignored_signal] {
        for (const int signal : {SIGINT, SIGHUP}) ::signal(signal, signal == ignored_signal ? SIG_IGN : SIG_DFL);
    });
    process->start(Programs::program("divisictl"), arguments);
    return process;
}

/// Waits for the next printed event with this name. Returns its step, or -1 on timeout or if the run ends.
int wait_for(QProcess& run, const char* event, int limit_ms = 60'000) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < limit_ms) {
        if (!run.canReadLine() && !run.waitForReadyRead(500) && run.state() == QProcess::NotRunning) return -1;
        while (run.canReadLine()) {
            const QJsonObject line = QJsonDocument::fromJson(run.readLine()).object();
            if (line["event"].toString() == event) return line["step"].toInt();
        }
    }
    return -1;
}

QJsonObject task_now(const Programs& programs, const QString& id) {
    for (const QJsonObject& one : programs.run({"tasks", "--json"}).objects())
        if (one["task"].toString() == id) return one;
    return {};
}

bool all_gone(const Programs& programs) {
    return QTest::qWaitFor([&] { return programs.left_behind().isEmpty() && programs.leftover_files().isEmpty(); },
                           20'000);
}

struct Unread {
    qsizetype lines = 0;  ///< lines read by the reader
    QByteArray status, errors;
};

/// Starts a run whose reader exits after the first line.
Unread run_unread(const Programs& programs, const QString& name) {
    QProcess shell;
    shell.setProcessEnvironment(programs.environment());
    const QString status = programs.folder() + "/status";
    shell.start("sh", {"-c", "{ \"$0\" run \"$1\" --json; echo $? > \"$2\"; } | head -n 1",
                       Programs::program("divisictl"), task(programs, name, endless), status});
    Unread unread;
    if (!shell.waitForFinished(60'000)) {
        shell.kill();
        shell.waitForFinished();
        unread.errors = "the run goes on without its reader";
        return unread;
    }
    unread.lines = shell.readAllStandardOutput().count('\n');
    unread.errors = shell.readAllStandardError();
    QFile file(status);
    if (file.open(QIODevice::ReadOnly)) unread.status = file.readAll().trimmed();
    return unread;
}

bool wait_until_ended(QProcess& process) {
    return process.state() == QProcess::NotRunning || process.waitForFinished(20'000);
}

void send_signal(const QProcess& process, int signal) { ::kill(static_cast<pid_t>(process.processId()), signal); }

}  // namespace

void ClientLife::ignored_signals_stay_ignored_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGHUP, as under nohup") << SIGHUP;
    QTest::newRow("SIGINT, as in the background") << SIGINT;
}

void ClientLife::ignored_signals_stay_ignored() {
    QFETCH(int, signal);
    const Programs programs;
    const auto run = begin(programs, {"run", task(programs, "kept", endless), "--json"}, signal);
    QVERIFY(wait_for(*run, "step") > 0);
    send_signal(*run, signal);
    QTest::qWait(500);
    run->readAllStandardOutput();
    QVERIFY2(wait_for(*run, "step", 10'000) > 0, "the run ended of a signal that it was told to ignore");
    send_signal(*run, SIGTERM);
    QVERIFY(run->waitForFinished(20'000));
    QCOMPARE(run->exitCode(), 130);
    QVERIFY(all_gone(programs));
}

void ClientLife::closed_output_pipe_ends_an_embedded_run() {
    const Programs programs;
    const Unread run = run_unread(programs, "unread");
    QCOMPARE(run.lines, 1);
    QCOMPARE(run.status, QByteArray("141"));
    QVERIFY2(run.errors.contains("unread-1 is stopped"), "it does not say what becomes of the task");
    QVERIFY2(all_gone(programs), qPrintable((programs.left_behind() + programs.leftover_files()).join('\n')));
}

void ClientLife::closed_output_pipe_leaves_a_remote_task_running() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    const Unread run = run_unread(programs, "goes-on");
    QCOMPARE(run.lines, 1);
    QCOMPARE(run.status, QByteArray("141"));
    QVERIFY2(run.errors.contains("goes-on-1 continues"), run.errors.constData());
    const int before = task_now(programs, "goes-on-1")["step"].toInt();
    QVERIFY(QTest::qWaitFor([&] { return task_now(programs, "goes-on-1")["step"].toInt() > before; }, 20'000));
    QCOMPARE(programs.run({"tasks", "stop", "goes-on-1"}).status, 0);
}

void ClientLife::run_works_right_after_another_was_killed_data() {
    QTest::addColumn<int>("signal");
    QTest::addColumn<int>("after_ms");
    for (const int after : {0, 50, 300}) {
        QTest::addRow("SIGKILL, %d ms", after) << SIGKILL << after;
        QTest::addRow("SIGTERM, %d ms", after) << SIGTERM << after;
    }
}

void ClientLife::run_works_right_after_another_was_killed() {
    QFETCH(int, signal);
    QFETCH(int, after_ms);
    const Programs programs;
    const QString endless_task = task(programs, "killed", endless), short_task = task(programs, "next", 3);
    const auto run = begin(programs, {"run", endless_task, "--json"});
    QVERIFY(wait_for(*run, "step") > 0);
    send_signal(*run, signal);
    QTest::qWait(after_ms);
    const Finished next = programs.run({"run", short_task, "--json"});
    QVERIFY2(next.status == 0, qPrintable(next.errors + next.output.right(600)));
    QCOMPARE(next.losses().size(), 3);
    QVERIFY(wait_until_ended(*run));
    QVERIFY2(all_gone(programs), qPrintable((programs.left_behind() + programs.leftover_files()).join('\n')));
}

void ClientLife::tasks_of_a_killed_cluster_are_held() {
    Programs programs;
    const auto first = begin(programs, {"run", task(programs, "first", endless), "--json"});
    QVERIFY(wait_for(*first, "step") > 0);
    const auto second = begin(programs, {"run", task(programs, "second", 2), "--json"});
    QVERIFY2(wait_for(*second, "queued") >= 0, "the second task does not wait for the first");
    for (QProcess* run : {first.get(), second.get()}) send_signal(*run, SIGKILL);
    QVERIFY(wait_until_ended(*first) && wait_until_ended(*second));

    QVERIFY(programs.cluster_up());
    QJsonObject held = task_now(programs, "second-1");
    QCOMPARE(held["phase"].toString(), QString("queued"));
    QCOMPARE(held["held"].toBool(), true);
    QVERIFY(programs.run({"tasks"}).output.contains("divisictl tasks release"));
    // A held task does not block other tasks.
    QCOMPARE(programs.run({"run", task(programs, "third", 2), "--json"}).status, 0);
    QCOMPARE(task_now(programs, "second-1")["held"].toBool(), true);
    const Finished released = programs.run({"tasks", "release", "second-1"});
    QVERIFY2(released.status == 0, qPrintable(released.errors));
    QVERIFY(
        QTest::qWaitFor([&] { return task_now(programs, "second-1")["outcome"].toString() == "succeeded"; }, 30'000));
    const Finished again = programs.run({"tasks", "release", "second-1"});
    QVERIFY2(again.status != 0 && again.errors.contains("not held"), qPrintable(again.errors));
}

void ClientLife::unwritable_folder_is_named_data() {
    QTest::addColumn<QString>("prepare");
    QTest::addColumn<QString>("why");
    QTest::newRow("below a file") << "touch '%1'; DIVISI_DATA='%1/data'; export DIVISI_DATA"
                                  << "Not a directory";
    QTest::newRow("read-only") << "mkdir -p '%1' && mount -t tmpfs -o ro none '%1' || exit 77"
                               << "Read-only file system";
    QTest::newRow("full") << "mkdir -p '%1' && mount -t tmpfs -o size=64k none '%1' || exit 77"
                          << "the disk is full";
}

void ClientLife::unwritable_folder_is_named() {
    QFETCH(QString, prepare);
    QFETCH(QString, why);
    const Programs programs;
    const QString task_file = task(programs, "nowhere", 1);
    for (const QString& command : {QString("cluster up"), "run '" + task_file + "'"}) {
        QProcess run;
        run.setProcessEnvironment(programs.environment());
        const QString script = prepare.arg(programs.data()) + "; '" + Programs::program("divisictl") + "' " + command;
        run.start("unshare", {"--user", "--map-root-user", "--mount", "sh", "-c", script});
        QVERIFY(run.waitForFinished(60'000) || run.error() == QProcess::FailedToStart);
        const QString errors = run.readAllStandardError();
        if (run.error() == QProcess::FailedToStart || run.exitCode() == 77 || errors.startsWith("unshare:"))
            QSKIP("this system lets no user mount a file system in a namespace of its own");
        QVERIFY(run.exitCode() == 1 || run.exitCode() == 2);
        QVERIFY2(errors.contains(programs.data()) && errors.contains(why), qPrintable(errors));
        QVERIFY2(errors.contains("DIVISI_DATA") && !errors.contains(".log"), qPrintable(errors));
        QVERIFY(programs.left_behind().isEmpty());
    }
}

DIVISI_TEST(ClientLife)

}  // namespace client_life_test

#include "client_life_test.moc"
