// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>

#include "backend/base/hash.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/simulator.h"

namespace interpreter_test {

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::pipeline;
using divisi::plan::test::Simulator;

namespace {

Programs programs(const std::string& schedule, std::int32_t stages, std::int32_t microbatches, bool skips,
                  std::int64_t steps = 3, std::int64_t eval_every = 0, std::int32_t eval_microbatches = 0) {
    const RunLength length{1, steps, microbatches, eval_every, eval_microbatches};
    return make_programs(pipeline(stages, skips), make_pass_order(schedule, stages, microbatches).value(), length,
                         skips);
}

/// Counts the actions of a kind.
template <typename T>
std::ptrdiff_t count(const std::vector<Action>& actions) {
    return std::count_if(actions.begin(), actions.end(), [](const auto& a) { return holds_alternative<T>(a); });
}

}  // namespace

class InterpreterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void finishes_with_any_delays_data();
    void finishes_with_any_delays();
    void number_of_slots_allows_the_ideal_pipeline_time_data();
    void number_of_slots_allows_the_ideal_pipeline_time();
    void passes_in_flight_stay_within_the_bound();
    void data_unit_prefetches_as_far_as_slots_allow();
    void evaluation_is_forward_only_and_numbered_after_the_step();
    void evaluation_size_may_be_given_at_the_start();
    void resumes_after_a_step_with_its_evaluation();
    void resumes_only_if_steps_are_left();
    void ignores_duplicates();
    void refuses_protocol_violations();
    void reports_what_it_waits_for_and_when_it_worked();

private:
    static void add_pipelines() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<int>("stages");
        for (const std::string& name : schedule_names())
            for (int stages = 1; stages <= 6; ++stages)
                QTest::addRow("%s %d", name.c_str(), stages) << QString::fromStdString(name) << stages;
    }
};

void InterpreterTest::finishes_with_any_delays_data() { add_pipelines(); }
void InterpreterTest::finishes_with_any_delays() {
    QFETCH(QString, schedule);
    QFETCH(int, stages);
    for (std::int32_t microbatches = 1; microbatches <= 16; ++microbatches) {
        for (const bool skips : {false, true}) {
            Simulator simulator(programs(schedule.toStdString(), stages, microbatches, skips, 3, 2, 3));
            std::uint64_t key = 7;
            const auto draw = [&key](int below) {
                key = mix(key, 1);
                return static_cast<int>(key % static_cast<std::uint64_t>(below));
            };
            simulator.duration = [&](std::int32_t, const Operation&) { return draw(9); };
            simulator.latency = [&](const TensorKey&) { return draw(30); };
            QVERIFY2(simulator.run(), simulator.failure.c_str());
            QVERIFY(simulator.all_finished());
            QCOMPARE(static_cast<int>(simulator.steps_finished.size()), 3 * (stages + 1));
            QCOMPARE(static_cast<int>(simulator.evaluations_finished.size()), stages + 1);
            for (const auto& [tensor, times] : simulator.sent) QCOMPARE(times, 1);
        }
    }
}

void InterpreterTest::number_of_slots_allows_the_ideal_pipeline_time_data() { add_pipelines(); }
void InterpreterTest::number_of_slots_allows_the_ideal_pipeline_time() {
    QFETCH(QString, schedule);
    QFETCH(int, stages);
    for (std::int32_t microbatches = 1; microbatches <= 16; ++microbatches) {
        Simulator simulator(programs(schedule.toStdString(), stages, microbatches, true, 1));
        simulator.duration = [](std::int32_t, const Operation& operation) {
            return operation.kind == OperationKind::forward ? 2 : operation.kind == OperationKind::backward ? 4 : 0;
        };
        QVERIFY2(simulator.run(), simulator.failure.c_str());
        QCOMPARE(simulator.now_, std::int64_t{6} * (microbatches + stages - 1));  // the ideal time of both schedules
    }
}

void InterpreterTest::passes_in_flight_stay_within_the_bound() {
    for (std::int32_t stages = 1; stages <= 6; ++stages) {
        Simulator simulator(programs("1f1b", stages, 12, true));
        QVERIFY2(simulator.run(), simulator.failure.c_str());
        std::vector<int> held(static_cast<std::size_t>(stages), 0), last_backward(held.size(), -1);
        for (const auto& [instance, ended] : simulator.records) {
            if (ended.operation.kind == OperationKind::optimizer) last_backward[instance] = -1;
            if (ended.operation.kind == OperationKind::forward) {
                QVERIFY(++held[instance] <= stages - instance);
            } else if (ended.operation.kind == OperationKind::backward) {
                --held[instance];
                QCOMPARE(ended.operation.microbatch, last_backward[instance] + 1);
                last_backward[instance] = ended.operation.microbatch;
            }
        }
    }
}

void InterpreterTest::data_unit_prefetches_as_far_as_slots_allow() {
    const auto plan = std::make_shared<const Programs>(programs("gpipe", 1, 2, false, 4));
    Interpreter data(plan, data_unit);
    auto actions = data.step(Begin{}, {});
    int sent = 0;
    while (data.running()) {
        actions = data.step(OperationDone{}, {});
        QVERIFY(actions.ok());
        sent += static_cast<int>(count<Send>(*actions));
    }
    QCOMPARE(sent, slots_for(data_unit, 0));  // three micro-batches; the last belongs to the second step
    QCOMPARE(data.current_step(), std::int64_t{2});
    QVERIFY(data.waiting() && data.waiting()->full == std::vector<std::int32_t>{0});
    actions = data.step(SlotFreed{{0, 1, 0}}, {});
    QVERIFY(actions.ok() && count<Start>(*actions) == 1);
}

void InterpreterTest::evaluation_is_forward_only_and_numbered_after_the_step() {
    Simulator simulator(programs("1f1b", 3, 4, true, 4, 2, 5));
    QVERIFY2(simulator.run(), simulator.failure.c_str());
    int evaluations = 0;
    for (const auto& [instance, ended] : simulator.records) {
        if (ended.operation.kind != OperationKind::evaluate) {
            QVERIFY(ended.operation.kind < OperationKind::forward || ended.operation.microbatch < 4);
            continue;
        }
        ++evaluations;
        QVERIFY(ended.operation.microbatch >= 4 && ended.operation.microbatch < 9);
        QVERIFY(ended.step == 2 || ended.step == 4);
    }
    QCOMPARE(evaluations, 3 * 5 * 2);
}

void InterpreterTest::resumes_after_a_step_with_its_evaluation() {
    const Programs whole = programs("1f1b", 3, 4, true, 5, 2, 3);
    for (const std::int64_t step : {1, 2, 3, 4}) {
        Simulator simulator(resumed_after(whole, step).value());
        QVERIFY2(simulator.run(), simulator.failure.c_str());
        QVERIFY(simulator.all_finished());
        std::set<std::int64_t> steps, evaluations;
        for (const auto& [instance, number] : simulator.steps_finished) steps.insert(number);
        for (const auto& [instance, number] : simulator.evaluations_finished) evaluations.insert(number);
        std::set<std::int64_t> expected_steps, expected_evaluations;
        for (std::int64_t number = step + 1; number <= 5; ++number) expected_steps.insert(number);
        for (const std::int64_t number : {2, 4})
            if (number >= step) expected_evaluations.insert(number);
        QVERIFY(steps == expected_steps && evaluations == expected_evaluations);
        QCOMPARE(simulator.records.front().ended.step, step % 2 == 0 ? step : step + 1);
    }
}

void InterpreterTest::resumes_only_if_steps_are_left() {
    const Programs whole = programs("1f1b", 2, 2, false, 5);
    for (const std::int64_t step : {-1, 0, 5, 6})
        QCOMPARE(resumed_after(whole, step).error().code, ErrorCode::invalid_input);
    Programs batch = whole;
    batch.length.batch_samples = 8;
    QCOMPARE(resumed_after(batch, 1).error().code, ErrorCode::invalid_input);
}

void InterpreterTest::evaluation_size_may_be_given_at_the_start() {
    const auto plan = std::make_shared<const Programs>(programs("gpipe", 1, 1, false, 1, 1, 0));
    Interpreter data(plan, data_unit);
    QVERIFY(data.step(Begin{2}, {}).ok());
    int preprocessed = 0;
    for (int i = 0; i < 20 && !data.finished(); ++i) {
        if (!data.running()) break;
        const auto actions = data.step(OperationDone{}, {});
        preprocessed += static_cast<int>(count<Send>(*actions));
    }
    QVERIFY(data.finished());
    QCOMPARE(preprocessed, 3);
}

void InterpreterTest::ignores_duplicates() {
    const auto plan = std::make_shared<const Programs>(programs("gpipe", 1, 1, false, 2));
    Interpreter stage(plan, 0);
    QVERIFY(stage.step(Begin{}, {}).ok());
    const InputArrived input{{0, 1, 0}};
    auto actions = stage.step(input, {});
    QVERIFY(actions.ok() && count<Start>(*actions) == 1);
    QVERIFY(stage.step(input, {})->empty());
    actions = stage.step(OperationDone{}, {});
    QVERIFY(actions.ok() && count<Release>(*actions) == 1);
    QVERIFY(stage.step(input, {})->empty());  // this input was consumed long ago
    while (stage.running()) QVERIFY(stage.step(OperationDone{}, {}).ok());
    QCOMPARE(stage.current_step(), std::int64_t{2});
    QVERIFY(stage.step(input, {})->empty());
    QVERIFY(!stage.running());
}

void InterpreterTest::refuses_protocol_violations() {
    const auto plan = std::make_shared<const Programs>(programs("gpipe", 2, 4, false, 2));
    Interpreter stage(plan, 0);
    QVERIFY(!stage.step(OperationDone{}, {}).ok());
    QVERIFY(!stage.step(InputArrived{{99, 1, 0}}, {}).ok());
    QVERIFY(!stage.step(InputArrived{{1, 1, 0}}, {}).ok());  // the target belongs to the last stage
    QVERIFY(!stage.step(SlotFreed{{0, 1, 0}}, {}).ok());
    for (std::int32_t m = 0; m < plan->channels[0].slots; ++m) QVERIFY(stage.step(InputArrived{{0, 1, m}}, {}).ok());
    const auto beyond = stage.step(InputArrived{{0, 1, 3}}, {});
    QVERIFY(!beyond.ok() && beyond.error().code == ErrorCode::corrupt);
    QVERIFY(stage.step(Begin{}, {}).ok());
    QVERIFY(!stage.step(Begin{}, {}).ok());
}

void InterpreterTest::reports_what_it_waits_for_and_when_it_worked() {
    const auto plan = std::make_shared<const Programs>(programs("gpipe", 1, 1, false, 1));
    Interpreter stage(plan, 0);
    QVERIFY(!stage.waiting());
    QVERIFY(stage.step(Begin{}, TimePoint(Duration(10))).ok());
    QVERIFY(stage.waiting() && stage.waiting()->missing == std::vector<std::int32_t>{0});
    QVERIFY(stage.step(InputArrived{{0, 1, 0}}, TimePoint(Duration(25))).ok());
    QVERIFY(!stage.waiting());
    const auto actions = stage.step(OperationDone{}, TimePoint(Duration(40)));
    const auto* ended = get_if<Ended>(&actions->front());
    QVERIFY(ended);
    QCOMPARE(ended->ready.time_since_epoch().count(), 10);
    QCOMPARE(ended->begin.time_since_epoch().count(), 25);
    QCOMPARE(ended->end.time_since_epoch().count(), 40);
    QCOMPARE(describe(ended->operation, ended->step), std::string("forward of micro-batch 0, step 1"));
}

DIVISI_TEST(InterpreterTest)

}  // namespace interpreter_test

#include "interpreter_test.moc"
