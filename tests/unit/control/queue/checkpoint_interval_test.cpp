// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/checkpoint_interval.h"

#include <cmath>

#include "backend/control/state/faults.h"
#include "tests/support/test_program.h"

namespace checkpoint_interval_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::hours, std::chrono::milliseconds, std::chrono::seconds;

namespace {

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

bool about(Duration duration, double expected_s) {
    return std::abs(in_seconds(duration) - expected_s) < 0.001 * expected_s;
}

}  // namespace

/// Compares checkpoint intervals with values computed by hand.
class CheckpointIntervalTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void interval_follows_youngs_formula();
    void interval_stays_within_its_bounds();
    void fault_rate_without_observed_faults_is_one_a_week_per_node();
    void observed_faults_count_less_as_time_passes();

private:
    const TimePoint now_{hours(1000)};
};

void CheckpointIntervalTest::interval_follows_youngs_formula() {
    // sqrt(2 * 0.5 s * 10,000 s) = 100 s; sqrt(2 * 0.008 s * 40,000 s) = sqrt(640) s.
    QVERIFY(about(checkpoint_interval(milliseconds(500), seconds(10'000)), 100));
    QVERIFY(about(checkpoint_interval(milliseconds(8), seconds(40'000)), 25.2982));
}

void CheckpointIntervalTest::interval_stays_within_its_bounds() {
    QCOMPARE(checkpoint_interval(Duration(0), hours(168)), Duration(seconds(5)));
    QCOMPARE(checkpoint_interval(milliseconds(-3), hours(168)), Duration(seconds(5)));
    QCOMPARE(checkpoint_interval(milliseconds(1), seconds(100)), Duration(seconds(5)));
    QCOMPARE(checkpoint_interval(seconds(30), hours(168)), Duration(seconds(600)));
}

void CheckpointIntervalTest::fault_rate_without_observed_faults_is_one_a_week_per_node() {
    QCOMPARE(in_seconds(mean_time_between_faults({NodeFaults{}}, now_)), 604'800.0);
    QVERIFY(about(mean_time_between_faults(std::vector<NodeFaults>(4), now_), 151'200));
    QVERIFY(about(mean_time_between_faults({}, now_), 604'800));
}

void CheckpointIntervalTest::observed_faults_count_less_as_time_passes() {
    NodeFaults lost;
    add_loss(lost, now_);
    // 1 / 604,800 s + ln 2 / 86,400 s = 1.65344e-6 + 8.02254e-6 a second.
    QVERIFY(about(mean_time_between_faults({lost}, now_), 103'349));
    // A day later the loss counts half: 1.65344e-6 + 4.01127e-6.
    QVERIFY(about(mean_time_between_faults({lost}, now_ + hours(24)), 176'532));
    NodeFaults failed;
    add_failure(failed, now_);
    // Two nodes; an instance's failure counts a quarter: 2 * 1.65344e-6 + 2.00563e-6.
    QVERIFY(about(mean_time_between_faults({failed, NodeFaults{}}, now_), 188'235));
}

DIVISI_TEST(CheckpointIntervalTest)

}  // namespace checkpoint_interval_test

#include "checkpoint_interval_test.moc"
