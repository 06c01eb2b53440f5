// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>

#include <algorithm>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace hops_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

TaskFile task(int steps) {
    return TaskFile("hops")
        .gpt(4, 128, 4, 64)
        .section("train", {{"steps", steps}, {"batch", 16}, {"microbatches", 4}})
        .set("split.stages", 2);
}

/// Returns a task whose stages are in two MICs.
TaskFile across() { return task(20).set("place.stages", {"mic-1/node-1", "mic-2/node-1"}); }

}  // namespace

/// Tests plans of a cluster whose MICs are linked by gateways and routers.
class Hops : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QVERIFY(programs_.cluster_up());
        QVERIFY(QTest::qWaitFor([&] { return usable_neighbours() == 10; }, 30'000));  // five links in both directions
    }
    void plan_names_the_path_between_mics();
    void run_within_a_mic_reports_no_path();
    void slowed_link_changes_the_plan_once_measured();
    void flows_over_a_long_link_get_a_larger_window();

private:
    QJsonObject plan(const TaskFile& task) {
        const QString file = programs_.write("hops.toml", task);
        const Finished planned = programs_.run({"plan", file, "--json"});
        if (planned.status != 0) qWarning("%s", qPrintable(planned.errors));
        return planned.objects().value(0);
    }
    /// Measures the links again. Returns whether this succeeded.
    bool measure() {
        const Finished measured = programs_.run({"links", "--measure"});
        if (measured.status != 0) qWarning("%s", qPrintable(measured.errors));
        return measured.status == 0;
    }
    int usable_neighbours() const {
        int count = 0;
        for (const QJsonObject& device : programs_.run({"routes", "--json"}).objects())
            for (const QJsonValue one : device["neighbours"].toArray()) count += one["usable"].toBool() ? 1 : 0;
        return count;
    }
    static double median_step_ms(const Finished& run) {
        QList<double> times;
        for (const QJsonObject& step : run.objects("step")) times.append(step["step_ms"].toDouble());
        std::ranges::sort(times);
        return times.isEmpty() ? 0 : times[times.size() / 2];
    }
    /// Returns the MIC of each stage of a plan.
    static QStringList mics(const QJsonObject& plan) {
        QStringList found;
        for (const QJsonValue stage : plan["predictions"].toArray())
            found.append(stage["device"].toString().section('/', 0, 0));
        return found;
    }
    static QJsonObject path(const QJsonObject& plan, int from) {
        for (const QJsonValue one : plan["paths"].toArray())
            if (one["from"].toInt() == from) return one.toObject();
        return {};
    }

    Programs programs_;
};

void Hops::plan_names_the_path_between_mics() {
    QVERIFY(measure());
    const QJsonObject planned = plan(across());
    QCOMPARE(planned["paths"].toArray().size(), 2);
    const QJsonObject there = path(planned, 0);
    QCOMPARE(there["to"].toInt(), 1);
    QCOMPARE(there["devices"].toArray(), (QJsonArray{"mg-1", "sr-1", "mg-2"}));
    QCOMPARE(there["source"].toString(), "measured");
    QVERIFY(there["latency_ms"].toDouble() > 0 && there["bytes_per_s"].toDouble() > 0);
    QVERIFY(there["tensor_ms"].toDouble() > there["latency_ms"].toDouble());
    QCOMPARE(planned["links"].toString(), "measured");
    int measured = 0;
    for (const QJsonObject& link : programs_.run({"links", "--mesh", "--json"}).objects())
        measured += link["source"].toString() == "measured" ? 1 : 0;
    QCOMPARE(measured, 10);
    QVERIFY(programs_.run({"plan", programs_.folder() + "/hops.toml"}).output.contains("mg-1, sr-1, mg-2"));
    const Finished run = programs_.run({"run", programs_.folder() + "/hops.toml"});
    QVERIFY2(run.output.contains("from stage 0 to stage 1 by mg-1, sr-1, mg-2"), qPrintable(run.output + run.errors));
}

void Hops::run_within_a_mic_reports_no_path() {
    const QString file = programs_.write("inside.toml", task(2).set("place.stages", {"mic-1/node-1", "mic-1/node-2"}));
    const QString output = programs_.run({"run", file}).output;
    QVERIFY2(output.contains("  both stages are in mic-1, so no path through the mesh is used\n"), qPrintable(output));
    // The task of the documents runs wherever its stages are placed.
    const QString text = QString(DIVISI_SOURCE_DIR) + "/resources/tasks/gpt-text.toml";
    const Finished run = programs_.run({"run", text, "--set", "train.steps=2", "--set", "train.warmup_steps=1"});
    const QRegularExpression told("stage 0 to stage 1 by mg-[12], sr-|both stages are in mic-[12], so no path through");
    QVERIFY2(run.output.contains(told), qPrintable(run.output + run.errors));
    QCOMPARE(run.status, 0);
}

void Hops::slowed_link_changes_the_plan_once_measured() {
    QVERIFY(measure());
    const QJsonObject before = plan(across());
    QCOMPARE(programs_.run({"fault", "slow-link", "sr-1", "mg-2", "--rate", "5MB/s"}).status, 0);
    QVERIFY(measure());
    const QJsonObject after = plan(across());
    const QJsonObject there = path(after, 0);
    QVERIFY(there["narrowest"].toString() == "sr-1, mg-2");
    QVERIFY(there["bytes_per_s"].toDouble() > 3e6 && there["bytes_per_s"].toDouble() < 6e6);
    QVERIFY(after["predicted_step_ms"].toDouble() > 1.5 * before["predicted_step_ms"].toDouble());
    // The measured step agrees with the prediction, if the orchestrator stays on the slow path.
    QCOMPARE(programs_.run({"policies", "set", "adapt=off"}).status, 0);
    const Finished run = programs_.run({"run", programs_.folder() + "/hops.toml", "--json"});
    QCOMPARE(run.status, 0);
    const double predicted_ms = after["predicted_step_ms"].toDouble(), ran_ms = median_step_ms(run);
    QVERIFY2(ran_ms > predicted_ms / 2 && ran_ms < predicted_ms * 2,
             qPrintable(QString("%1 ms instead of %2 ms").arg(ran_ms).arg(predicted_ms)));
    QCOMPARE(programs_.run({"policies", "set", "adapt=default"}).status, 0);
    // If the planner may choose, it now places both stages in one MIC.
    const QStringList chosen = mics(plan(task(20)));
    QCOMPARE(chosen.size(), 2);
    QCOMPARE(chosen[0], chosen[1]);
    QCOMPARE(programs_.run({"fault", "heal"}).status, 0);
    QVERIFY(measure());
    QVERIFY(plan(across())["predicted_step_ms"].toDouble() < 1.5 * before["predicted_step_ms"].toDouble());
}

/// The 8 MiB window of an unmeasured link would let at most 84 MB per second pass.
void Hops::flows_over_a_long_link_get_a_larger_window() {
    QCOMPARE(programs_.run({"fault", "slow-link", "sr-1", "mg-2", "--delay", "50ms"}).status, 0);
    QVERIFY(measure());
    QVERIFY(!plan(across()).isEmpty());
    const Finished run = programs_.run({"run", programs_.folder() + "/hops.toml"});
    QVERIFY2(run.status == 0, qPrintable(run.errors));
    const auto widest = [&] {
        qint64 most = 0;
        const Finished told = programs_.run({"signals", "--type", "RESV", "--from", "mg-2", "--to", "sr-1", "--json"});
        for (const QJsonObject& one : told.objects()) most = std::max(most, one["window_bytes"].toInteger());
        return most;
    };
    // Devices report their messages twice a second.
    QVERIFY2(QTest::qWaitFor([&] { return widest() > 8 << 20; }, 10'000), qPrintable(QString::number(widest())));
    QCOMPARE(programs_.run({"fault", "heal"}).status, 0);
}

DIVISI_TEST(Hops)

}  // namespace hops_test

#include "hops_test.moc"
