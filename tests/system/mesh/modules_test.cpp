// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/system/tcp_cluster.h"

namespace modules_test {

using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

/// Tests functional modules as processes. They start, give advice, are replaced, die and hang while a task trains.
class ModulesSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void modules_change_during_a_training_without_changing_losses();
    void advice_shifts_a_share_and_is_withdrawn();
    void bad_input_is_refused_with_a_remedy();
    void module_over_tcp_needs_a_key_with_the_module_role();

private:
    static QList<QJsonObject> modules(const Programs& programs) {
        return programs.run({"modules", "--json"}).objects();
    }
    static int in_state(const Programs& programs, const QString& state) {
        const auto all = modules(programs);
        return static_cast<int>(
            std::ranges::count_if(all, [&](const QJsonObject& one) { return one["state"].toString() == state; }));
    }
    static void slow(const Programs& programs, const QString& router, const QString& rate) {
        const Finished done = programs.run({"fault", "slow-link", "mg-1", router, "--rate", rate});
        QVERIFY2(done.status == 0, qPrintable(done.errors));
    }
    /// Returns whether a flow follows a share that this author has set.
    static bool steered_by(const Programs& programs, const QString& author) {
        for (const QJsonObject& device : programs.run({"routes", "--json"}).objects())
            for (const auto& flow : device["flows"].toArray())
                if (flow.toObject()["steered"].toObject()["author"].toString() == author) return true;
        return false;
    }
    static bool logged(const Programs& programs, const QString& text) {
        return !programs.run({"logs", "--contains", text, "--json"}).objects().isEmpty();
    }
    /// A run in the background.
    struct Run {
        QProcess process;
        Finished so_far;
        Run(const Programs& programs, const QString& file) {
            process.setProcessEnvironment(programs.environment());
            process.start(Programs::program("divisictl"), {"run", file, "--json"});
        }
        qsizetype steps() {
            so_far.output += process.readAllStandardOutput();
            return so_far.objects("step").size();
        }
        bool wait_for_steps(qsizetype count) {
            return QTest::qWaitFor([&] { return steps() >= count; }, 120'000);
        }
        bool finish() {
            const bool ended = process.waitForFinished(120'000);
            (void)steps();
            return ended && process.exitCode() == 0;
        }
    };
};

void ModulesSystem::modules_change_during_a_training_without_changing_losses() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    for (const char* router : {"sr-1", "sr-2"}) slow(programs, router, "20MB/s");  // a step takes half a second
    const QString file = programs.write("wide.toml", divisi::tests::wide_task(120));
    const Finished reference = programs.run({"reference", file, "--json"});
    Run run(programs, file);
    QVERIFY(run.wait_for_steps(5));
    // A started module advises.
    const Finished started = programs.run({"modules", "start", "link-trend"});
    QVERIFY2(started.status == 0 && started.output.contains("advises"), qPrintable(started.output + started.errors));
    QCOMPARE(programs.run({"modules", "start", "compute-routing"}).status, 0);
    QCOMPARE(in_state(programs, "advises"), 2);
    // After a replacement only the process of the new version runs.
    const Finished second = programs.run({"modules", "start", "link-trend", "--", "--damping", "0.9"});
    QVERIFY2(second.output.contains("2-damped is connected and stands by"), qPrintable(second.output + second.errors));
    QCOMPARE(programs.run({"modules", "use", "link-trend", "2-damped"}).status, 0);
    QCOMPARE(programs.run({"modules", "stop", "link-trend", "--version", "1-holt"}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return programs.pids("divisi-module-link-trend").size() == 1; }, 5'000));
    QVERIFY(logged(programs, "version 2-damped advises"));
    // A killed module is restarted.
    const auto killed = programs.pids("divisi-module-link-trend");
    ::kill(static_cast<pid_t>(killed.first()), SIGKILL);
    QVERIFY(QTest::qWaitFor([&] { return logged(programs, "is gone: "); }, 10'000));
    QVERIFY(QTest::qWaitFor(
        [&] {
            const auto now = programs.pids("divisi-module-link-trend");
            return now.size() == 1 && now != killed && in_state(programs, "advises") == 2;
        },
        10'000));
    // The orchestrator gives up modules that hang. A stop, by name or by version, then ends the hung processes,
    // which are no longer needed.
    for (const char* program : {"divisi-module-compute-routing", "divisi-module-link-trend"})
        ::kill(static_cast<pid_t>(programs.pids(program).first()), SIGSTOP);
    QVERIFY(QTest::qWaitFor([&] { return in_state(programs, "advises") == 0; }, 20'000));
    QCOMPARE(programs.run({"modules", "stop", "compute-routing"}).status, 0);
    QCOMPARE(programs.run({"modules", "stop", "link-trend", "--version", "2-damped"}).status, 0);
    for (const char* program : {"divisi-module-compute-routing", "divisi-module-link-trend"})
        QVERIFY2(QTest::qWaitFor([&] { return programs.pids(program).isEmpty(); }, 10'000), program);
    QCOMPARE(QFileInfo(programs.data() + "/modules.list").size(), 0);
    QVERIFY(run.steps() < 120);
    QVERIFY2(run.finish(), run.process.readAllStandardError().constData());
    QCOMPARE(run.so_far.losses(), reference.losses());
}

void ModulesSystem::advice_shifts_a_share_and_is_withdrawn() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    for (const char* router : {"sr-1", "sr-2"}) slow(programs, router, "20MB/s");
    QCOMPARE(programs.run({"modules", "start", "link-trend", "--", "--checkpoint"}).status, 0);
    const QString file = programs.write("wide.toml", divisi::tests::wide_task(80));
    const Finished reference = programs.run({"reference", file, "--json"});
    Run run(programs, file);
    QVERIFY(run.wait_for_steps(20));
    // More than half of the previous rate remains, so the orchestrator itself does not react.
    slow(programs, "sr-1", "12MB/s");
    QVERIFY(QTest::qWaitFor([&] { return logged(programs, "is taken: policy"); }, 60'000));
    QVERIFY(QTest::qWaitFor([&] { return logged(programs, "orders a checkpoint after step"); }, 10'000));
    QVERIFY(QTest::qWaitFor([&] { return steered_by(programs, "module link-trend"); }, 10'000));
    QVERIFY2(run.finish(), run.process.readAllStandardError().constData());
    QCOMPARE(run.so_far.losses(), reference.losses());
    const QJsonObject module = modules(programs).at(0);
    QVERIFY(module["taken"].toInt() > 0);
    QVERIFY(module["last"].toObject()["reason"].toString().contains("will carry"));
    QVERIFY(QTest::qWaitFor([&] { return logged(programs, "because it is not valid any longer"); }, 20'000));
    // Advice does not override an operator's setting; the log says so.
    QCOMPARE(programs.run({"policies", "set", "share:mg-1:mg-2=100", "share:mg-2:mg-1=100"}).status, 0);
    slow(programs, "sr-1", "20MB/s");
    Run again(programs, file);
    QVERIFY(again.wait_for_steps(20));
    slow(programs, "sr-1", "12MB/s");
    QVERIFY(QTest::qWaitFor([&] { return logged(programs, "has made this setting"); }, 60'000));
    QVERIFY(again.finish());
    QVERIFY(modules(programs).at(0)["refused"].toInt() > 0);
}

void ModulesSystem::bad_input_is_refused_with_a_remedy() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    const std::pair<QStringList, const char*> cases[] = {
        {{"start", "tea-leaves"}, "there is no such program"},
        {{"stop", "link-trend"}, "the cluster has no such module"},
        {{"use", "link-trend", "9"}, "the cluster has no such module"},
        {{"disable", "link-trend"}, "the cluster has no such module"},
        {{"start", "link-trend", "--connect", "/nowhere.toml"}, "only for the embedded cluster"},
    };
    for (const auto& [arguments, why] : cases) {
        const Finished refused = programs.run(QStringList{"modules"} + arguments);
        QVERIFY2(refused.status != 0 && refused.errors.contains(why), qPrintable(refused.errors));
    }
    QVERIFY(programs.run({"modules"}).output.contains("no module advises"));
    QCOMPARE(programs.run({"modules", "start", "link-trend"}).status, 0);
    QVERIFY(programs.run({"modules", "disable", "link-trend", "--task", "gpt-9"}).errors.contains("no such task"));
    QCOMPARE(programs.run({"modules", "disable", "link-trend"}).status, 0);
    QCOMPARE(in_state(programs, "off"), 1);
    QCOMPARE(programs.run({"modules", "enable", "link-trend"}).status, 0);
    QCOMPARE(in_state(programs, "advises"), 1);
    QProcess program;
    program.start(Programs::program("divisi-module-link-trend"), {"--connect", "/nowhere.toml"});
    QVERIFY(program.waitForFinished(10'000));
    QCOMPARE(program.exitCode(), 2);
    QVERIFY(program.readAllStandardError().contains("/nowhere.toml"));
}

void ModulesSystem::module_over_tcp_needs_a_key_with_the_module_role() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const QString connection = cluster.programs.data() + "/connection-tcp.toml";
    const QString keys = cluster.programs.folder() + "/module.key";
    const auto start = [&](QProcess& module) {
        module.start(Programs::program("divisi-module-link-trend"), {"--connect", connection, "--keys", keys});
        return module.waitForStarted();
    };
    const QString key = cluster.make_key("module.key");
    QVERIFY(cluster.allow(key, "link-trend", "agent"));
    QProcess denied;
    QVERIFY(start(denied));
    QTest::qWait(1500);
    QVERIFY(cluster.programs.run({"modules"}).output.contains("no module advises"));
    denied.kill();
    denied.waitForFinished();
    QVERIFY(cluster.allow(key, "link-trend", "module"));
    QProcess allowed;
    QVERIFY(start(allowed));
    QVERIFY(QTest::qWaitFor([&] { return in_state(cluster.programs, "advises") == 1; }, 10'000));
    QVERIFY(cluster.programs.run({"keys"}).output.contains("module"));
    allowed.kill();
    allowed.waitForFinished();
}

DIVISI_TEST(ModulesSystem)

}  // namespace modules_test

#include "modules_test.moc"
