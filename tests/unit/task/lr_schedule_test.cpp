// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "tests/support/test_program.h"

#include "backend/task/lr_schedule.h"

namespace lr_schedule_test {

using namespace divisi::task;

class LrScheduleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void learning_rate_warms_up();
    void follows_each_schedule();
};

namespace {
TrainSection train(const std::string& schedule) {
    TrainSection section;
    section.lr = 0.8;
    section.steps = 12;
    section.warmup_steps = 4;
    section.lr_schedule = schedule;
    return section;
}
bool near(double a, double b) { return std::abs(a - b) < 1e-12; }
}  // namespace

void LrScheduleTest::learning_rate_warms_up() {
    for (const char* schedule : {"constant", "linear", "cosine", "step"}) {
        QVERIFY(near(learning_rate(train(schedule), 1), 0.2));
        QVERIFY(near(learning_rate(train(schedule), 4), 0.8));
        QVERIFY(near(learning_rate(train(schedule), 5), 0.8));
    }
    TrainSection cold = train("constant");
    cold.warmup_steps = 0;
    QVERIFY(near(learning_rate(cold, 1), 0.8));
}

void LrScheduleTest::follows_each_schedule() {
    QVERIFY(near(learning_rate(train("constant"), 1000), 0.8));
    QVERIFY(near(learning_rate(train("linear"), 9), 0.4));  // half of the 12 - 4 steps since the warm-up are done
    QVERIFY(near(learning_rate(train("linear"), 13), 0.0));
    QVERIFY(near(learning_rate(train("linear"), 99), 0.0));
    QVERIFY(near(learning_rate(train("cosine"), 9), 0.4));
    QVERIFY(near(learning_rate(train("cosine"), 7), 0.8 * (1 + std::cos(std::acos(-1.0) / 4)) / 2));
    QVERIFY(near(learning_rate(train("cosine"), 99), 0.0));
    TrainSection step = train("step");
    step.decay_steps = 3;
    step.decay_rate = 0.5;
    QVERIFY(near(learning_rate(step, 7), 0.8));
    QVERIFY(near(learning_rate(step, 8), 0.4));
    QVERIFY(near(learning_rate(step, 11), 0.2));
}

DIVISI_TEST(LrScheduleTest)

}  // namespace lr_schedule_test

#include "lr_schedule_test.moc"
