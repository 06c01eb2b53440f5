// SPDX-License-Identifier: Apache-2.0

#include "backend/plan/schedule.h"

#include "tests/support/test_program.h"

namespace schedule_test {

using namespace divisi::plan;

class ScheduleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_pass_runs_once_and_backward_passes_ascend();
    void one_f_one_b_holds_few_microbatches();
    void longest_path_determines_the_number_of_warm_up_passes();
    void finds_schedules_by_name();
};

void ScheduleTest::every_pass_runs_once_and_backward_passes_ascend() {
    for (const std::string& name : schedule_names()) {
        for (std::int32_t stages = 1; stages <= 6; ++stages) {
            for (std::int32_t microbatches = 1; microbatches <= 16; ++microbatches) {
                const auto order = make_pass_order(name, stages, microbatches);
                QVERIFY(order.ok());
                QCOMPARE(static_cast<std::int32_t>(order->size()), stages);
                for (const auto& passes : *order) {
                    QCOMPARE(static_cast<std::int32_t>(passes.size()), 2 * microbatches);
                    std::int32_t forward = 0, backward = 0;
                    for (const Pass& pass : passes) {
                        QCOMPARE(pass.microbatch, pass.backward ? backward++ : forward++);
                        QVERIFY(backward <= forward);
                    }
                    QCOMPARE(forward, microbatches);
                }
            }
        }
    }
}

void ScheduleTest::one_f_one_b_holds_few_microbatches() {
    for (std::int32_t stages = 1; stages <= 6; ++stages) {
        for (std::int32_t microbatches = 1; microbatches <= 16; ++microbatches) {
            const auto order = one_f_one_b(stages, microbatches);
            for (std::int32_t stage = 0; stage < stages; ++stage)
                QCOMPARE(most_in_flight(order[stage]), std::min(microbatches, stages - stage));
            QCOMPARE(most_in_flight(gpipe(stages, microbatches)[0]), microbatches);
        }
    }
}

void ScheduleTest::longest_path_determines_the_number_of_warm_up_passes() {
    // Stages form 0 -> 1 -> 3 -> 4 and 0 -> 2 -> 4.
    const auto order = one_f_one_b({3, 2, 1, 1, 0}, 8);
    for (const auto& [stage, held] : {std::pair{0, 4}, {1, 3}, {2, 2}, {3, 2}, {4, 1}})
        QCOMPARE(most_in_flight(order[stage]), held);
}

void ScheduleTest::finds_schedules_by_name() {
    const auto unknown = make_pass_order("zigzag", 2, 2);
    QVERIFY(!unknown.ok());
    for (const std::string& name : schedule_names()) QVERIFY(unknown.error().message().find(name) != std::string::npos);
}

DIVISI_TEST(ScheduleTest)

}  // namespace schedule_test

#include "schedule_test.moc"
