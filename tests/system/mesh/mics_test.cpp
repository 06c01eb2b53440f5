// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace mics_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

/// Tests MICs with real processes. Gateways know the units of their MIC. If a chain of units stalls, the gateways name
/// the dependency for which the chain waits.
class MicsSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void undisturbed_run_has_topologies_and_no_alarm();
    void stopped_instance_is_named_with_its_dependency();
    void cut_links_break_a_dependency_between_mics();

private:
    /// A task across the two MICs that runs in the background until it is stopped or done.
    struct Run {
        QProcess process;
        Run(const Programs& programs, const QString& file) {
            process.setProcessEnvironment(programs.environment());
            process.start(Programs::program("divisictl"), {"run", file, "--json"});
        }
        ~Run() {
            process.terminate();
            process.waitForFinished(30'000);
        }
    };
    static QList<QJsonObject> tasks_of(const Programs& programs, const QString& mic) {
        QList<QJsonObject> tasks;
        for (const QJsonObject& one : programs.run({"mics", "--json"}).objects())
            if (one["mic"].toString() == mic)
                for (const auto& task : one["tasks"].toArray()) tasks.append(task.toObject());
        return tasks;
    }
    static int step_of(const Programs& programs) {
        for (const QJsonObject& one : programs.run({"tasks", "--json"}).objects())
            if (!one["phase"].toString().startsWith("ended")) return one["step"].toInt();
        return 0;
    }
    static QString broken_lines(const Programs& programs) {
        return programs.run({"logs", "--contains", "is broken"}).output;
    }
};

void MicsSystem::undisturbed_run_has_topologies_and_no_alarm() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    Run run(programs, programs.task_across_mics("calm", 600));
    QVERIFY(QTest::qWaitFor([&] { return step_of(programs) > 20; }, 60'000));
    QVERIFY(QTest::qWaitFor([&] { return tasks_of(programs, "mic-2").size() == 1; }, 5'000));
    const QJsonObject first = tasks_of(programs, "mic-1").at(0), second = tasks_of(programs, "mic-2").at(0);
    QCOMPARE(first["task"].toString(), QString("calm-1"));
    // the first MIC also has the data unit
    QVERIFY(first["units"].toArray().size() > second["units"].toArray().size());
    const auto crosses = [](const QJsonObject& task) {
        int count = 0;
        for (const auto& edge : task["edges"].toArray())
            count += edge.toObject()["from_mic"] != edge.toObject()["to_mic"] ? 1 : 0;
        return count;
    };
    QVERIFY(crosses(first) > 0);
    QCOMPARE(crosses(first), crosses(second));  // both MICs report the same number of edges between them
    QVERIFY(run.process.waitForFinished(120'000));
    QCOMPARE(run.process.exitCode(), 0);
    QVERIFY(QTest::qWaitFor([&] { return tasks_of(programs, "mic-1").empty() && tasks_of(programs, "mic-2").empty(); },
                            5'000));
    QVERIFY2(!broken_lines(programs).contains("calm-1"), qPrintable(broken_lines(programs)));
}

void MicsSystem::stopped_instance_is_named_with_its_dependency() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    Run run(programs, programs.task_across_mics("stuck", 1'000'000));
    QVERIFY(QTest::qWaitFor([&] { return step_of(programs) > 100; }, 60'000));
    const auto stages = programs.pids("divisi-instance", "stage-1");
    QCOMPARE(stages.size(), 1);
    ::kill(static_cast<pid_t>(stages.first()), SIGSTOP);
    const auto told = [&] {
        return broken_lines(programs).contains(
            "the dependency stuck-1/stage-1/backward/0 > stuck-1/stage-0/backward/0 "
            "is broken: stuck-1/stage-1/backward/0 (mic-2) is silent");
    };
    const bool in_time = QTest::qWaitFor(told, 20'000);
    const auto tasks = tasks_of(programs, "mic-1");
    ::kill(static_cast<pid_t>(stages.first()), SIGCONT);
    QVERIFY2(in_time, qPrintable(broken_lines(programs)));
    QCOMPARE(tasks.at(0)["broken"].toArray().at(0).toObject()["cause"].toString(), QString("silent"));
    QVERIFY(QTest::qWaitFor(
        [&] {
            return programs.run({"logs", "--contains", "makes progress again"}).output.contains("stuck-1");
        },
        20'000));
    QVERIFY(tasks_of(programs, "mic-1").at(0)["broken"].toArray().empty());
    QCOMPARE(programs.run({"tasks", "stop", "stuck-1"}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return tasks_of(programs, "mic-1").empty(); }, 10'000));
}

void MicsSystem::cut_links_break_a_dependency_between_mics() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    Run run(programs, programs.task_across_mics("cut", 1'000'000));
    QVERIFY(QTest::qWaitFor([&] { return step_of(programs) > 100; }, 60'000));
    for (const char* router : {"sr-1", "sr-2"}) QCOMPARE(programs.run({"fault", "cut-link", "mg-1", router}).status, 0);
    const auto told = [&] { return broken_lines(programs).contains("nothing arrives from mic-"); };
    QVERIFY2(QTest::qWaitFor(told, 25'000), qPrintable(programs.run({"logs"}).output));
    QVERIFY2(broken_lines(programs).contains("cut-1/stage-"), qPrintable(broken_lines(programs)));
    QCOMPARE(programs.run({"fault", "heal"}).status, 0);
    QVERIFY(QTest::qWaitFor(
        [&] {
            return programs.run({"logs", "--contains", "makes progress again"}).output.contains("cut-1");
        },
        30'000));
    QCOMPARE(programs.run({"tasks", "stop", "cut-1"}).status, 0);
}

DIVISI_TEST(MicsSystem)

}  // namespace mics_test

#include "mics_test.moc"
