// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/failure_detector.h"

#include <algorithm>
#include <cmath>

#include "tests/support/test_program.h"

namespace failure_detector_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::hours, std::chrono::milliseconds, std::chrono::seconds;

namespace {

const PeerId peer{1}, other{2};

/// A detector in a process that steps every 100 ms.
struct Watch {
    FailureDetector detector;
    TimePoint now{hours(1)}, lived{hours(1)};

    Watch() { detector.live(now, lived); }
    void pass(Duration time) {
        constexpr Duration step = milliseconds(100);
        for (Duration rest = time; rest > Duration(0); rest -= step) {
            now += std::min(rest, step);
            lived += std::min(rest, step);
            detector.live(now, lived);
        }
    }
    /// Stops this process. Only one second of the pause counts as lived time.
    void stop(Duration time) {
        now += time;
        lived += std::min<Duration>(time, seconds(1));
        detector.live(now, lived);
    }
    void beat(int times = 10) {
        for (int i = 0; i < times; ++i) {
            pass(heartbeat_interval);
            detector.hear(peer);
        }
    }
};

}  // namespace

/// Tests whether the end of a connection proves a death.
class FailureDetectorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void phi_follows_the_normal_distribution_data();
    void phi_follows_the_normal_distribution();
    void quantile_matches_the_threshold();
    void tolerated_silence_follows_the_intervals();
    void closed_connection_of_a_regular_peer_gives_its_death_time();
    void irregular_heartbeats_are_given_more_time();
    void tolerated_silence_never_exceeds_the_timeout();
    void broken_but_unclosed_connection_is_no_sign_of_death();
    void death_of_a_peer_with_few_heartbeats_is_uncertain();
    void peer_that_closes_after_a_silence_is_not_counted_as_dead();
    void messages_delayed_by_a_partition_are_no_sign_of_life();
    void close_after_a_pause_of_this_process_is_no_sign_of_death();
    void short_pause_of_this_process_does_not_matter();
};

/// Expected: Python 3.11, -math.log10(math.erfc((t - mean) / deviation / math.sqrt(2)) / 2).
void FailureDetectorTest::phi_follows_the_normal_distribution_data() {
    QTest::addColumn<int>("silence_ms");
    QTest::addColumn<int>("mean_ms");
    QTest::addColumn<int>("deviation_ms");
    QTest::addColumn<double>("expected");
    QTest::newRow("sooner than most") << 100 << 500 << 250 << 0.024475961594410206;
    QTest::newRow("in the middle") << 500 << 500 << 250 << 0.3010299956639812;
    QTest::newRow("two deviations") << 1000 << 500 << 250 << 1.6430160801409368;
    QTest::newRow("four deviations") << 1500 << 500 << 250 << 4.499334907556478;
    QTest::newRow("four larger ones") << 3000 << 1000 << 500 << 4.499334907556478;
    QTest::newRow("eighteen deviations") << 5000 << 500 << 250 << 72.01139873406753;
}

void FailureDetectorTest::phi_follows_the_normal_distribution() {
    QFETCH(int, silence_ms);
    QFETCH(int, mean_ms);
    QFETCH(int, deviation_ms);
    QFETCH(double, expected);
    const double found = phi(milliseconds(silence_ms), milliseconds(mean_ms), milliseconds(deviation_ms));
    QVERIFY2(std::abs(found - expected) < 1e-9 * expected, qPrintable(QString::number(found, 'g', 17)));
}

/// Phi stays finite even if the probability is too small for a double.
void FailureDetectorTest::quantile_matches_the_threshold() {
    const Duration mean = seconds(1), deviation = seconds(1000);
    const auto silence = mean + std::chrono::duration_cast<Duration>(suspicious_deviations * deviation);
    QVERIFY(std::abs(phi(silence, mean, deviation) - suspicious) < 1e-6);
    QVERIFY(std::isfinite(phi(hours(1), mean, milliseconds(1))));
}

/// Expected, by Python: the mean and deviation (statistics.pstdev) of 0.4, 0.6, 0.5, 1.5, 0.5, 0.5. Phi is 8 after a
/// silence of mean + 5.612001244 * deviation = 2.7830848723518615, and phi(2.0) is 3.6914867898474633.
void FailureDetectorTest::tolerated_silence_follows_the_intervals() {
    Watch watch;
    watch.detector.hear(peer);
    for (const int interval : {400, 600, 500, 1500, 500, 500}) {
        watch.pass(milliseconds(interval));
        watch.detector.hear(peer);
    }
    const TimePoint last = watch.lived;
    watch.pass(seconds(2));
    QVERIFY(std::abs(watch.detector.suspicion(peer) - 3.6914867898474633) < 1e-6);
    const auto dead = watch.detector.end(peer, true);
    QVERIFY(dead.has_value());
    QVERIFY(std::abs(std::chrono::duration<double>(dead->from - last).count() - 2.7830848723518615) < 1e-6);
}

void FailureDetectorTest::closed_connection_of_a_regular_peer_gives_its_death_time() {
    Watch watch;
    watch.beat();
    const TimePoint last = watch.lived;
    watch.pass(milliseconds(300));
    const auto dead = watch.detector.end(peer, true);
    QVERIFY(dead.has_value());
    // 0.5 + 5.612001244 * 0.25
    QVERIFY(std::abs(std::chrono::duration<double>(dead->from - last).count() - 1.903000311) < 1e-6);
    QVERIFY(!dead->hardly_known);
    QVERIFY(watch.detector.end(peer, true)->hardly_known);  // a closed connection removes the peer's history
}

void FailureDetectorTest::irregular_heartbeats_are_given_more_time() {
    Watch regular, irregular;
    for (Watch* one : {&regular, &irregular}) one->beat();
    for (int i = 0; i < 20; ++i) {
        irregular.pass(milliseconds(i % 2 ? 100 : 1300));
        irregular.detector.hear(peer);
    }
    const auto sooner = regular.detector.end(peer, true), later = irregular.detector.end(peer, true);
    QVERIFY(sooner && later);
    QVERIFY(later->from - irregular.lived > sooner->from - regular.lived + seconds(1));
}

void FailureDetectorTest::tolerated_silence_never_exceeds_the_timeout() {
    Watch watch;
    watch.detector.hear(peer);
    for (int i = 0; i < 100; ++i) {
        watch.pass(i % 2 ? seconds(4) : Duration(milliseconds(100)));
        watch.detector.hear(peer);
    }
    const auto dead = watch.detector.end(peer, true);
    QVERIFY(dead.has_value());
    QCOMPARE(dead->from - watch.lived, Duration(peer_timeout));
}

void FailureDetectorTest::broken_but_unclosed_connection_is_no_sign_of_death() {
    Watch watch;
    watch.beat();
    QVERIFY(!watch.detector.end(peer, false));
}

/// The death of a peer with few observed intervals proves little by itself. It is reported with the time after which
/// any peer with usual heartbeats counts as dead: 0.5 + 5.612001244 * 0.25.
void FailureDetectorTest::death_of_a_peer_with_few_heartbeats_is_uncertain() {
    const auto seconds_of = [](Duration time) { return std::chrono::duration<double>(time).count(); };
    Watch watch;
    const auto never = watch.detector.end(other, true);
    QVERIFY(never && never->hardly_known);
    QVERIFY(std::abs(seconds_of(never->from - watch.lived) - 1.903000311) < 1e-6);
    watch.beat(static_cast<int>(least_intervals));  // one interval fewer than required
    QCOMPARE(watch.detector.suspicion(peer), 0.0);
    const TimePoint last = watch.lived;
    watch.pass(milliseconds(300));
    const auto soon = watch.detector.end(peer, true);
    QVERIFY(soon && soon->hardly_known);
    QVERIFY(std::abs(seconds_of(soon->from - last) - 1.903000311) < 1e-6);
    // A connection that was not closed proves nothing for such a peer either.
    QVERIFY(!watch.detector.end(other, false));
    watch.beat(2);
    watch.pass(seconds(3));
    QVERIFY(!watch.detector.end(peer, true));
    watch.beat(2);
    watch.pass(seconds(3));
    watch.detector.hear(peer);
    QVERIFY(!watch.detector.end(peer, true));
}

void FailureDetectorTest::peer_that_closes_after_a_silence_is_not_counted_as_dead() {
    Watch watch;
    watch.beat();
    watch.pass(seconds(3));
    QVERIFY(watch.detector.suspicion(peer) >= suspicious);
    QVERIFY(!watch.detector.end(peer, true));
}

/// After a partition, all held-back messages arrive at the same time, followed by the end of the connection.
void FailureDetectorTest::messages_delayed_by_a_partition_are_no_sign_of_life() {
    Watch watch;
    watch.beat();
    watch.pass(seconds(5));
    for (int i = 0; i < 10; ++i) watch.detector.hear(peer);
    QVERIFY(watch.detector.suspicion(peer) < suspicious);
    QVERIFY(!watch.detector.end(peer, true));
    // A shorter silence does not make the peer give up.
    Watch shorter;
    shorter.beat();
    shorter.pass(seconds(2));
    QVERIFY(shorter.detector.suspicion(peer) >= suspicious);
    shorter.detector.hear(peer);
    QVERIFY(shorter.detector.end(peer, true).has_value());
    // Long after the silence, the peer is judged like any other.
    Watch again;
    again.beat();
    again.pass(seconds(5));
    again.detector.hear(peer);
    again.beat(12);
    QVERIFY(again.detector.end(peer, true).has_value());
}

void FailureDetectorTest::close_after_a_pause_of_this_process_is_no_sign_of_death() {
    Watch watch;
    watch.beat();
    watch.stop(seconds(9));
    QVERIFY(!watch.detector.end(peer, true));
    Watch later;
    later.beat();
    later.stop(seconds(9));
    later.beat(12);
    QVERIFY(later.detector.end(peer, true).has_value());
}

void FailureDetectorTest::short_pause_of_this_process_does_not_matter() {
    Watch watch;
    watch.beat();
    watch.stop(seconds(1));
    QVERIFY(watch.detector.end(peer, true).has_value());
}

DIVISI_TEST(FailureDetectorTest)

}  // namespace failure_detector_test

#include "failure_detector_test.moc"
