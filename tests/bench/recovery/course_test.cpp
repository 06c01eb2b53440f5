// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/recovery/course.h"

#include <cmath>

#include "tests/support/test_program.h"

namespace divisi::bench::course_test {

namespace {

QJsonObject step(int number, const QString& bits) { return {{"event", "step"}, {"step", number}, {"loss_bits", bits}}; }

/// Returns a course with steps 1 to 3, 10 ms each; the last ends at 30 ms.
Course three_steps() {
    Course course;
    course.take(step(1, "a"), 10);
    course.take(step(2, "b"), 20);
    course.take(step(3, "c"), 30);
    return course;
}

}  // namespace

class CourseTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void step_reported_late_ends_no_silence();
    void outage_is_zero_before_the_next_step();
    void repeated_steps_are_counted();
    void each_disturbance_is_measured_separately();
    void recoveries_are_counted_per_role();
    void equal_bits_give_no_difference();
    void repeated_step_with_other_bits_is_reported();
    void bits_unlike_the_reference_are_reported();
    void missing_step_is_reported();
    void computes_spread_of_values();
};

void CourseTest::step_reported_late_ends_no_silence() {
    Course course = three_steps();
    course.disturb(35);
    course.take(step(4, "d"), 36);
    course.take({{"event", "recovery"}, {"step", 3}}, 300);
    course.take(step(4, "d"), 535);
    course.take(step(5, "e"), 545);
    QCOMPARE(course.outage().until_step_ms, 500.0);
}

void CourseTest::outage_is_zero_before_the_next_step() {
    Course course = three_steps();
    course.disturb(35);
    course.take({{"event", "checkpoint"}, {"step", 3}}, 50);
    QCOMPARE(course.outage().until_step_ms, 0.0);
}

void CourseTest::repeated_steps_are_counted() {
    Course course = three_steps();
    course.disturb(35);
    for (const auto& [number, bits] : {std::pair(2, "b"), std::pair(3, "c"), std::pair(4, "d")})
        course.take(step(number, bits), 100 + number);
    QCOMPARE(course.outage().again, 2);
    QCOMPARE(course.furthest(), 4);
}

void CourseTest::each_disturbance_is_measured_separately() {
    Course course = three_steps();
    course.disturb(35);
    course.take(step(3, "c"), 1'035);
    course.disturb(2'000);
    course.take(step(4, "d"), 2'100);
    QCOMPARE(course.outage().until_step_ms, 100.0);
    QCOMPARE(course.outage().again, 0);
}

void CourseTest::recoveries_are_counted_per_role() {
    Course course = three_steps();
    QCOMPARE(course.most_recoveries(), 0);
    for (const char* instance : {"t-1/stage-0/0", "t-1/stage-1/0", "t-1/stage-0/0#2", ""})
        course.take({{"event", "recovery"}, {"step", 0}, {"instance", instance}}, 40);
    QCOMPARE(course.most_recoveries(), 2);
}

void CourseTest::equal_bits_give_no_difference() {
    Course course = three_steps();
    course.take(step(2, "b"), 40);
    QCOMPARE(course.difference({"a", "b", "c"}), QString());
}

void CourseTest::repeated_step_with_other_bits_is_reported() {
    Course course = three_steps();
    course.take(step(2, "x"), 40);
    course.take(step(3, "y"), 50);
    QCOMPARE(course.difference({"a", "b", "c"}), QString("step 2 was done again with the loss bits x, not b"));
}

void CourseTest::bits_unlike_the_reference_are_reported() {
    QCOMPARE(three_steps().difference({"a", "x", "c"}), QString("step 2 has the loss bits b, the reference x"));
    QCOMPARE(three_steps().difference({"a", "b"}), QString("step 3 has the loss bits c, the reference none"));
}

void CourseTest::missing_step_is_reported() {
    Course course = three_steps();
    course.take(step(5, "e"), 40);
    QCOMPARE(course.difference({"a", "b", "c", "d", "e"}), QString("step 4 has the loss bits none, the reference d"));
}

void CourseTest::computes_spread_of_values() {
    const Spread ten = spread({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
    QCOMPARE(ten.min, 1.0);
    QCOMPARE(ten.median, 5.5);
    QCOMPARE(ten.p90, 9.0);
    QCOMPARE(ten.max, 10.0);
    const Spread one = spread({7});
    QVERIFY(one.min == 7 && one.median == 7 && one.p90 == 7 && one.max == 7);
    QVERIFY(std::isnan(spread({}).median));
}

DIVISI_TEST(CourseTest)

}  // namespace divisi::bench::course_test

#include "course_test.moc"
