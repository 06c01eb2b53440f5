// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/span_watch.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/runs_fixture.h"

namespace span_watch_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using namespace std::chrono_literals;

namespace {

/// A fixture with a task of two stages that trains, and a client that may watch it.
struct Gallery : RunsFixture {
    SpanWatch spans{context};
    PeerId viewer = connect("viewer");

    explicit Gallery(bool able = true) {
        train();
        for (const InstanceId& id : {first, second}) context.sessions().at(instances[id]).reports_spans = able;
    }
    Output watch(PeerId peer, const TaskId& task = the_task) {
        const WatchSpans message{task};
        spans.handle(Received{peer, 1, message}, message);
        return take();
    }
    void steps(int count, double step_ms) {
        for (int i = 0; i < count; ++i) {
            StepRecord record;
            record.step = task().step + 1;
            record.step_ms = step_ms;
            (void)say(second, StepReport{the_task, second, record});
        }
    }
    Output tick(Duration time = heartbeat_interval) {
        context.set_time(now += time);
        spans.poll();
        return take();
    }
    /// Reports a step that began at the reported time. `delay` is the time until the report arrived.
    void report(const InstanceId& id, std::int64_t step, Duration delay = 1ms, Duration clock_off = 0ms,
                std::uint64_t dropped = 0) {
        SpanReport message;
        message.spans.task = the_task;
        message.spans.instance = id;
        message.spans.step = step;
        message.spans.sent = now - delay + clock_off;
        message.spans.begin = message.spans.sent - 10ms;
        message.spans.dropped = dropped;
        message.spans.spans = {{0, plan::OperationKind::forward, 0, 1ms, 2ms}};
        spans.handle(Received{instances[id], 0, message}, message);
    }
    std::vector<ReportSpans> ordered(const Output& output, const InstanceId& id) {
        return sent<ReportSpans>(output, instances[id]);
    }
};

}  // namespace

/// Tests that spans are reported while a client watches, and that they are sent to the watching clients.
class SpanWatchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reported_steps_are_two_seconds_apart();
    void nothing_is_ordered_before_someone_watches();
    void order_is_renewed_until_the_request_expires();
    void instance_that_cannot_report_spans_gets_no_order();
    void requests_are_checked();
    void reports_go_to_watching_clients();
    void replaced_report_is_counted();
    void clocks_are_compared_by_the_fastest_report();
};

void SpanWatchTest::reported_steps_are_two_seconds_apart() {
    QCOMPARE(reported_every(10'000), std::int64_t{1});
    QCOMPARE(reported_every(2000), std::int64_t{1});
    QCOMPARE(reported_every(1999), std::int64_t{2});
    QCOMPARE(reported_every(100), std::int64_t{32});
    QVERIFY(reported_every(1e-12) > 0);
}

void SpanWatchTest::nothing_is_ordered_before_someone_watches() {
    Gallery gallery;
    gallery.steps(3, 300);
    QVERIFY(gallery.tick().sends.empty());
    gallery.report(first, 8);
    QVERIFY(gallery.tick().sends.empty());
    QVERIFY(!sent<Done>(gallery.watch(gallery.viewer), gallery.viewer).empty());
    const auto told = gallery.ordered(gallery.tick(), first);
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].every, std::int64_t{8});
    QCOMPARE(told[0].task, the_task);
}

void SpanWatchTest::order_is_renewed_until_the_request_expires() {
    Gallery gallery;
    (void)gallery.watch(gallery.viewer);
    QVERIFY(gallery.tick().sends.empty());  // the duration of a step is not known yet
    gallery.steps(1, 5000);                 // the first step is long, since caches warm up
    QCOMPARE(gallery.ordered(gallery.tick(), second).at(0).every, std::int64_t{1});
    QVERIFY(gallery.ordered(gallery.tick(), second).empty());  // the order is still in force
    gallery.steps(1, 500);
    QCOMPARE(gallery.ordered(gallery.tick(), second).at(0).every, std::int64_t{4});
    int orders = 0;
    for (int i = 0; i < 20; ++i) {
        if (i % 4 == 0) (void)gallery.watch(gallery.viewer);
        orders += static_cast<int>(gallery.ordered(gallery.tick(), second).size());
    }
    QCOMPARE(orders, 5);                                // in ten seconds
    for (int i = 0; i < 13; ++i) (void)gallery.tick();  // the client's request expires
    for (int i = 0; i < 20; ++i) QVERIFY(gallery.tick().sends.empty());
    (void)gallery.watch(gallery.viewer);
    gallery.spans.peer_gone(gallery.viewer);
    QVERIFY(gallery.tick().sends.empty());
}

void SpanWatchTest::instance_that_cannot_report_spans_gets_no_order() {
    Gallery gallery(false);
    gallery.steps(3, 300);
    (void)gallery.watch(gallery.viewer);
    QVERIFY(gallery.tick().sends.empty());
}

void SpanWatchTest::requests_are_checked() {
    Gallery gallery;
    QCOMPARE(sent<Refused>(gallery.watch(gallery.viewer, TaskId("nothing")), gallery.viewer).at(0).error.code,
             ErrorCode::not_found);
    for (std::size_t i = 0; i < most_watched_tasks; ++i) {
        const TaskId task("other-" + std::to_string(i));
        gallery.context.append(TaskSubmitted{task, "other", "text", "/", "", {}, "me", 0});
        QVERIFY(sent<Refused>(gallery.watch(gallery.viewer, task), gallery.viewer).empty());
    }
    QCOMPARE(sent<Refused>(gallery.watch(gallery.viewer), gallery.viewer).at(0).error.code, ErrorCode::exhausted);
    // watching the same task again adds nothing
    QVERIFY(sent<Refused>(gallery.watch(gallery.viewer, TaskId("other-0")), gallery.viewer).empty());
}

void SpanWatchTest::reports_go_to_watching_clients() {
    Gallery gallery;
    const PeerId other = gallery.connect("other");
    (void)gallery.watch(gallery.viewer);
    gallery.report(first, 8);
    gallery.report(second, 8);
    const Output output = gallery.tick();
    const auto pushed = sent<SpanPush>(output, gallery.viewer);
    QCOMPARE(pushed.size(), std::size_t{2});
    QCOMPARE(pushed[0].spans.instance, first);
    QCOMPARE(pushed[0].spans.spans.size(), std::size_t{1});
    QCOMPARE(pushed[0].replaced, std::uint64_t{0});
    QVERIFY(sent<SpanPush>(output, other).empty());
    QVERIFY(output.events.empty());                                   // nothing is logged
    QVERIFY(sent<SpanPush>(gallery.tick(), gallery.viewer).empty());  // each report is pushed only once
}

void SpanWatchTest::replaced_report_is_counted() {
    Gallery gallery;
    (void)gallery.watch(gallery.viewer);
    gallery.report(first, 8, 1ms, 0ms, 3);
    gallery.report(first, 16);
    gallery.report(first, 24);
    const auto pushed = sent<SpanPush>(gallery.tick(), gallery.viewer);
    QCOMPARE(pushed.size(), std::size_t{1});
    QCOMPARE(pushed[0].spans.step, std::int64_t{24});
    QCOMPARE(pushed[0].replaced, std::uint64_t{2});
    QCOMPARE(pushed[0].spans.dropped, std::uint64_t{3});
    gallery.report(first, 32);
    QCOMPARE(sent<SpanPush>(gallery.tick(), gallery.viewer).at(0).replaced, std::uint64_t{0});
}

/// A clock is two seconds ahead, and one report arrives quickly.
void SpanWatchTest::clocks_are_compared_by_the_fastest_report() {
    Gallery gallery;
    (void)gallery.watch(gallery.viewer);
    gallery.report(first, 8, 40ms, 2s);
    QCOMPARE(sent<SpanPush>(gallery.tick(), gallery.viewer).at(0).offset, Duration(-2s + 40ms));
    gallery.report(first, 16, 1ms, 2s);
    gallery.report(second, 16, 5ms, 0ms);
    const auto pushed = sent<SpanPush>(gallery.tick(), gallery.viewer);
    QCOMPARE(pushed.at(0).offset, Duration(-2s + 1ms));
    QCOMPARE(pushed.at(1).offset, Duration(5ms));
    QVERIFY(pushed.at(0).clock != pushed.at(1).clock);
    gallery.report(first, 24, 30ms, 2s);
    QCOMPARE(sent<SpanPush>(gallery.tick(), gallery.viewer).at(0).offset, Duration(-2s + 1ms));
}

DIVISI_TEST(SpanWatchTest)

}  // namespace span_watch_test

#include "span_watch_test.moc"
