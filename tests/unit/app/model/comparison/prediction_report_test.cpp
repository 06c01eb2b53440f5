// SPDX-License-Identifier: GPL-3.0-or-later
// Tests what a run shows about its prices, and which of its unmeasured prices this machine can measure.
#include "app/model/comparison/run_prediction.h"

#include "backend/process/gpus.h"
#include "tests/support/test_program.h"

namespace prediction_report_test {

using namespace divisi;
using namespace divisi::model;

namespace {

price::PredictedStage stage(std::string device, double measured) {
    price::PredictedStage stage;
    stage.device = std::move(device);
    stage.work_ms = 1;
    stage.profiled_share = measured;
    return stage;
}

/// Returns a prediction of a 40 ms step.
price::Prediction prediction(std::vector<price::PredictedStage> stages) {
    price::Prediction prediction;
    prediction.step_ms = 40;
    for (const price::PredictedStage& one : stages)
        prediction.profiled_share += one.profiled_share / static_cast<double>(stages.size());
    prediction.stages = std::move(stages);
    return prediction;
}

void add_node(control::ClusterState& cluster, const std::string& name, control::Device device) {
    control::NodeView node;
    node.info.id = NodeId(name);
    node.info.devices = {std::move(device)};
    cluster.nodes[node.info.id] = node;
}

/// Returns a cluster with one node like this machine and one unlike it.
control::ClusterState two_nodes() {
    control::ClusterState cluster;
    add_node(cluster, "mic-1/node-1", {"cpu", process::device_type("cpu"), 4});
    add_node(cluster, "mic-2/node-1", {"cpu", "a processor of another maker", 4});
    return cluster;
}

}  // namespace

class PredictionReportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void first_unmeasured_stage_is_measured_next() {
        const control::ClusterState nowhere;
        QCOMPARE(measurable(prediction({stage("cpu", 0), stage("cuda:0", 0)}), nowhere), (Measurable{0, "cpu", {}}));
        QCOMPARE(measurable(prediction({stage("cpu", 1), stage("cuda:0", 0)}), nowhere), (Measurable{1, "cuda:0", {}}));
        QCOMPARE(measurable(prediction({stage("cpu", 1), stage("cuda:0", 1)}), nowhere), Measurable());
        price::Prediction idle = prediction({stage("cpu", 0)});
        idle.stages[0].work_ms = 0;
        QCOMPARE(measurable(idle, nowhere), Measurable());
    }
    void devices_that_cannot_be_measured_here_are_named() {
        const control::ClusterState cluster = two_nodes();
        const auto theirs = stage("mic-2/node-1 cpu", 0);
        QCOMPARE(measurable(prediction({theirs, stage("mic-1/node-1 cpu", 0)}), cluster), (Measurable{1, "cpu", {}}));
        const Measurable none = measurable(prediction({theirs, stage("mic-1/node-1 cpu", 1)}), cluster);
        QVERIFY(!none.possible());
        QVERIFY2(none.obstacle.contains(QStringLiteral("mic-2/node-1 cpu")), qPrintable(none.obstacle));
    }
    void stated_rates_are_not_measured() {
        control::ClusterState cluster;
        add_node(cluster, "mic-1/node-1", {"cpu", process::device_type("cpu"), 4, 0, 1e10, 0});
        const Measurable none = measurable(prediction({stage("mic-1/node-1 cpu", 0)}), cluster);
        QVERIFY(!none.possible());
        QVERIFY2(none.obstacle.contains(QStringLiteral("states")), qPrintable(none.obstacle));
    }
    void step_close_to_its_prediction_is_not_reported() {
        const control::ClusterState nowhere;
        QVERIFY(!prediction_report(prediction({stage("cpu", 0)}), 45, nowhere));
        QVERIFY(!prediction_report(prediction({stage("cpu", 0)}), 0, nowhere));
    }
    void report_advises_to_measure_unmeasured_prices() {
        const auto low = prediction_report(prediction({stage("cpu", 0)}), 100, {});
        QVERIFY(low && low->calls_for_measuring());
        const QString text = report_text(*low, true);
        QVERIFY2(text.startsWith(QStringLiteral("Your prices are 60")) && text.contains(QStringLiteral("too low")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("\"Measure operators\"")), qPrintable(text));
        QVERIFY(report_text(*low, false).contains(QStringLiteral("Open the task's model")));
        const auto high = prediction_report(prediction({stage("cpu", 0.5)}), 20, {});
        QVERIFY(high);
        QVERIFY(report_text(*high, true).contains(QStringLiteral("too high")));
        QVERIFY(report_text(*high, true).contains(QStringLiteral("Only 50")));
    }
    void unmeasurable_prices_are_not_offered_for_measurement() {
        const auto report = prediction_report(prediction({stage("mic-2/node-1 cpu", 0)}), 100, two_nodes());
        QVERIFY(report && !report->calls_for_measuring());
        QVERIFY(!report_text(*report, true).contains(QStringLiteral("Measure operators")));
        QVERIFY(report_text(*report, true).contains(QStringLiteral("mic-2/node-1 cpu")));
    }
    void measured_prices_with_large_errors_get_advice() {
        const auto report = prediction_report(prediction({stage("cpu", 1)}), 100, {});
        QVERIFY(report && !report->calls_for_measuring());
        QVERIFY(report_text(*report, true).contains(QStringLiteral("The prices were measured")));
    }
    void first_steps_are_excluded_from_the_measurement() {
        control::TaskView task;
        QCOMPARE(median_step_ms(task), 0.0);
        for (const double ms : {900.0, 800.0, 10.0, 30.0, 20.0})
            task.history.push_back({static_cast<std::int64_t>(task.history.size()) + 1, 0, ms, 0});
        QCOMPARE(median_step_ms(task), 20.0);
        task.plan_since = 2;  // the steps so far belong to another plan
        QCOMPARE(median_step_ms(task), 0.0);
    }
    void plan_has_its_actual_placement() {
        control::ClusterState cluster;
        control::TaskView task;
        task.id = TaskId("t");
        for (const int number : {0, 1, 2}) {
            control::InstanceView instance;
            instance.id = InstanceId("t/stage-" + std::to_string(number) + "/0");
            instance.task = task.id;
            instance.sid = Sid("t/stage-" + std::to_string(number) + "/0");
            instance.node = NodeId("n" + std::to_string(number));
            instance.stage = number;
            instance.retired = number == 2;
            cluster.instances[instance.id] = instance;
        }
        QCOMPARE(plan_of_run(task, cluster).nodes, (std::vector<std::string>{"n0", "n1"}));
    }
};

DIVISI_TEST(PredictionReportTest)

}  // namespace prediction_report_test

#include "prediction_report_test.moc"
