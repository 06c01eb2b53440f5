// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/span_watch.h"

#include "agents/instance/serving/instance_metrics.h"
#include "tests/support/test_program.h"

namespace span_watch_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

TimePoint at(std::int64_t ms) { return TimePoint(std::chrono::milliseconds(ms)); }

OperationTimes times(std::int64_t step, std::int32_t microbatch) {
    OperationTimes times;
    times.ended = {{plan::OperationKind::forward, microbatch, {}, {}}, step, at(1), at(2), at(3)};
    return times;
}

}  // namespace

/// Tests SpanWatch and InstanceMetrics, which keep measurements until they are reported.
class SpanWatchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void step_is_reported_only_while_a_client_watches();
    void metrics_keep_the_last_load_and_all_snapshots();
};

void SpanWatchTest::step_is_reported_only_while_a_client_watches() {
    SpanWatch spans;
    spans.operation_ended(times(1, 0), 2);
    QVERIFY(!spans.passed(1));
    spans.watch(1, at(1'000));
    spans.operation_ended(times(2, 0), 2);
    spans.operation_ended(times(2, 2), 2);  // an operation of the evaluation
    const auto report = spans.passed(2);
    QVERIFY(report && report->step == 2);
    QCOMPARE(report->spans.size(), std::size_t{1});
}

void SpanWatchTest::metrics_keep_the_last_load_and_all_snapshots() {
    InstanceMetrics metrics;
    QVERIFY(!metrics.completed({}).load);
    control::InstanceLoad load;
    load.step = 7;
    metrics.set_load(load);
    control::SnapshotTaken taken, failed;
    taken.step = 6;
    failed.error = Error{ErrorCode::failed, "", "", ""};
    metrics.add(taken);
    metrics.add(failed);
    const InstanceFigures figures = metrics.completed({});
    QCOMPARE(figures.load->step, 7);
    QVERIFY(figures.snapshots.taken == 1 && figures.snapshots.failed == 1 && figures.snapshots.step == 6);
    metrics.show({});  // no port was requested
}

DIVISI_TEST(SpanWatchTest)

}  // namespace span_watch_test

#include "span_watch_test.moc"
