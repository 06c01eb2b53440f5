// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "backend/plan/cut_choice.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace predict_step_test {

using namespace divisi;
using namespace divisi::task;

namespace {

CompiledPlan compiled(const std::vector<std::string>& settings) {
    const testing::TaskFile file =
        testing::TaskFile("t")
            .gpt(4, 48, 3, 32)
            .replace("data", {{"kind", "text"}, {"path", "x.txt"}})
            .section("train", {{"steps", 1}, {"batch", 16}, {"microbatches", 8}, {"optimizer", "adamw"}})
            .set("split.stages", 2);
    const TaskSpec spec = parse_task(file.text(), "t.toml", settings).value();
    return compile(spec, load_model(spec, {}).value()).value();
}

}  // namespace

class PredictStepTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void training_setup_has_the_settings_of_the_task();
    void placement_has_the_settings_of_the_task();
    void predicted_memory_and_flops_match_the_plan();
    void one_thread_is_slower_than_four();
};

void PredictStepTest::training_setup_has_the_settings_of_the_task() {
    const auto setup = training_setup(
        compiled({"split.schedule=gpipe", "train.clip=1.0", "train.recompute=true", "train.microbatches=4"}).spec);
    QCOMPARE(setup.schedule, std::string("gpipe"));
    QCOMPARE(setup.microbatches, 4);
    QCOMPARE(setup.optimizer_states, 2);
    QVERIFY(setup.clip && setup.recompute);
    const auto plain = training_setup(compiled({"train.optimizer=sgd"}).spec);
    QCOMPARE(plain.schedule, std::string("1f1b"));
    QVERIFY(!plain.clip && !plain.recompute && plain.optimizer_states == 0);
}

void PredictStepTest::placement_has_the_settings_of_the_task() {
    const auto together = default_placement(compiled({"place.threads=3"}));
    QCOMPARE(together.stages.size(), std::size_t{2});
    QVERIFY(!together.data);
    QCOMPARE(together.stages[1].threads, 3.0);
    QVERIFY(together.stages[0].host != together.stages[1].host);
    const auto apart = default_placement(compiled({"place.data=mic-1/node-1"}));
    QVERIFY(apart.data && apart.data->host != apart.stages[0].host);
    QCOMPARE(apart.hosts.size(), std::size_t{3});
}

void PredictStepTest::predicted_memory_and_flops_match_the_plan() {
    const CompiledPlan plan = compiled({"train.recompute=true"});
    const auto prediction = predict_step(plan, default_placement(plan));
    QVERIFY2(prediction.ok(), prediction.ok() ? "" : prediction.error().message().c_str());
    QVERIFY(prediction->step_ms > 0 && prediction->steady);
    QCOMPARE(prediction->stages.size(), std::size_t{2});
    const graph::GraphCost cost(plan.graph());
    for (std::size_t i = 0; i < 2; ++i) {
        const plan::Segment& segment = plan.partition.segments[i];
        const std::int32_t in_flight = prediction->simulation.stages[i].in_flight;
        QCOMPARE(prediction->stages[i].memory,
                 plan::stage_memory(plan.graph(), cost, segment, in_flight, 2, true).total());
        QCOMPARE(prediction->stages[i].flops, 8 * plan::segment_flops(cost, segment.nodes));
        QVERIFY(prediction->stages[i].busy_ms < prediction->step_ms);
    }
}

void PredictStepTest::one_thread_is_slower_than_four() {
    const CompiledPlan one = compiled({}), four = compiled({"place.threads=4"});
    QVERIFY(predict_step(one, default_placement(one))->step_ms > predict_step(four, default_placement(four))->step_ms);
}

DIVISI_TEST(PredictStepTest)

}  // namespace predict_step_test

#include "predict_step_test.moc"
