// SPDX-License-Identifier: GPL-3.0-or-later
// Tests a step as reported by instances: one axis for all of them, and the same sums as a trace of the same operations.
#include "app/model/tracking/live_step.h"

#include <numeric>

#include "backend/plan/schedule.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/simulator.h"

namespace live_step_test {

using namespace divisi;
using namespace divisi::model;
using namespace std::chrono_literals;
using plan::OperationKind;

namespace {

constexpr TimePoint start{std::chrono::hours(1)};

price::SimulatedPlan two_stages() {
    price::SimulatedPlan plan;
    plan.programs = std::make_shared<const plan::Programs>(
        plan::make_programs(plan::test::pipeline(2, false), plan::make_pass_order("gpipe", 2, 1).value(),
                            {1, price::most_simulated_steps, 1, 0, 0}, false));
    return plan;
}

/// An operation of step 4, on the orchestrator's clock.
struct Ran {
    std::int32_t stage;
    OperationKind kind;
    Duration begin, end;
};
/// As in spans_test: the forward result of the first stage takes 10 ms to the second, the gradient 7 ms back.
const std::vector<Ran> ran{{0, OperationKind::forward, 0ms, 20ms},
                           {1, OperationKind::forward, 30ms, 50ms},
                           {1, OperationKind::backward, 50ms, 90ms},
                           {0, OperationKind::backward, 97ms, 130ms}};

/// Returns a stage's report. Its machine's clock is slow by `behind`. Its previous step ended `earlier` before `start`.
control::SpanPush report(std::int32_t stage, Duration earlier, const std::string& clock, Duration behind) {
    control::SpanPush push;
    push.spans.instance = InstanceId("t/stage-" + std::to_string(stage) + "/0");
    push.spans.step = 4;
    push.spans.begin = start - earlier - behind;
    push.clock = clock;
    push.offset = behind;
    for (const Ran& one : ran) {
        if (one.stage != stage) continue;
        push.spans.spans.push_back({stage, one.kind, 0, one.begin + earlier, one.end - one.begin});
        push.spans.length = one.end + earlier;
    }
    return push;
}

client::MeasuredStep step_of(std::vector<control::SpanPush> reports) {
    client::MeasuredStep step;
    step.step = 4;
    for (control::SpanPush& one : reports) step.instances[one.spans.instance] = std::move(one);
    return step;
}

std::int64_t ms(const TimelineSums& sums, std::size_t stage, SpanKind kind) {
    return sums.instances[stage].of(kind) / 1'000'000;
}

}  // namespace

class LiveStepTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sums_of_reported_spans_equal_those_of_a_trace() {
        const auto plan = two_stages();
        const LiveStep live =
            live_step(step_of({report(0, 0ms, "a", 0ms), report(1, 30ms, "a", 0ms)}), plan.programs.get());
        const StepSpan* step = live.timeline.step(4);
        QVERIFY(step);
        QCOMPARE(step->end_ns - step->begin_ns, std::int64_t{130'000'000});
        QCOMPARE(step->begin_ns, start.time_since_epoch().count());
        const TimelineSums sums = sum_spans(live.timeline, step->begin_ns, step->end_ns);
        QCOMPARE(ms(sums, 0, SpanKind::forward), 20);
        QCOMPARE(ms(sums, 0, SpanKind::backward), 33);
        QCOMPARE(ms(sums, 0, SpanKind::idle), 70);
        QCOMPARE(ms(sums, 0, SpanKind::wire), 7);
        // idle time counts from the start of the step, not from the end of the instance's previous step
        QCOMPARE(ms(sums, 1, SpanKind::idle), 20 + 40);
        QCOMPARE(ms(sums, 1, SpanKind::wire), 10);
        std::vector<Span> operations;
        for (const Ran& one : ran)
            operations.push_back({one.stage, kind_of(one.kind), one.kind, 0, 4,
                                  (start + one.begin).time_since_epoch().count(),
                                  (start + one.end).time_since_epoch().count()});
        const Timeline traced = make_timeline(operations, plan.programs.get());
        const TimelineSums wanted = sum_spans(traced, step->begin_ns, step->end_ns);
        QCOMPARE(sums.bubble(), wanted.bubble());
        for (const std::size_t stage : {0U, 1U}) QVERIFY(sums.instances[stage].ns == wanted.instances[stage].ns);
        QVERIFY(live_note(live, 0).isEmpty());
    }

    void times_of_two_machines_are_converted_to_one_clock() {
        const auto plan = two_stages();
        const LiveStep live =
            live_step(step_of({report(0, 0ms, "a", 0ms), report(1, 30ms, "b", 3600s)}), plan.programs.get());
        QCOMPARE(live.machines, std::size_t{2});
        const StepSpan* step = live.timeline.step(4);
        QVERIFY(step);
        QCOMPARE(step->end_ns - step->begin_ns, std::int64_t{130'000'000});
        QVERIFY(live_note(live, 0).contains(QStringLiteral("2 machines were compared")));
    }

    /// Reports of one machine have different delays. This must not shift the lanes of the machine against each other.
    void lanes_of_one_machine_have_the_same_clock_offset() {
        auto late = report(1, 30ms, "a", 0ms);
        late.offset = 15ms;
        const LiveStep live = live_step(step_of({report(0, 0ms, "a", 0ms), late}), nullptr);
        QCOMPARE(live.machines, std::size_t{1});
        const StepSpan* step = live.timeline.step(4);
        QCOMPARE(step->end_ns - step->begin_ns, std::int64_t{130'000'000});
        // Without the plan, all waits count as idle, and the timeline says so.
        QVERIFY(!live.timeline.waits_split);
        const TimelineSums sums = sum_spans(live.timeline, step->begin_ns, step->end_ns);
        QCOMPARE(ms(sums, 1, SpanKind::wire), 0);
        QCOMPARE(ms(sums, 1, SpanKind::idle), 70);
    }

    void step_of_another_plan_is_marked() {
        const auto plan = two_stages();
        client::MeasuredStep measured = step_of({report(0, 0ms, "a", 0ms), report(1, 30ms, "a", 0ms)});
        measured.generation = 2;
        const LiveStep live = live_step(measured, plan.programs.get());
        QVERIFY(live.timeline.waits_split);
        QVERIFY(live_note(live, 0, 2).isEmpty());
        const QString note = live_note(live, 0, 3);
        QVERIFY2(note.contains(QStringLiteral("generation 2, before the re-cut")), qPrintable(note));
    }

    /// The end of the step counts as a wait too, because nothing computes then.
    void sums_of_a_row_add_up_to_the_step() {
        const auto plan = two_stages();
        auto first = report(0, 0ms, "a", 0ms);
        first.spans.length += 10ms;
        const LiveStep live = live_step(step_of({first, report(1, 30ms, "a", 0ms)}), plan.programs.get());
        const StepSpan* step = live.timeline.step(4);
        QVERIFY(step);
        QCOMPARE(step->end_ns - step->begin_ns, std::int64_t{140'000'000});
        for (const SpanSums& one : sum_spans(live.timeline, step->begin_ns, step->end_ns).instances)
            QCOMPARE(std::accumulate(one.ns.begin(), one.ns.end(), std::int64_t{0}), std::int64_t{140'000'000});
    }

    void missing_operations_are_reported() {
        auto cut = report(0, 0ms, "a", 0ms);
        cut.spans.left_out = 1200;
        const LiveStep live = live_step(step_of({cut, report(1, 30ms, "a", 0ms)}), nullptr);
        const QString note = live_note(live, 5);
        QVERIFY2(note.contains(QStringLiteral("operations did not fit")), qPrintable(note));
        QVERIFY2(note.endsWith(QStringLiteral("dropped in transit: 5")), qPrintable(note));
        QVERIFY(live_step(step_of({}), nullptr).timeline.empty());
    }
};

DIVISI_TEST(LiveStepTest)

}  // namespace live_step_test

#include "live_step_test.moc"
