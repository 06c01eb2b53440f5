// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace exceptions_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests tasks of real processes that fail permanently, and what the operator can do with them.
class ExceptionsSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void cleanup();
    void killed_task_is_listed_with_its_log_and_retried();
    void task_is_retried_after_its_data_are_corrected();
    void edited_task_text_is_submitted();
    void exception_queue_survives_an_orchestrator_restart();

private:
    QList<QJsonObject> exceptions() const { return programs_.run({"exceptions", "--json"}).objects(); }
    QString newest() const {
        const auto all = exceptions();
        return all.isEmpty() ? QString() : QString::number(all.last()["exception"].toInt());
    }
    /// Returns this cluster's processes of a program with a word in their command line.
    QList<pid_t> pids(const QString& program, const QString& word = {}) const {
        QList<pid_t> found;
        for (const QString& pid : QDir("/proc").entryList(QDir::Dirs)) {
            QFile file("/proc/" + pid + "/cmdline");
            if (!file.open(QIODevice::ReadOnly)) continue;
            const QString line = QString(file.readAll()).replace(QChar('\0'), ' ');
            if (line.contains("/" + program + " ") && line.contains(programs_.folder()) && line.contains(word))
                found.append(pid.toInt());
        }
        return found;
    }
    /// Returns a table of 64 samples; `last` is the value of the last sample.
    QByteArray table(const QByteArray& last) const {
        QByteArray rows = "a,y\n";
        for (int i = 0; i < 63; ++i) rows += QByteArray::number(i % 7) + "," + QByteArray::number(i % 2) + "\n";
        return rows + last + ",1\n";
    }
    /// Runs a task that reads `bad.csv`, whose fault only an instance finds, until it has failed for good.
    void fail(const QString& name) const {
        programs_.write("bad.csv", table("1e39"));
        programs_.write("good.csv", table("1"));
        const TaskFile bad = TaskFile(name.toStdString())
                                 .section("model", {{"inputs", 1}, {"classes", 2}})
                                 .replace("data", {{"kind", "csv"}, {"path", "bad.csv"}, {"targets", {"y"}}})
                                 .set("train.steps", 5)
                                 .set("split.stages", 2);
        const auto before = exceptions().size();
        const Finished run = programs_.run({"run", programs_.write(name + ".toml", bad), "--json"});
        QVERIFY2(run.status == 1, qPrintable(run.errors));
        QCOMPARE(exceptions().size(), before + 1);
        QVERIFY(exceptions().last()["what"].toString().contains("1e39"));
    }
    /// Returns the phase of a task, or its outcome once it has ended.
    QString state_of(const QString& task) const {
        for (const QJsonObject& one : programs_.run({"tasks", "--json"}).objects())
            if (one["task"].toString() == task)
                return one["phase"].toString() == "ended" ? one["outcome"].toString() : one["phase"].toString();
        return {};
    }
    bool becomes(const QString& task, const QString& state) const {
        return QTest::qWaitFor([&] { return state_of(task) == state; }, 60'000);
    }
    /// Returns the task that a command has queued.
    QString queued(const QStringList& command) const {
        const Finished asked = programs_.run(command + QStringList{"--json"});
        if (asked.status != 0) qWarning("%s", qPrintable(asked.errors));
        return asked.status == 0 ? asked.objects().value(0)["task"].toString() : QString();
    }

    Programs programs_;
};

/// Empties the exception queue, so that each test begins with an empty queue.
void ExceptionsSystem::cleanup() {
    for (const QJsonObject& one : exceptions())
        programs_.run({"exceptions", "drop", QString::number(one["exception"].toInt())});
    QVERIFY(programs_.run({"exceptions"}).output.startsWith("no exceptions"));
}

void ExceptionsSystem::killed_task_is_listed_with_its_log_and_retried() {
    QProcess run;
    run.setProcessEnvironment(programs_.environment());
    run.start(Programs::program("divisictl"),
              {"run", programs_.small_task("killed", 1'000'000), "--json", "--set", "faults.answer=fail"});
    QVERIFY(QTest::qWaitFor([&] { return run.canReadLine() || run.state() == QProcess::NotRunning; }, 30'000));
    QVERIFY2(run.readLine().contains("step"), run.readAllStandardError().constData());
    const QList<pid_t> found = pids("divisi-instance", "stage-1");
    QCOMPARE(found.size(), 1);
    ::kill(found[0], SIGKILL);
    QVERIFY(run.waitForFinished(60'000));
    QCOMPARE(run.exitCode(), 1);
    QCOMPARE(exceptions().size(), 1);
    const QJsonObject entry = exceptions().first();
    QCOMPARE(entry["task"].toString(), QString("killed-1"));
    QVERIFY2(entry["what"].toString().contains("killed by signal 9"), qPrintable(entry["what"].toString()));
    QVERIFY(entry["instance"].toString().startsWith("killed-1/stage-1/"));
    QVERIFY(entry["node"].toString().startsWith("mic-"));
    QVERIFY(entry["step"].toInt() > 0);
    QCOMPARE(entry["recovered"].toInt(), 0);
    const Finished shown = programs_.run({"exceptions", "show", newest()});
    QCOMPARE(shown.status, 0);
    for (const QString& part :
         {QString("task killed-1 failed at"), "node " + entry["node"].toString(), QString("not recovered"),
          QString("killed-1: termination"), "divisictl exceptions retry " + newest()})
        QVERIFY2(shown.output.contains(part), qPrintable(shown.output + " lacks " + part));
    QCOMPARE(queued({"exceptions", "retry", newest()}), QString("killed-2"));
    QCOMPARE(exceptions().size(), 0);
    QVERIFY(becomes("killed-2", "data exchange"));
    QCOMPARE(programs_.run({"tasks", "stop", "killed-2"}).status, 0);
    QVERIFY(becomes("killed-2", "stopped"));
    QCOMPARE(exceptions().size(), 0);  // an operator stopped the task, which is not an exception
    QVERIFY(programs_.run({"logs", "--contains", "tried again as killed-2"}).output.contains("of task killed-1"));
}

void ExceptionsSystem::task_is_retried_after_its_data_are_corrected() {
    fail("data");
    const QString number = newest();
    // An unchanged retry fails again, and is queued under a new number.
    const QString second = queued({"exceptions", "retry", number});
    QVERIFY(becomes(second, "failed"));
    QVERIFY(QTest::qWaitFor([&] { return exceptions().size() == 1; }, 10'000));
    QVERIFY(newest() != number);
    const Finished gone = programs_.run({"exceptions", "retry", number});
    QCOMPARE(gone.status, 2);
    QVERIFY2(gone.errors.contains("no such exception"), qPrintable(gone.errors));
    // The exception does not block the main queue.
    QCOMPARE(programs_.run({"run", programs_.small_task("beside", 3)}).status, 0);
    programs_.write("bad.csv", table("1"));
    QVERIFY(becomes(queued({"exceptions", "retry", newest()}), "succeeded"));
    QCOMPARE(exceptions().size(), 0);
}

void ExceptionsSystem::edited_task_text_is_submitted() {
    fail("edited");
    const Finished text = programs_.run({"exceptions", "show", newest(), "--text"});
    QCOMPARE(text.status, 0);
    QVERIFY2(text.output.contains("bad.csv"), qPrintable(text.output));
    const QString wrong = programs_.write("wrong.toml", "[train]\nsteps = \n");
    const Finished refused = programs_.run({"exceptions", "resubmit", newest(), wrong});
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.errors.contains("wrong.toml:2"), qPrintable(refused.errors));
    QCOMPARE(exceptions().size(), 1);
    const QString file = programs_.write("mended.toml", QString(text.output).replace("bad.csv", "good.csv").toUtf8());
    const QString again = queued({"exceptions", "resubmit", newest(), file});
    QCOMPARE(again, QString("edited-2"));
    QVERIFY(becomes(again, "succeeded"));
    QCOMPARE(exceptions().size(), 0);
}

void ExceptionsSystem::exception_queue_survives_an_orchestrator_restart() {
    fail("kept");
    const QString number = newest();
    const QList<pid_t> found = pids("divisid");
    QCOMPARE(found.size(), 1);
    ::kill(found[0], SIGKILL);
    QVERIFY(QTest::qWaitFor([&] { return newest() == number; }, 30'000));
    QCOMPARE(exceptions().first()["task"].toString(), QString("kept-1"));
    const auto ready = [&] {
        return programs_.run({"cluster", "status", "--json"}).output.count("\"state\":\"ready\"") == 4;
    };
    QVERIFY(QTest::qWaitFor(ready, 20'000));
    const Finished dropped = programs_.run({"exceptions", "drop", number});
    QVERIFY2(dropped.output.contains("exception " + number + " is dropped"), qPrintable(dropped.errors));
    ::kill(pids("divisid").value(0), SIGKILL);  // the drop must survive a restart
    QVERIFY(QTest::qWaitFor([&] { return programs_.run({"exceptions"}).output.startsWith("no exceptions"); }, 30'000));
}

DIVISI_TEST(ExceptionsSystem)

}  // namespace exceptions_test

#include "exceptions_test.moc"
