// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/recovery/task_timeline.h"

#include <cmath>

#include "tests/support/test_program.h"

namespace divisi::bench::task_timeline_test {

namespace {

QJsonObject step(int number, const QString& bits) { return {{"event", "step"}, {"step", number}, {"loss_bits", bits}}; }

/// Returns a timeline with steps 1 to 3, 10 ms each; the last ends at 30 ms.
TaskTimeline three_steps() {
    TaskTimeline timeline;
    timeline.take(step(1, "a"), 10);
    timeline.take(step(2, "b"), 20);
    timeline.take(step(3, "c"), 30);
    return timeline;
}

}  // namespace

class TaskTimelineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void late_report_of_an_earlier_step_does_not_end_the_outage();
    void outage_is_zero_before_the_next_step();
    void repeated_steps_are_counted();
    void each_disturbance_is_measured_separately();
    void recoveries_are_counted_per_role();
    void equal_bits_give_no_difference();
    void repeated_step_with_other_bits_is_reported();
    void bits_that_differ_from_the_reference_are_reported();
    void missing_step_is_reported();
    void computes_spread_of_values();
};

void TaskTimelineTest::late_report_of_an_earlier_step_does_not_end_the_outage() {
    TaskTimeline timeline = three_steps();
    timeline.disturb(35);
    timeline.take(step(4, "d"), 36);
    timeline.take({{"event", "recovery"}, {"step", 3}}, 300);
    timeline.take(step(4, "d"), 535);
    timeline.take(step(5, "e"), 545);
    QCOMPARE(timeline.outage().until_step_ms, 500.0);
}

void TaskTimelineTest::outage_is_zero_before_the_next_step() {
    TaskTimeline timeline = three_steps();
    timeline.disturb(35);
    timeline.take({{"event", "checkpoint"}, {"step", 3}}, 50);
    QCOMPARE(timeline.outage().until_step_ms, 0.0);
}

void TaskTimelineTest::repeated_steps_are_counted() {
    TaskTimeline timeline = three_steps();
    timeline.disturb(35);
    for (const auto& [number, bits] : {std::pair(2, "b"), std::pair(3, "c"), std::pair(4, "d")})
        timeline.take(step(number, bits), 100 + number);
    QCOMPARE(timeline.outage().again, 2);
    QCOMPARE(timeline.furthest(), 4);
}

void TaskTimelineTest::each_disturbance_is_measured_separately() {
    TaskTimeline timeline = three_steps();
    timeline.disturb(35);
    timeline.take(step(3, "c"), 1'035);
    timeline.disturb(2'000);
    timeline.take(step(4, "d"), 2'100);
    QCOMPARE(timeline.outage().until_step_ms, 100.0);
    QCOMPARE(timeline.outage().again, 0);
}

void TaskTimelineTest::recoveries_are_counted_per_role() {
    TaskTimeline timeline = three_steps();
    QCOMPARE(timeline.most_recoveries(), 0);
    for (const char* instance : {"t-1/stage-0/0", "t-1/stage-1/0", "t-1/stage-0/0#2", ""})
        timeline.take({{"event", "recovery"}, {"step", 0}, {"instance", instance}}, 40);
    QCOMPARE(timeline.most_recoveries(), 2);
}

void TaskTimelineTest::equal_bits_give_no_difference() {
    TaskTimeline timeline = three_steps();
    timeline.take(step(2, "b"), 40);
    QCOMPARE(timeline.difference({"a", "b", "c"}), QString());
}

void TaskTimelineTest::repeated_step_with_other_bits_is_reported() {
    TaskTimeline timeline = three_steps();
    timeline.take(step(2, "x"), 40);
    timeline.take(step(3, "y"), 50);
    QCOMPARE(timeline.difference({"a", "b", "c"}), QString("step 2 was done again with the loss bits x, not b"));
}

void TaskTimelineTest::bits_that_differ_from_the_reference_are_reported() {
    QCOMPARE(three_steps().difference({"a", "x", "c"}), QString("step 2 has the loss bits b, the reference x"));
    QCOMPARE(three_steps().difference({"a", "b"}), QString("step 3 has the loss bits c, the reference none"));
}

void TaskTimelineTest::missing_step_is_reported() {
    TaskTimeline timeline = three_steps();
    timeline.take(step(5, "e"), 40);
    QCOMPARE(timeline.difference({"a", "b", "c", "d", "e"}), QString("step 4 has the loss bits none, the reference d"));
}

void TaskTimelineTest::computes_spread_of_values() {
    const Spread ten = spread({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
    QCOMPARE(ten.min, 1.0);
    QCOMPARE(ten.median, 5.5);
    QCOMPARE(ten.p90, 9.0);
    QCOMPARE(ten.max, 10.0);
    const Spread one = spread({7});
    QVERIFY(one.min == 7 && one.median == 7 && one.p90 == 7 && one.max == 7);
    QVERIFY(std::isnan(spread({}).median));
}

DIVISI_TEST(TaskTimelineTest)

}  // namespace divisi::bench::task_timeline_test

#include "task_timeline_test.moc"
