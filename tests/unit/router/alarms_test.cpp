// SPDX-License-Identifier: Apache-2.0
#include "agents/router/alarms.h"

#include "tests/support/test_program.h"

namespace alarms_test {

using namespace divisi;
using namespace divisi::router;
using namespace std::chrono_literals;

/// Tests when a device reports its quality before the next regular report.
class AlarmsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void growth_beyond_a_threshold_is_reported_at_once_data();
    void growth_beyond_a_threshold_is_reported_at_once();
    void latency_is_reported_when_it_exceeds_its_threshold();
    void continuing_alarms_are_rate_limited();
    void thresholds_can_be_set_and_apply_at_once();
};

void AlarmsTest::growth_beyond_a_threshold_is_reported_at_once_data() {
    QTest::addColumn<qulonglong>("retries");
    QTest::addColumn<qulonglong>("refusals");
    QTest::addColumn<bool>("raised");
    QTest::newRow("nothing new") << 0ULL << 0ULL << false;
    QTest::newRow("a few retries") << 15ULL << 0ULL << false;
    QTest::newRow("many retries") << 16ULL << 0ULL << true;
    QTest::newRow("a few refusals") << 0ULL << 7ULL << false;
    QTest::newRow("many refusals") << 0ULL << 8ULL << true;
}

void AlarmsTest::growth_beyond_a_threshold_is_reported_at_once() {
    QFETCH(qulonglong, retries);
    QFETCH(qulonglong, refusals);
    QFETCH(bool, raised);
    Alarms alarms;
    const TimePoint begin(1h);
    const QualityFigures before{100, 50, 0}, after{100 + retries, 50 + refusals, 0};
    QVERIFY(!alarms.raised_by(after, begin));  // no report has been sent yet
    alarms.reported(before, begin);
    QVERIFY(!alarms.raised_by(after, begin + 200ms));  // too soon after the last report
    QCOMPARE(alarms.raised_by(after, begin + 300ms), raised);
    alarms.reported(after, begin + 300ms);
    QVERIFY(!alarms.raised_by(after, begin + 600ms));
}

void AlarmsTest::latency_is_reported_when_it_exceeds_its_threshold() {
    Alarms alarms;
    const TimePoint begin(1h);
    alarms.reported({0, 0, 0.1}, begin);
    QVERIFY(!alarms.raised_by({0, 0, 0.49}, begin + 300ms));
    QVERIFY(alarms.raised_by({0, 0, 0.5}, begin + 300ms));
    alarms.reported({0, 0, 0.5}, begin + 300ms);
    QVERIFY(!alarms.raised_by({0, 0, 2.0}, begin + 600ms));  // already reported
    alarms.reported({0, 0, 0.2}, begin + 600ms);
    QVERIFY(alarms.raised_by({0, 0, 2.0}, begin + 900ms));
}

void AlarmsTest::continuing_alarms_are_rate_limited() {
    Alarms alarms;
    TimePoint now(1h);
    alarms.reported({}, now);
    QualityFigures figures;
    int reports = 0;
    for (int ms = 0; ms < 1'000; ++ms) {
        now += 1ms;
        figures.retries += 10;
        if (!alarms.raised_by(figures, now)) continue;
        alarms.reported(figures, now);
        ++reports;
    }
    QCOMPARE(reports, 4);
}

void AlarmsTest::thresholds_can_be_set_and_apply_at_once() {
    Alarms alarms;
    const TimePoint begin(1h), next = begin + 300ms;
    alarms.reported({}, begin);
    const QualityFigures retried{5, 0, 0}, refused{0, 2, 0}, slow{0, 0, 0.02};
    for (const QualityFigures& figures : {retried, refused, slow}) QVERIFY(!alarms.raised_by(figures, next));
    alarms.set({5, 2, 20ms});
    for (const QualityFigures& figures : {retried, refused, slow}) QVERIFY(alarms.raised_by(figures, next));
    alarms.set({1'000, 1'000, 60s});
    QVERIFY(!alarms.raised_by({999, 999, 59}, next));
    alarms.set({});  // back to the defaults
    QVERIFY(!alarms.raised_by({15, 7, 0.4}, next) && alarms.raised_by({0, 0, 0.5}, next));
    QVERIFY(!alarms.raised_by({1'000, 1'000, 9}, begin + 200ms));  // no alarm is faster than the minimum interval
}

DIVISI_TEST(AlarmsTest)

}  // namespace alarms_test

#include "alarms_test.moc"
