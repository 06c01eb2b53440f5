// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/step_records.h"

#include <cmath>

#include "tests/unit/instance/compiled_plan.h"

namespace step_records_test {

using namespace divisi;
using namespace divisi::instance;
using testing::small_plan;

namespace {

TimePoint at(std::int64_t ms) { return TimePoint(std::chrono::milliseconds(ms)); }
graph::HostTensor number(float value) { return graph::HostTensor::of<float>(graph::DType::float32, {}, {value}); }

}  // namespace

class StepRecordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void step_is_timed_from_the_end_of_the_last_one();
    void evaluation_is_averaged_and_its_time_is_in_no_step();
    void nonfinite_loss_ends_the_training();
    void series_of_nonfinite_losses_is_reported_once();
};

void StepRecordsTest::step_is_timed_from_the_end_of_the_last_one() {
    StepRecords records(small_plan(), 3);
    records.begin(0, at(100));
    const auto first = records.finish_step(1, {0.5F}, {}, at(110));
    QVERIFY(first.step == 1 && first.loss == 0.5F && first.generation == 3 && first.heads.empty());
    QCOMPARE(first.step_ms, 10.0);
    QCOMPARE(first.samples_per_s, 800.0);
    QCOMPARE(records.finish_step(2, {0.5F}, {}, at(130)).step_ms, 20.0);
}

void StepRecordsTest::evaluation_is_averaged_and_its_time_is_in_no_step() {
    StepRecords records(small_plan(), 1);
    records.begin(0, at(0));
    // The first tensor is an output, then the loss and the accuracy follow.
    records.add_evaluation({number(9), number(1), number(0.5F)}, 1);
    records.add_evaluation({number(9), number(3), number(1)}, 1);
    const auto record = records.finish_evaluation(2, at(50));
    QCOMPARE(record.loss, 2.0F);
    QCOMPARE(record.accuracy.value(), 0.75);
    QCOMPARE(records.finish_step(3, {}, {}, at(60)).step_ms, 10.0);
    records.add_evaluation({number(4), number(0)}, 0);
    QCOMPARE(records.finish_evaluation(4, at(70)).loss, 4.0F);
}

void StepRecordsTest::nonfinite_loss_ends_the_training() {
    StepRecords records(small_plan(), 1);
    control::StepRecord record;
    record.loss = std::nanf("");
    const auto ended = records.check(record, [](const Error&) { QFAIL("it is reported"); });
    QVERIFY(!ended);
    QVERIFY(ended.error().next.ends_with("; with train.nonfinite = \"continue\" the training continues"));
}

void StepRecordsTest::series_of_nonfinite_losses_is_reported_once() {
    StepRecords records(small_plan(testing::small_task().set("train.nonfinite", "continue")), 1);
    int told = 0;
    const auto report = [&](const Error&) { ++told; };
    control::StepRecord good, bad;
    bad.loss = std::nanf("");
    for (const auto& record : {bad, bad, good, bad}) QVERIFY(records.check(record, report));
    QCOMPARE(told, 2);
    control::EvalRecord evaluation;
    evaluation.loss = std::nanf("");
    QVERIFY(records.check(evaluation, report));
    QCOMPARE(told, 3);
}

DIVISI_TEST(StepRecordsTest)

}  // namespace step_records_test

#include "step_records_test.moc"
