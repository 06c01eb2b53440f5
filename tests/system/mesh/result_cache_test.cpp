// SPDX-License-Identifier: Apache-2.0
// Tests results that routers keep, with real processes. A repeated run takes cached results instead of computing them
// again. Its results are the same bits, even if a router is killed during the run.
#include <signal.h>

#include <memory>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/tcp_cluster.h"

namespace result_cache_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::TcpCluster;

namespace {

TaskFile batch_task(const QString& model, int samples) {
    return TaskFile("score")
        .set("task.kind", "batch")
        .replace("model", {{"onnx", model.toStdString()}})
        .set("data.samples", samples)
        .drop("train.microbatches")
        .section("batch", {{"output", "results.csv"}, {"values", "outputs"}})
        .set("split.stages", 2)
        .set("place.stages", {"mic-1/node-1", "mic-2/node-1"});
}

/// Two MICs with a gateway each. Two routers between them form two separate paths.
struct Mesh : TcpCluster {
    bool start(const QStringList& router = {}) {
        if (!TcpCluster::start()) return false;
        for (const QString name : {"1", "2"})
            devices.push_back(
                start_device("divisi-gateway", "mg-" + name, {"--mic", "mic-" + name, "--neighbours", "sr-1,sr-2"}));
        for (const QString name : {"sr-1", "sr-2"})
            routers[name] = std::make_unique<Process>(
                start_device("divisi-router", name, QStringList{"--neighbours", "mg-1,mg-2"} + router));
        return QTest::qWaitFor([&] { return rows().size() == 4; }, 20'000) && export_model();
    }
    bool export_model() {
        const Finished trained = programs.run({"run", programs.task_across_mics("small", 3)});
        model = programs.folder() + "/small.onnx";
        return trained.status == 0 && programs.run({"model", "export", "small", model}).status == 0;
    }
    QList<QJsonObject> rows() const { return programs.run({"routes", "--json"}).objects(); }
    QJsonObject cache(const QString& router) const {
        for (const QJsonObject& row : rows())
            if (row["device"].toString() == router) return row["cache"].toObject();
        return {};
    }
    /// Returns the sum of this counter over both routers.
    qint64 counted(const QString& what) const {
        return cache("sr-1")[what].toInteger() + cache("sr-2")[what].toInteger();
    }
    /// Waits up to 3 s until the routers report that they keep the results of this many steps.
    bool keeps(int steps) const {
        return QTest::qWaitFor([&] { return counted("results") >= steps && counted("results") % steps == 0; }, 3'000);
    }
    QString batch(int samples) const { return programs.write("score.toml", batch_task(model, samples)); }
    QByteArray results() const {
        QFile file(programs.folder() + "/results.csv");
        const QByteArray text = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        file.remove();
        return text;
    }
    /// Runs this batch and returns its results; empty if the run failed.
    QByteArray results_of(const QString& task) const {
        const Finished run = programs.run({"run", task, "--json"});
        if (run.status != 0) qWarning("%s", qPrintable(run.errors));
        return run.status == 0 ? results() : QByteArray();
    }
    /// Returns the bytes that the first stage of each batch had sent at its end, oldest first.
    QList<qint64> sent() const {
        QList<qint64> bytes;
        for (const QJsonObject& row : programs.run({"receipts", "--json"}).objects())
            if (row["instance"].toString().startsWith("score") && row["instance"].toString().contains("/stage-0/"))
                bytes.append(row["bytes_sent"].toInteger(-1));
        return bytes;
    }

    static QString said(const QList<qint64>& numbers) {
        QStringList texts;
        for (const qint64 number : numbers) texts.append(QString::number(number));
        return texts.join(' ');
    }

    QString model;
    std::vector<Process> devices;
    std::map<QString, std::unique_ptr<Process>> routers;
};

}  // namespace

class ResultCacheOfRouters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void second_run_computes_nothing_again();
    void other_weights_or_data_get_no_cached_result();
    void router_killed_in_mid_run_does_not_change_results();
    void without_a_cache_everything_is_computed();
    void small_cache_stays_within_its_limit();
};

void ResultCacheOfRouters::second_run_computes_nothing_again() {
    Mesh mesh;
    QVERIFY(mesh.start());
    const QString task = mesh.batch(205);  // 26 micro-batch steps
    const Finished first = mesh.programs.run({"run", task, "--json"});
    QVERIFY2(first.status == 0, qPrintable(first.errors));
    const QByteArray expected = mesh.results();
    QCOMPARE(expected.count('\n'), 206);
    QVERIFY(mesh.keeps(26));
    QCOMPARE(mesh.counted("hits"), 0);

    const Finished second = mesh.programs.run({"run", task, "--json"});
    QVERIFY2(second.status == 0, qPrintable(second.errors));
    QVERIFY(mesh.results() == expected);
    QCOMPARE(second.losses(), first.losses());
    QVERIFY(QTest::qWaitFor([&] { return mesh.counted("hits") > 13; }, 3'000));  // all results, except for late answers
    const QList<qint64> sent = mesh.sent();
    QVERIFY2(sent.size() == 2 && sent[0] > 0 && sent[1] < sent[0] / 2, qPrintable(mesh.said(sent)));
    QVERIFY(sent[1] + mesh.counted("saved") >= sent[0]);
    QVERIFY(mesh.counted("held") <= mesh.counted("limit"));

    const Finished unsplit = mesh.programs.run({"reference", task, "--json"});
    QVERIFY2(unsplit.status == 0, qPrintable(unsplit.errors));
    QVERIFY(mesh.results() == expected);
}

void ResultCacheOfRouters::other_weights_or_data_get_no_cached_result() {
    Mesh mesh;
    QVERIFY(mesh.start());
    const QString task = mesh.batch(40);
    QCOMPARE(mesh.programs.run({"run", task}).status, 0);
    const QByteArray first = mesh.results();
    QCOMPARE(mesh.programs.run({"run", task, "--set", "train.seed=9"}).status, 0);  // another seed gives other data
    QVERIFY(mesh.results() != first);
    const Finished trained = mesh.programs.run({"run", mesh.programs.task_across_mics("other", 5)});
    QCOMPARE(trained.status, 0);
    const QString other = mesh.programs.folder() + "/other.onnx";
    QCOMPARE(mesh.programs.run({"model", "export", "other", other}).status, 0);
    QCOMPARE(mesh.programs.run({"run", task, "--set", "model.onnx=" + other}).status, 0);
    QVERIFY(mesh.results() != first);
    QVERIFY(mesh.keeps(15));
    QCOMPARE(mesh.counted("hits"), 0);
}

void ResultCacheOfRouters::router_killed_in_mid_run_does_not_change_results() {
    Mesh mesh;
    QVERIFY(mesh.start({"--cache", "512"}));
    const QString task = mesh.batch(12'800);  // 1600 steps
    const Finished first = mesh.programs.run({"run", task, "--json"});
    QVERIFY2(first.status == 0, qPrintable(first.errors));
    const QByteArray expected = mesh.results();
    QVERIFY(mesh.keeps(1'600));
    const QString busy = mesh.cache("sr-1")["results"].toInt() > 0 ? "sr-1" : "sr-2";
    const QString other = busy == "sr-1" ? "sr-2" : "sr-1";

    QProcess run;
    run.setProcessEnvironment(mesh.programs.environment());
    run.start(divisi::tests::Programs::program("divisictl"), {"run", task, "--json"});
    QByteArray output;
    const auto steps = [&] { return (output += run.readAllStandardOutput()).count("\"event\":\"step\""); };
    QVERIFY(QTest::qWaitFor([&] { return steps() >= 100; }, 60'000));
    ::kill(static_cast<pid_t>((*mesh.routers[busy])->processId()), SIGKILL);
    QVERIFY(steps() < 1'600);
    QVERIFY(run.waitForFinished(120'000));
    Finished second;
    second.output = output + run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, run.readAllStandardError().constData());
    QVERIFY(mesh.results() == expected);
    QCOMPARE(second.losses(), first.losses());
    // the other router has cached the remaining steps
    QVERIFY(QTest::qWaitFor([&] { return mesh.cache(other)["results"].toInt() > 0; }, 3'000));
}

void ResultCacheOfRouters::without_a_cache_everything_is_computed() {
    Mesh mesh;
    QVERIFY(mesh.start({"--cache", "0"}));
    const QString task = mesh.batch(205);
    const QByteArray first = mesh.results_of(task);
    QVERIFY(!first.isEmpty());
    QCOMPARE(mesh.results_of(task), first);
    for (const QJsonObject& row : mesh.rows()) QVERIFY(!row.contains("cache"));
}

void ResultCacheOfRouters::small_cache_stays_within_its_limit() {
    Mesh mesh;
    QVERIFY(mesh.start({"--cache", "0.5"}));
    const QString task = mesh.batch(205);
    const QByteArray first = mesh.results_of(task);
    QVERIFY(!first.isEmpty());
    QCOMPARE(mesh.results_of(task), first);
    QVERIFY(QTest::qWaitFor([&] { return mesh.counted("evicted") > 26; }, 3'000));
    QVERIFY(mesh.counted("held") <= 512 << 10);
}

DIVISI_TEST(ResultCacheOfRouters)

}  // namespace result_cache_test

#include "result_cache_test.moc"
