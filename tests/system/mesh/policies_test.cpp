// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>

#include <algorithm>
#include <functional>

#include "tests/support/test_program.h"

#include "tests/system/tcp_cluster.h"

namespace policies_test {

using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

namespace {

double median(QList<double> values) {
    std::ranges::sort(values);
    return values.isEmpty() ? 0 : values[values.size() / 2];
}

}  // namespace

/// Tests policies with real processes: they are set, applied, refused and rolled back. Also checks that policy alone
/// moves traffic off a slow path.
class PoliciesSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void version_is_applied_by_every_device_and_rolled_back();
    void window_beyond_a_quarter_of_a_buffer_is_refused();
    void bad_input_is_refused_with_a_remedy();
    void trial_predicts_a_change_and_applies_nothing();
    void share_uses_both_paths_without_changing_losses();
    void rate_limit_slows_a_running_task();
    void moving_off_a_slowed_path_restores_70_percent_of_the_rate();
    void cut_link_is_reported_with_the_affected_edges();

private:
    static QList<QJsonObject> policies(const Programs& programs, const QString& key) {
        QList<QJsonObject> found;
        for (const QJsonObject& one : programs.run({"policies", "--json"}).objects())
            if (one.contains(key)) found.append(one);
        return found;
    }
    static bool all_go_by(const Programs& programs, int version) {
        const auto devices = policies(programs, "device");
        return devices.size() == 5 &&
               std::ranges::all_of(devices, [&](const QJsonObject& one) { return one["applied"].toInt() == version; });
    }
    static bool start(Programs& programs) {
        return programs.cluster_up() && QTest::qWaitFor([&] { return all_go_by(programs, 0); }, 15'000);
    }
    static double bytes(const Programs& programs, const QString& name) {
        for (const QJsonObject& one : programs.run({"routes", "--json"}).objects())
            if (one["device"].toString() == name) return one["bytes"].toDouble();
        return 0;
    }
    static QString task(const Programs& programs, int steps) {
        return programs.write("wide.toml", divisi::tests::wide_task(steps));
    }
    static void slow(const Programs& programs, const QString& router, const QString& rate) {
        const Finished done = programs.run({"fault", "slow-link", "mg-1", router, "--rate", rate});
        QVERIFY2(done.status == 0, qPrintable(done.errors));
    }
    /// A run whose steps can be inspected while it continues.
    struct Run {
        QProcess process;
        Finished so_far;
        Run(const Programs& programs, const QString& file) {
            process.setProcessEnvironment(programs.environment());
            process.start(Programs::program("divisictl"), {"run", file, "--json"});
        }
        QList<double> step_ms() {
            so_far.output += process.readAllStandardOutput();
            QList<double> times;
            for (const QJsonObject& step : so_far.objects("step")) times.append(step["step_ms"].toDouble());
            return times;
        }
        bool wait_for_steps(qsizetype count) {
            return QTest::qWaitFor([&] { return step_ms().size() >= count; }, 120'000);
        }
    };
};

void PoliciesSystem::version_is_applied_by_every_device_and_rolled_back() {
    Programs programs;
    QVERIFY(start(programs));
    QCOMPARE(programs.run({"policies", "set", "share:mg-1:mg-2=40", "window=16MiB"}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return all_go_by(programs, 1); }, 5'000));
    QCOMPARE(programs.run({"policies", "set", "share:mg-1:mg-2=20"}).status, 0);
    const Finished rolled = programs.run({"policies", "rollback", "--json"});
    QCOMPARE(rolled.objects().at(0)["version"].toInt(), 3);
    QVERIFY(QTest::qWaitFor([&] { return all_go_by(programs, 3); }, 5'000));
    const auto versions = policies(programs, "version");
    QCOMPARE(versions.size(), 3);
    QCOMPARE(versions[2]["entries"], versions[0]["entries"]);
    QVERIFY(versions[2]["current"].toBool() && !versions[1]["current"].toBool());
    QVERIFY(versions[0]["author"].toString().startsWith("uid:"));
    // The policy is in the log, so it outlives the orchestrator; devices that reconnect receive it again.
    const auto before = programs.pids("divisid");
    ::kill(static_cast<pid_t>(before.first()), SIGKILL);
    QVERIFY(QTest::qWaitFor([&] { return programs.pids("divisid") != before && all_go_by(programs, 3); }, 20'000));
    QVERIFY(programs.run({"logs", "--contains", "policy 2 by"}).output.contains("share:mg-1:mg-2=20 (was 40)"));
}

void PoliciesSystem::window_beyond_a_quarter_of_a_buffer_is_refused() {
    Programs programs;
    QVERIFY(start(programs));
    const Finished refused = programs.run({"policies", "set", "window=900MiB"});
    QVERIFY(refused.status != 0);
    QVERIFY2(refused.errors.contains("a quarter of the buffer"), qPrintable(refused.errors));
    QVERIFY(policies(programs, "version").empty());
}

void PoliciesSystem::bad_input_is_refused_with_a_remedy() {
    TcpCluster cluster;
    QVERIFY(cluster.start());
    const Programs& programs = cluster.programs;
    const std::pair<QStringList, const char*> cases[] = {
        {{"set", "color=red"}, "there is no policy 'color'"},
        {{"set", "share=101"}, "from 0 to 100"},
        {{"set", "window=1kB"}, "1 MiB"},
        {{"set", "share:mg-1:mg-9=4"}, "not a gateway of this mesh"},
        {{"set", "alarm-full=1ms"}, "from 100 ms to 60 s"},
        {{"set", "alarm-latency:sr-9=1s"}, "not a gateway or router of this mesh"},
        {{"rollback", "99"}, "no such version"},
        {{"try", "color=red"}, "there is no policy 'color'"},
    };
    for (const auto& [arguments, why] : cases) {
        const Finished refused = programs.run(QStringList{"policies"} + arguments);
        QVERIFY2(refused.status != 0 && refused.errors.contains(why), qPrintable(refused.errors));
    }
    QVERIFY(cluster.allow(cluster.make_key("viewer.key"), "somebody", "viewer"));
    const Finished denied = cluster.run_as("viewer.key", {"policies", "set", "share=40"});
    QVERIFY2(denied.status != 0 && denied.errors.contains("does not permit the role"), qPrintable(denied.errors));
    QVERIFY(cluster.run_as("viewer.key", {"policies"}).output.contains("version 0"));
}

void PoliciesSystem::trial_predicts_a_change_and_applies_nothing() {
    Programs programs;
    QVERIFY(start(programs));
    QVERIFY(programs.run({"policies", "try", "share=0"}).output.contains("no task runs"));
    Run run(programs, task(programs, 2000));
    QVERIFY(run.wait_for_steps(5));
    const Finished tried = programs.run({"policies", "try", "share=0", "window=16MiB", "--json"});
    QVERIFY2(tried.status == 0, qPrintable(tried.errors));
    const QJsonObject row = tried.objects().at(0), end = tried.objects().at(1);
    QCOMPARE(row["task"].toString(), QString("wide-1"));
    QVERIFY2(row["measured_ms"].toDouble() > 0 && row["before_ms"].toDouble() > 0 && row["after_ms"].toDouble() > 0,
             qPrintable(tried.output));
    QVERIFY2(row["before_paths"].toString().contains("mg-1 > sr-1 > mg-2"), qPrintable(tried.output));
    QVERIFY2(row["after_paths"].toString().contains("mg-1 > sr-2 > sr-3 > mg-2"), qPrintable(tried.output));
    QVERIFY(!end["applied"].toBool(true));
    QVERIFY2(end["notes"].toArray().at(0).toString().startsWith("window"), qPrintable(tried.output));
    QVERIFY(policies(programs, "version").empty());
    QCOMPARE(programs.run({"tasks", "stop", "wide-1"}).status, 0);
    QVERIFY(run.process.waitForFinished(30'000));
}

void PoliciesSystem::share_uses_both_paths_without_changing_losses() {
    Programs programs;
    QVERIFY(start(programs));
    QCOMPARE(programs.run({"policies", "set", "share=50"}).status, 0);
    const QString file = task(programs, 30);
    const Finished reference = programs.run({"reference", file, "--json"});
    const Finished run = programs.run({"run", file, "--json"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    QCOMPARE(run.losses(), reference.losses());
    QVERIFY(QTest::qWaitFor([&] { return bytes(programs, "mg-1") > 2e8; }, 5'000));
    const double first = bytes(programs, "sr-1"), second = bytes(programs, "sr-2");
    QVERIFY2(first > 0.35 * (first + second) && first < 0.65 * (first + second),
             qPrintable(QString("%1 and %2").arg(first).arg(second)));
}

void PoliciesSystem::rate_limit_slows_a_running_task() {
    Programs programs;
    QVERIFY(start(programs));
    constexpr int steps = 60;
    const QString file = task(programs, steps);
    const Finished reference = programs.run({"reference", file, "--json"});
    Run run(programs, file);
    QVERIFY(run.wait_for_steps(10));
    const double before = median(run.step_ms().mid(3));
    QCOMPARE(programs.run({"policies", "set", "task-rate:mg-1=5MB/s"}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return all_go_by(programs, 1); }, 5'000));
    const qsizetype slowed_at = run.step_ms().size() + 2;
    QVERIFY(run.wait_for_steps(slowed_at + 8));
    const double slowed = median(run.step_ms().mid(slowed_at, 8));
    QCOMPARE(programs.run({"policies", "set", "task-rate:mg-1=default"}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return all_go_by(programs, 2); }, 5'000));
    const qsizetype free_at = run.step_ms().size() + 2;
    QVERIFY2(free_at + 8 <= steps, qPrintable(QString::number(free_at)));
    QVERIFY(run.process.waitForFinished(120'000));
    const double after = median(run.step_ms().mid(free_at, 8));
    qInfo("a step took %.0f ms, %.0f ms with the task's rate at mg-1 at 5 MB/s, then %.0f ms", before, slowed, after);
    QVERIFY2(slowed > 3 * before && slowed > 3 * after,
             qPrintable(QString("%1 %2 %3").arg(before).arg(slowed).arg(after)));
    QVERIFY2(run.process.exitCode() == 0, run.process.readAllStandardError().constData());
    QCOMPARE(run.so_far.losses(), reference.losses());
}

void PoliciesSystem::moving_off_a_slowed_path_restores_70_percent_of_the_rate() {
    Programs programs;
    QVERIFY(start(programs));
    // Slows the links, so that the links are the bottleneck, and not other work of this machine.
    slow(programs, "sr-1", "20MB/s");
    slow(programs, "sr-2", "20MB/s");
    constexpr int steps = 150;
    const QString file = task(programs, steps);
    const Finished reference = programs.run({"reference", file, "--json"});
    Run run(programs, file);
    QVERIFY(run.wait_for_steps(45));
    const double before = median(run.step_ms().mid(20));
    const auto moved = [&](const QString& from, const QString& to) {
        for (const QJsonObject& one : policies(programs, "version"))
            if (one["author"].toString() == "smo" && one["change"].toString().contains(from + ":" + to + "=0"))
                return true;
        return false;
    };
    QVERIFY(!moved("mg-1", "mg-2") && !moved("mg-2", "mg-1"));
    slow(programs, "sr-1", "4MB/s");
    const qsizetype slowed_at = run.step_ms().size() + 1;
    QVERIFY(QTest::qWaitFor([&] { return moved("mg-1", "mg-2") && moved("mg-2", "mg-1"); }, 60'000));
    const qsizetype moved_at = run.step_ms().size() + 2;
    QVERIFY2(moved_at + 20 <= steps, qPrintable(QString::number(moved_at)));
    QVERIFY(run.wait_for_steps(moved_at + 20));
    const QList<double> times = run.step_ms();
    const double slow_ms = median(times.mid(slowed_at + 1, std::max<qsizetype>(1, moved_at - 3 - slowed_at)));
    const double after = median(times.mid(moved_at, 20));
    qInfo(
        "a step took %.0f ms, %.0f ms with the path slowed to a fifth, %.0f ms by policy: %.0f %% of the rate is back",
        before, slow_ms, after, 100 * before / after);
    QVERIFY(slow_ms > 2 * before);
    QVERIFY2(before / after >= 0.7, qPrintable(QString("%1 ms, then %2 ms").arg(before).arg(after)));
    QVERIFY(run.process.waitForFinished(120'000));
    (void)run.step_ms();
    QVERIFY2(run.process.exitCode() == 0, run.process.readAllStandardError().constData());
    QCOMPARE(run.so_far.losses(), reference.losses());
    // Each direction moves off the slow path once. Trials of the slow path are rare, and none of them moves traffic
    // back.
    const auto versions = policies(programs, "version");
    QVERIFY2(versions.size() <= 8, qPrintable(QString::number(versions.size())));
    const Finished log = programs.run({"logs", "--contains", "the first path (sr-1) carries"});
    QVERIFY2(log.output.contains("policy 1 by smo"), qPrintable(log.output));
}

void PoliciesSystem::cut_link_is_reported_with_the_affected_edges() {
    Programs programs;
    QVERIFY(start(programs));
    const QString file = task(programs, 120);
    Run run(programs, file);
    QVERIFY(run.wait_for_steps(5));
    QCOMPARE(programs.run({"fault", "cut-link", "mg-1", "sr-1"}).status, 0);
    const auto told = [&] { return programs.run({"logs", "--contains", "mg-1 hears nothing from sr-1"}).output; };
    QVERIFY(QTest::qWaitFor([&] { return told().contains("uses sr-2, sr-3"); }, 10'000));
    QVERIFY2(told().contains("wide-1/stage-0/0 > wide-1/stage-1/0"), qPrintable(told()));
    // The dependent units are the units of the second stage and, through its gradients, of the first stage.
    static const QRegularExpression dependants("units that depend on it: [1-9]");
    QVERIFY2(told().contains(dependants), qPrintable(told()));
    QVERIFY(run.process.waitForFinished(120'000));
    QCOMPARE(run.process.exitCode(), 0);
}

DIVISI_TEST(PoliciesSystem)

}  // namespace policies_test

#include "policies_test.moc"
