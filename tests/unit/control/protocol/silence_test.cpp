// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/silence.h"

#include "tests/support/test_program.h"

namespace silence_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::hours, std::chrono::milliseconds, std::chrono::seconds;

/// Tests which peers are silent, and which peers only seem silent because the orchestrator did not listen.
class SilenceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void peer_without_messages_is_silent();
    void pause_of_this_process_declares_no_peer_silent();
    void pause_at_the_limit_declares_no_peer_silent();
    void repeated_pauses_only_delay_the_detection_of_silence();
    void forgotten_peers_are_not_reported();
    void lived_time_never_decreases();

private:
    /// Checks at every heartbeat for `time` and returns the last result.
    static std::vector<PeerId> poll(SilenceDetector& detector, TimePoint& now, Duration time) {
        std::vector<PeerId> found;
        for (const TimePoint until = now + time; now < until;) found = detector.silent(now += heartbeat_interval);
        return found;
    }
    inline static const PeerId talker{1}, mute{2};
};

void SilenceTest::peer_without_messages_is_silent() {
    SilenceDetector detector;
    TimePoint now{hours(1)};
    detector.hear(talker, now);
    detector.hear(mute, now);
    QVERIFY(poll(detector, now, peer_timeout).empty());
    detector.hear(talker, now);
    QCOMPARE(poll(detector, now, heartbeat_interval), std::vector<PeerId>{mute});
    detector.hear(mute, now);
    QVERIFY(poll(detector, now, heartbeat_interval).empty());
}

void SilenceTest::pause_of_this_process_declares_no_peer_silent() {
    for (const Duration pause : {Duration(seconds(3)), Duration(seconds(20)), Duration(hours(10))}) {
        SilenceDetector detector;
        TimePoint now{hours(1)};
        detector.hear(mute, now);
        QVERIFY(poll(detector, now, peer_timeout / 2).empty());
        QVERIFY(detector.silent(now += pause).empty());
        // After the pause, the messages of the peers are read one by one.
        detector.hear(mute, now += milliseconds(1));
        QVERIFY(poll(detector, now, peer_timeout).empty());
    }
}

/// The silence before the pause and the part of the pause that counts as lived time together exceed the limit. A
/// message that arrived during the pause is unread.
void SilenceTest::pause_at_the_limit_declares_no_peer_silent() {
    SilenceDetector detector;
    TimePoint now{hours(1)};
    detector.hear(mute, now);
    QVERIFY(poll(detector, now, peer_timeout - heartbeat_interval).empty());
    QVERIFY(detector.silent(now += seconds(3)).empty());
    detector.hear(mute, now);
    QVERIFY(poll(detector, now, peer_timeout).empty());
}

void SilenceTest::repeated_pauses_only_delay_the_detection_of_silence() {
    SilenceDetector detector;
    TimePoint now{hours(1)};
    detector.hear(mute, now);
    // A loop that is delayed again and again still reaches a verdict.
    int rounds = 0;
    while (detector.silent(now += seconds(7)).empty()) ++rounds;
    // One more round than the time requires: the first verdict may be due to a pause of the process itself.
    QCOMPARE(rounds, static_cast<int>(peer_timeout / LivedTime::longest_step) + 1);
}

void SilenceTest::forgotten_peers_are_not_reported() {
    SilenceDetector detector;
    TimePoint now{hours(1)};
    detector.hear(mute, now);
    detector.forget(mute);
    QVERIFY(poll(detector, now, 3 * peer_timeout).empty());
}

void SilenceTest::lived_time_never_decreases() {
    LivedTime time;
    const TimePoint now{hours(1)};
    QCOMPARE(time.at(now), now);
    QCOMPARE(time.at(now - seconds(5)), now);
    QCOMPARE(time.at(now), now + LivedTime::longest_step);  // bounded, however the clock jumps
    QCOMPARE(time.at(now + milliseconds(100)), now + LivedTime::longest_step + milliseconds(100));
}

DIVISI_TEST(SilenceTest)

}  // namespace silence_test

#include "silence_test.moc"
