// SPDX-License-Identifier: Apache-2.0
// Tests divisictl plan, with a measured profile and with a task, as users call it.

#include "tests/support/task_file.h"
#include "tests/system/programs.h"

#include "tests/support/test_program.h"

namespace plan_test {

using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

class PlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void profile_is_cut_into_stages();
    void wrong_profiles_are_refused_data();
    void wrong_profiles_are_refused();
    void task_reports_its_distance_from_the_optimum();
    void chosen_number_of_stages_is_explained();
    void operators_are_listed_under_the_names_used_in_segments();

private:
    Programs programs_;
};

namespace {

QByteArray node(const char* id, const char* ms, const char* bytes) {
    return QByteArray(id) + " -- Op(x, y) -- forward_compute_time=" + ms +
           ", backward_compute_time=0.5, activation_size=" + bytes + ", parameter_size=0.000\r\n";
}

/// Returns a diamond: a, then b parallel to c, then d. Times with the backward pass: 1.0, 2.0, 3.0, 1.0 ms.
QByteArray diamond() {
    return node("a", "0.5", "1000.0") + node("b", "1.5", "[300.0; 200.0]") + node("c", "2.5", "400.0") +
           node("d", "0.5", "1.0") + "\ta -- b\r\n\ta -- c\r\n\tb -- d\r\n\tc -- d\r\n";
}

TaskFile small_task() { return TaskFile("plan").set("train.steps", 2); }

}  // namespace

void PlanTest::profile_is_cut_into_stages() {
    const QString file = programs_.write("diamond.txt", diamond());
    const Finished free = programs_.run({"plan", "--profile", file, "--stages", "3", "--json"});
    QCOMPARE(free.status, 0);
    const QJsonObject line = free.objects().last();
    QCOMPARE(line["objective_ms"].toDouble(), 3.0);
    QCOMPARE(line["gap"].toDouble(), 0.0);
    QCOMPARE(line["lower_bound_ms"].toDouble(), 3.0);
    QVERIFY(line["predicted_step_ms"].isNull() && line["time_ms"].isDouble());
    QCOMPARE(line["stages"].toArray().size(), 3);
    // At 1 MB/s and for both directions, b's 500 and c's 400 bytes together take 1.8 ms. The 1,000 bytes of a take 2
    // ms, and the bytes of a and b together take 3 ms.
    const Finished linked = programs_.run({"plan", "--profile", file, "--stages", "3", "--bandwidth", "1e6", "--json"});
    QCOMPARE(linked.objects().last()["objective_ms"].toDouble(), 3.0);
    // At 100 kB/s the cheapest boundary costs 18 ms, while one stage takes 7 ms.
    const Finished slow = programs_.run({"plan", "--profile", file, "--stages", "3", "--bandwidth", "1e5", "--json"});
    QCOMPARE(slow.objects().last()["objective_ms"].toDouble(), 7.0);
    QCOMPARE(slow.objects().last()["stages"].toArray().size(), 1);
    const Finished text = programs_.run({"plan", "--profile", file, "--stages", "3"});
    QVERIFY2(text.output.contains("no partition is faster"), qPrintable(text.output));
}

void PlanTest::wrong_profiles_are_refused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("message");
    const QStringList three{"--stages", "3"};
    QTest::newRow("garbage") << diamond() + "what is this\n" << three << ":9: is neither a node nor an edge";
    QTest::newRow("cycle") << diamond() + "\td -- a\n" << three << "cycle";
    QTest::newRow("negative") << node("a", "-1", "0") << three << ":1: node 'a': forward_compute_time";
    QTest::newRow("no stages") << diamond() << QStringList() << "--stages";
    QTest::newRow("zero stages") << diamond() << QStringList{"--stages", "0"} << "use at least 1";
    QTest::newRow("bandwidth") << diamond() << QStringList{"--stages", "2", "--bandwidth", "-5"} << "bandwidth";
}

void PlanTest::wrong_profiles_are_refused() {
    QFETCH(QByteArray, text);
    QFETCH(QStringList, arguments);
    QFETCH(QString, message);
    const QString file = programs_.write("wrong.txt", text);
    const Finished refused = programs_.run(QStringList{"plan", "--profile", file} + arguments);
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.errors.contains(message), qPrintable(refused.errors));
}

void PlanTest::task_reports_its_distance_from_the_optimum() {
    const QString file = programs_.write("task.toml", small_task());
    for (const char* method : {"equal-layers", "optimal", "tabu"}) {
        const Finished plan = programs_.run(
            {"plan", file, "--set", "split.stages=2", "--set", QString("split.method=") + method, "--json"});
        QVERIFY2(plan.status == 0, qPrintable(plan.errors));
        const QJsonObject line = plan.objects().last();
        QCOMPARE(line["stages"].toArray().size(), 2);
        QVERIFY(line["lower_bound_ms"].toDouble() > 0);
        QVERIFY(line["objective_ms"].toDouble() >= line["lower_bound_ms"].toDouble());
        if (QString(method) == "optimal") QCOMPARE(line["gap"].toDouble(), 0.0);
    }
}

void PlanTest::chosen_number_of_stages_is_explained() {
    const QString file = programs_.write("task.toml", small_task());
    const QStringList arguments{"plan", file, "--set", "split.method=optimal", "--set", "split.most_stages=3"};
    const Finished text = programs_.run(arguments);
    QVERIFY2(text.status == 0, qPrintable(text.errors));
    QVERIFY2(text.output.contains("BUYS"), qPrintable(text.output));
    const Finished json = programs_.run(arguments + QStringList{"--json"});
    const QJsonArray counts = json.objects().last()["stage_counts"].toArray();
    QVERIFY(counts.size() >= 2);
    QCOMPARE(counts[0].toObject()["stages"].toInt(), 1);
}

void PlanTest::operators_are_listed_under_the_names_used_in_segments() {
    const Finished plain = programs_.run({"model", "info", "zoo:mlp", "--json"});
    QVERIFY(plain.status == 0 && !plain.objects().last().contains("operators"));
    const QJsonArray operators =
        programs_.run({"model", "info", "zoo:mlp", "--operators", "--json"}).objects().last()["operators"].toArray();
    std::vector<std::string> names;
    for (const auto& entry : operators) names.push_back(entry.toObject()["node"].toString().toStdString());
    QVERIFY(names.size() > 2);
    const std::vector<std::string> first(names.begin(), names.begin() + 2), rest(names.begin() + 2, names.end());
    const QString file = programs_.write("segments.toml", small_task()
                                                              .set("split.strategy", "block")
                                                              .append("split.segment", {{"nodes", first}})
                                                              .append("split.segment", {{"nodes", rest}}));
    const Finished plan = programs_.run({"plan", file, "--json"});
    QVERIFY2(plan.status == 0, qPrintable(plan.errors));
    QCOMPARE(plan.objects().last()["stages"].toArray().size(), 2);
}

DIVISI_TEST(PlanTest)

}  // namespace plan_test

#include "plan_test.moc"
