// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/span_sampler.h"

#include "tests/support/test_program.h"

namespace span_sampler_test {

using namespace divisi;
using namespace divisi::instance;
using namespace std::chrono_literals;
using plan::OperationKind;

namespace {

constexpr TimePoint start{std::chrono::hours(1)};

/// A stage of two micro-batches, from `start` on. Each step takes 100 ms.
struct Stage {
    SpanSampler sampler;

    static TimePoint begin(std::int64_t step) { return start + 100ms * (step - 1); }
    /// Runs an operation between `from` and `to`, counted from the start of the step; its inputs were ready at `ready`.
    void run(std::int64_t step, OperationKind kind, int microbatch, Duration ready, Duration from, Duration to,
             std::int32_t unit = 0) {
        sampler.add(unit,
                    {{kind, microbatch, {}, {}}, step, begin(step) + ready, begin(step) + from, begin(step) + to});
    }
    std::optional<control::InstanceSpans> step(std::int64_t number) {
        run(number, OperationKind::forward, 0, 0ms, 10ms, 30ms);
        run(number, OperationKind::backward, 0, 30ms, 40ms, 80ms);
        run(number, OperationKind::optimizer, 0, 80ms, 80ms, 100ms);
        return sampler.passed(number);
    }
    /// Returns the reported steps from `first` to `last`.
    std::vector<std::int64_t> reported(std::int64_t first, std::int64_t last) {
        std::vector<std::int64_t> steps;
        for (std::int64_t number = first; number <= last; ++number)
            if (const auto report = step(number)) steps.push_back(report->step);
        return steps;
    }
};

using Steps = std::vector<std::int64_t>;

}  // namespace

/// Checks which steps an instance reports, and with which spans.
class SpanSamplerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothing_is_reported_without_a_watcher();
    void multiples_are_reported_until_the_subscription_expires();
    void step_not_watched_from_its_begin_is_not_reported();
    void times_are_relative_to_the_previous_operation();
    void prefetched_data_belong_to_their_step();
    void steps_that_follow_too_soon_are_skipped();
    void expiry_discards_the_started_step();
    void spans_that_do_not_fit_are_counted();
};

void SpanSamplerTest::nothing_is_reported_without_a_watcher() {
    Stage stage;
    QCOMPARE(stage.reported(1, 100), Steps{});
}

void SpanSamplerTest::multiples_are_reported_until_the_subscription_expires() {
    Stage stage;
    stage.sampler.watch(16, Stage::begin(81));
    QCOMPARE(stage.reported(1, 200), (Steps{16, 32, 48, 64}));  // the subscription expires at the end of step 80
    stage.sampler.watch(16, Stage::begin(300));
    QCOMPARE(stage.reported(201, 240), (Steps{208, 224, 240}));
    stage.sampler.watch(32, Stage::begin(400));
    QCOMPARE(stage.reported(241, 300), (Steps{256, 288}));
}

void SpanSamplerTest::step_not_watched_from_its_begin_is_not_reported() {
    Stage stage;
    stage.run(16, OperationKind::forward, 0, 0ms, 10ms, 30ms);
    stage.sampler.watch(16, Stage::begin(100));
    stage.run(16, OperationKind::backward, 0, 30ms, 40ms, 80ms);
    QVERIFY(!stage.sampler.passed(16));
    QCOMPARE(stage.reported(17, 40), (Steps{32}));
}

void SpanSamplerTest::times_are_relative_to_the_previous_operation() {
    Stage stage;
    stage.sampler.watch(1, Stage::begin(100));
    const auto report = stage.step(3);
    QVERIFY(report);
    QCOMPARE(report->begin, Stage::begin(3));
    QCOMPARE(report->length, Duration(100ms));
    QCOMPARE(report->spans.size(), std::size_t{3});
    QVERIFY(report->spans[1] == (control::OperationSpan{0, OperationKind::backward, 0, 40ms, 40ms}));
    QCOMPARE(report->left_out, 0U);
}

/// The data were read while the stage was still in the step before. This does not move the start of the stage's step.
void SpanSamplerTest::prefetched_data_belong_to_their_step() {
    Stage stage;
    stage.sampler.watch(4, Stage::begin(100));
    stage.run(4, OperationKind::load, 0, -200ms, -150ms, -120ms, plan::data_unit);
    (void)stage.step(3);
    const auto report = stage.step(4);
    QVERIFY(report);
    QCOMPARE(report->begin, Stage::begin(4));
    QVERIFY(report->spans[0] == (control::OperationSpan{plan::data_unit, OperationKind::load, 0, -150ms, 30ms}));
    // The step of an instance that only reads data begins as soon as its first read could start.
    stage.run(20, OperationKind::load, 0, -10ms, 0ms, 5ms, plan::data_unit);
    QCOMPARE(stage.sampler.passed(20)->begin, Stage::begin(20) - 10ms);
}

void SpanSamplerTest::steps_that_follow_too_soon_are_skipped() {
    Stage stage;
    stage.sampler.watch(1, Stage::begin(1000));
    const Steps steps = stage.reported(1, 31);
    QCOMPARE(steps, (Steps{1, 11, 21, 31}));  // control::least_span_interval
}

void SpanSamplerTest::expiry_discards_the_started_step() {
    Stage stage;
    stage.sampler.watch(16, Stage::begin(16) + 35ms);
    stage.run(16, OperationKind::forward, 0, 0ms, 10ms, 30ms);
    stage.run(16, OperationKind::backward, 0, 30ms, 40ms, 80ms);  // no client watches
    stage.sampler.watch(16, Stage::begin(100));
    stage.run(16, OperationKind::optimizer, 0, 80ms, 80ms, 100ms);
    QVERIFY(!stage.sampler.passed(16));
    QCOMPARE(stage.reported(17, 32), (Steps{32}));
}

void SpanSamplerTest::spans_that_do_not_fit_are_counted() {
    Stage stage;
    stage.sampler.watch(1, Stage::begin(100));
    const int more = 7, all = static_cast<int>(control::most_reported_spans) + more;
    for (int i = 0; i < all; ++i) stage.run(1, OperationKind::forward, i, i * 1us, i * 1us, i * 1us + 1us);
    const auto report = stage.sampler.passed(1);
    QVERIFY(report);
    QCOMPARE(report->spans.size(), control::most_reported_spans);
    QCOMPARE(report->left_out, static_cast<std::uint32_t>(more));
    QCOMPARE(report->length, Duration(all * 1us));  // the length of the step is unchanged
}

DIVISI_TEST(SpanSamplerTest)

}  // namespace span_sampler_test

#include "span_sampler_test.moc"
