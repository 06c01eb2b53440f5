// SPDX-License-Identifier: Apache-2.0
// Tests a cluster whose file declares unequal nodes. Plans account for the differences and run on these nodes, and the
// losses have the same bits.
#include <memory>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace unequal_nodes_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

class UnequalNodes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void file_and_running_cluster_give_the_same_plan();
    void task_runs_as_planned_with_reference_bits_data();
    void task_runs_as_planned_with_reference_bits();
    void sensitive_operators_go_to_the_secure_node();
    void task_that_fits_nowhere_names_the_memory_it_needs();
    void error_names_both_contradictory_settings();

private:
    using Process = std::unique_ptr<QProcess>;

    Process launch(const QString& name, const QStringList& arguments) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(programs_.environment());
        process->start(Programs::program(name), arguments);
        return process;
    }
    Finished plan(const QStringList& more) const { return programs_.run(QStringList{"plan", task_, "--json"} << more); }
    static QStringList nodes_of(const QJsonObject& plan) {
        QStringList nodes;
        for (const auto& stage : plan["predictions"].toArray())
            nodes << stage.toObject()["device"].toString().section(' ', 0, 0);
        return nodes;
    }

    Programs programs_;
    QString task_, file_;
    std::vector<Process> processes_;
};

namespace {

TaskFile unequal_task() {
    return TaskFile("unequal")
        .gpt(4, 64, 2, 16)
        .section("train", {{"steps", 3}, {"microbatches", 4}, {"seed", 7}})
        .section("split", {{"stages", 3}, {"method", "optimal"}});
}

/// Returns a cluster file with three nodes on this machine. The first, where round-robin placement would begin, is
/// declared slow and secure.
QByteArray cluster_text(const QString& folder) {
    QByteArray text = "[cluster]\nname = \"unequal\"\ntransport = \"ipc\"\norchestrator = \"ipc://" + folder.toUtf8() +
                      "/control.sock\"\n[[mic]]\nname = \"mic-1\"\n";
    const char* const rates[] = {"flops = \"2 GFLOP/s\"\nmemory_bandwidth = \"1 GB/s\"\nsecure = true\n",
                                 "flops = \"40 GFLOP/s\"\nmemory_bandwidth = \"20 GB/s\"\n",
                                 "flops = \"40 GFLOP/s\"\nmemory_bandwidth = \"20 GB/s\"\nmemory = \"1 GiB\"\n"};
    for (int i = 0; i < 3; ++i)
        text += "[[mic.node]]\nname = \"node-" + QByteArray::number(i + 1) + "\"\nendpoint = \"ipc://" +
                folder.toUtf8() + "/n" + QByteArray::number(i + 1) + "\"\ncores = 8\n" + rates[i];
    return text;
}

}  // namespace

void UnequalNodes::initTestCase() {
    task_ = programs_.write("unequal.toml", unequal_task());
    file_ = programs_.write("cluster.toml", cluster_text(programs_.folder()));
    const QString connection = programs_.data() + "/connection.toml";
    processes_.push_back(launch("divisid", {"--data", programs_.data(), "--cluster", file_}));
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(connection); }, 10'000));
    for (const QString name : {"node-1", "node-2", "node-3"})
        processes_.push_back(launch("divisi-node", {"--connect", connection, "--name", "mic-1/" + name, "--data",
                                                    programs_.folder() + "/" + name}));
    QVERIFY(QTest::qWaitFor(
        [&] {
            return programs_.run({"cluster", "status", "--json"}).output.count("\"state\":\"ready\"") == 3;
        },
        20'000));
}

void UnequalNodes::cleanupTestCase() {
    while (!processes_.empty()) {
        processes_.back()->terminate();
        if (!processes_.back()->waitForFinished(15'000)) processes_.back()->kill();
        processes_.pop_back();
    }
}

void UnequalNodes::file_and_running_cluster_give_the_same_plan() {
    const Finished planned = plan({"--cluster", file_});
    QVERIFY2(planned.status == 0, qPrintable(planned.errors));
    const QJsonObject by_file = planned.objects().last();
    const QJsonObject running = plan({}).objects().last();
    QCOMPARE(running["cuts"], by_file["cuts"]);
    QCOMPARE(nodes_of(running), nodes_of(by_file));
    QCOMPARE(running["objective_ms"], by_file["objective_ms"]);
    QCOMPARE(running["predicted_step_ms"], by_file["predicted_step_ms"]);
    QCOMPARE(by_file["gap"].toDouble(), 0.0);
    // Each node is used once; the slow node has much less to do than it would have among equal nodes.
    QStringList nodes = nodes_of(by_file);
    const auto slow = nodes.indexOf("mic-1/node-1");
    const double share = by_file["predictions"].toArray()[slow].toObject()["flops_share"].toDouble();
    QVERIFY2(share < 0.1, qPrintable(QString::number(share)));
    nodes.sort();
    QCOMPARE(nodes, (QStringList{"mic-1/node-1", "mic-1/node-2", "mic-1/node-3"}));
    const Finished table = programs_.run({"plan", task_, "--cluster", file_});
    QVERIFY2(table.output.contains("step on cluster unequal"), qPrintable(table.output));
    QVERIFY(table.output.contains("no other nodes and no other order"));
}

void UnequalNodes::task_runs_as_planned_with_reference_bits_data() {
    QTest::addColumn<QStringList>("settings");
    QTest::newRow("optimal") << QStringList{};
    QTest::newRow("tabu") << QStringList{"--set", "split.method=tabu", "--set", "split.tabu_iterations=20"};
    QTest::newRow("equal-flops") << QStringList{"--set", "split.method=equal-flops"};
    QTest::newRow("block") << QStringList{"--set", "split.strategy=block"};
}

void UnequalNodes::task_runs_as_planned_with_reference_bits() {
    QFETCH(QStringList, settings);
    const Finished planned = plan(settings);
    QVERIFY2(planned.status == 0, qPrintable(planned.errors));
    const QStringList wanted = nodes_of(planned.objects().last());
    const Finished reference = programs_.run(QStringList{"reference", task_, "--json"} << settings);
    const Finished trained = programs_.run(QStringList{"run", task_, "--json"} << settings);
    QVERIFY2(trained.status == 0, qPrintable(trained.errors));
    QCOMPARE(trained.losses().size(), 3);
    QCOMPARE(trained.losses(), reference.losses());
    const QString task = trained.objects("end").last()["task"].toString();
    QStringList used(wanted.size());
    for (const QJsonObject& unit : programs_.run({"services", task, "--json"}).objects())
        for (int stage = 0; stage < used.size(); ++stage)
            if (unit["instance"].toString().endsWith("/stage-" + QString::number(stage) + "/0"))
                used[stage] = unit["node"].toString();
    QCOMPARE(used, wanted);
}

void UnequalNodes::sensitive_operators_go_to_the_secure_node() {
    const Finished planned = plan({"--set", "split.sensitive=[\"/embed/*\"]"});
    QVERIFY2(planned.status == 0, qPrintable(planned.errors));
    QCOMPARE(nodes_of(planned.objects().last()).first(), QString("mic-1/node-1"));
}

void UnequalNodes::task_that_fits_nowhere_names_the_memory_it_needs() {
    QByteArray small = cluster_text(programs_.folder());
    small.replace("cores = 8\n", "cores = 8\nmemory = \"64 KiB\"\n").replace("memory = \"1 GiB\"\n", "");
    const Finished refused = plan({"--cluster", programs_.write("small.toml", small)});
    QVERIFY(refused.status != 0);
    QVERIFY2(refused.errors.contains("give every device at least"), qPrintable(refused.errors));
}

void UnequalNodes::error_names_both_contradictory_settings() {
    const Finished refused =
        plan({"--set", "split.sensitive=[\"/embed/*\"]", "--set", "place.pin./embed/*=mic-1/node-2"});
    QVERIFY(refused.status != 0);
    QVERIFY2(refused.errors.contains("mic-1/node-2, which is not secure"), qPrintable(refused.errors));
    const Finished missing = plan({"--set", "place.stages=[\"a\",\"mic-1/node-2\",\"mic-1/node-3\"]"});
    QVERIFY2(missing.errors.contains("no node of the cluster is called 'a'"), qPrintable(missing.errors));
    const Finished unknown = plan({"--set", "place.pin./embed/*=mic-9/node-9"});
    QVERIFY2(unknown.errors.contains("'mic-9/node-9', which is not a node"), qPrintable(unknown.errors));
}

DIVISI_TEST(UnequalNodes)

}  // namespace unequal_nodes_test

#include "unequal_nodes_test.moc"
