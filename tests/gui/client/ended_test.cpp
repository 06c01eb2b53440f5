// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the real console when a signal ends it while a task trains on its cluster.
#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <csignal>

#include "tests/gui/console.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace ended_test {

using namespace divisi;
using divisi::tests::Programs;

namespace {

/// A fixture with a console that has a task file open, on a cluster of its own in the test's folder.
struct Program {
    Programs programs;
    QString task = programs.small_task(QStringLiteral("ended"), 1'000'000);
    QString settings = programs.folder() + QStringLiteral("/console.ini");
    QString session = settings + QStringLiteral(".session");
    QProcess console;

    Program() {
        programs.set_variable(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        console.setProcessEnvironment(programs.environment());
        console.start(Programs::program(QStringLiteral("divisi")), {QStringLiteral("--settings"), settings, task});
    }
    ~Program() {
        console.kill();
        console.waitForFinished();
    }
    bool hosts() const {
        return QTest::qWaitFor(
            [this] {
                return !programs.pids("divisid").isEmpty() &&
                       programs.run({QStringLiteral("tasks"), QStringLiteral("--json")}).status == 0;
            },
            60'000);
    }
    /// Submits the task from a terminal that exits at once.
    void submit() const {
        QProcess shell;
        shell.setProcessEnvironment(programs.environment());
        shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), QStringLiteral("\"$0\" run \"$1\" --json | head -n 1"),
                                           Programs::program(QStringLiteral("divisictl")), task});
        if (shell.waitForFinished(60'000)) return;
        shell.kill();
        shell.waitForFinished();
    }
    int step() const {
        for (const QJsonObject& one : programs.run({QStringLiteral("tasks"), QStringLiteral("--json")}).objects())
            if (one[QStringLiteral("task")].toString() == QStringLiteral("ended-1"))
                return one[QStringLiteral("step")].toInt();
        return 0;
    }
    /// Returns the session that the next start would open.
    QString kept() const {
        QFile file(session + QStringLiteral("/console-0.json"));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    QStringList left() const { return programs.left_behind() + programs.leftover_files(); }
};

}  // namespace

class EndedTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unix_signal_ends_the_cluster_and_keeps_the_session_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
    }
    void unix_signal_ends_the_cluster_and_keeps_the_session();
};

/// The console asks no question about the running task. The task ends with its cluster, and nothing else is lost.
void EndedTest::unix_signal_ends_the_cluster_and_keeps_the_session() {
    QFETCH(int, signal);
    Program program;
    QVERIFY(program.hosts());
    program.submit();
    QVERIFY(QTest::qWaitFor([&] { return program.step() > 0; }, 60'000));
    QTRY_VERIFY_WITH_TIMEOUT(program.kept().contains(QStringLiteral("ended")), 30'000);
    QVERIFY(!program.programs.pids("divisi-instance").isEmpty());
    QCOMPARE(::kill(static_cast<pid_t>(program.console.processId()), signal), 0);
    QVERIFY2(program.console.waitForFinished(30'000), "the console goes on");
    QCOMPARE(program.console.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.console.exitCode(), 0);
    QVERIFY2(QTest::qWaitFor([&] { return program.left().isEmpty(); }, 20'000), qPrintable(program.left().join(u'\n')));

    testing::Console next;
    next.window->keep_session(program.session, true);
    QTRY_VERIFY_WITH_TIMEOUT(next.document().model(), 20'000);
    QCOMPARE(next.window->context().draft.path(), program.task);
}

DIVISI_WINDOW_TEST(EndedTest)

}  // namespace ended_test

#include "ended_test.moc"
