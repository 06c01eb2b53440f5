// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/span_sampler.h"

#include "tests/support/test_program.h"

namespace span_sampler_test {

using namespace divisi;
using namespace divisi::instance;
using namespace std::chrono_literals;
using plan::OperationKind;

namespace {

constexpr TimePoint start{std::chrono::hours(1)};

/// A stage of two micro-batches whose steps take 100 ms each, from `start` on.
struct Stage {
    SpanSampler sampler;

    static TimePoint begin(std::int64_t step) { return start + 100ms * (step - 1); }
    /// An operation from `from` to `to` after the step's begin; it waited since `ready`.
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
    /// Those of steps `first` to `last` that were reported.
    std::vector<std::int64_t> reported(std::int64_t first, std::int64_t last) {
        std::vector<std::int64_t> steps;
        for (std::int64_t number = first; number <= last; ++number)
            if (const auto report = step(number)) steps.push_back(report->step);
        return steps;
    }
};

using Steps = std::vector<std::int64_t>;

}  // namespace

/// Which steps an instance reports, and what of them.
class SpanSamplerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothing_is_reported_while_nobody_watches();
    void multiples_are_reported_until_the_wish_lapses();
    void a_step_that_was_not_watched_from_its_begin_is_none();
    void times_are_those_since_what_came_before();
    void data_that_were_read_ahead_belong_to_their_step();
    void steps_that_follow_too_soon_are_left_out();
    void a_lapse_forgets_what_had_begun();
    void what_finds_no_room_is_counted();
};

void SpanSamplerTest::nothing_is_reported_while_nobody_watches() {
    Stage stage;
    QCOMPARE(stage.reported(1, 100), Steps{});
}

void SpanSamplerTest::multiples_are_reported_until_the_wish_lapses() {
    Stage stage;
    stage.sampler.watch(16, Stage::begin(81));
    QCOMPARE(stage.reported(1, 200), (Steps{16, 32, 48, 64}));  // the 80th ends as the wish does
    stage.sampler.watch(16, Stage::begin(300));
    QCOMPARE(stage.reported(201, 240), (Steps{208, 224, 240}));
    stage.sampler.watch(32, Stage::begin(400));
    QCOMPARE(stage.reported(241, 300), (Steps{256, 288}));
}

void SpanSamplerTest::a_step_that_was_not_watched_from_its_begin_is_none() {
    Stage stage;
    stage.run(16, OperationKind::forward, 0, 0ms, 10ms, 30ms);
    stage.sampler.watch(16, Stage::begin(100));
    stage.run(16, OperationKind::backward, 0, 30ms, 40ms, 80ms);
    QVERIFY(!stage.sampler.passed(16));
    QCOMPARE(stage.reported(17, 40), (Steps{32}));
}

void SpanSamplerTest::times_are_those_since_what_came_before() {
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

/// They ended while the stage was still in the step before; the step of the stage begins no earlier for that.
void SpanSamplerTest::data_that_were_read_ahead_belong_to_their_step() {
    Stage stage;
    stage.sampler.watch(4, Stage::begin(100));
    stage.run(4, OperationKind::load, 0, -200ms, -150ms, -120ms, plan::data_unit);
    (void)stage.step(3);
    const auto report = stage.step(4);
    QVERIFY(report);
    QCOMPARE(report->begin, Stage::begin(4));
    QVERIFY(report->spans[0] == (control::OperationSpan{plan::data_unit, OperationKind::load, 0, -150ms, 30ms}));
    // An instance that reads data and nothing else begins with them.
    stage.run(20, OperationKind::load, 0, -10ms, 0ms, 5ms, plan::data_unit);
    QCOMPARE(stage.sampler.passed(20)->begin, Stage::begin(20) - 10ms);
}

void SpanSamplerTest::steps_that_follow_too_soon_are_left_out() {
    Stage stage;
    stage.sampler.watch(1, Stage::begin(1000));
    const Steps steps = stage.reported(1, 31);
    QCOMPARE(steps, (Steps{1, 11, 21, 31}));  // control::least_span_interval
}

void SpanSamplerTest::a_lapse_forgets_what_had_begun() {
    Stage stage;
    stage.sampler.watch(16, Stage::begin(16) + 35ms);
    stage.run(16, OperationKind::forward, 0, 0ms, 10ms, 30ms);
    stage.run(16, OperationKind::backward, 0, 30ms, 40ms, 80ms);  // nobody watches
    stage.sampler.watch(16, Stage::begin(100));
    stage.run(16, OperationKind::optimizer, 0, 80ms, 80ms, 100ms);
    QVERIFY(!stage.sampler.passed(16));
    QCOMPARE(stage.reported(17, 32), (Steps{32}));
}

void SpanSamplerTest::what_finds_no_room_is_counted() {
    Stage stage;
    stage.sampler.watch(1, Stage::begin(100));
    const int more = 7, all = static_cast<int>(control::most_reported_spans) + more;
    for (int i = 0; i < all; ++i) stage.run(1, OperationKind::forward, i, i * 1us, i * 1us, i * 1us + 1us);
    const auto report = stage.sampler.passed(1);
    QVERIFY(report);
    QCOMPARE(report->spans.size(), control::most_reported_spans);
    QCOMPARE(report->left_out, static_cast<std::uint32_t>(more));
    QCOMPARE(report->length, Duration(all * 1us));  // the step is as long as it was
}

DIVISI_TEST(SpanSamplerTest)

}  // namespace span_sampler_test

#include "span_sampler_test.moc"
