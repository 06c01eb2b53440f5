// SPDX-License-Identifier: Apache-2.0
#include "backend/base/clock_offset.h"

#include "tests/support/test_program.h"

namespace clock_offset_test {

using namespace divisi;
using namespace std::chrono_literals;

class ClockOffsetTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void offset_is_unknown_before_the_first_message();
    void quickest_message_determines_the_offset();
    void old_messages_are_forgotten();
    void extreme_times_are_accepted();
};

void ClockOffsetTest::offset_is_unknown_before_the_first_message() {
    QCOMPARE(ClockOffset().offset(), Duration::max());
}

/// The other clock is two seconds ahead.
void ClockOffsetTest::quickest_message_determines_the_offset() {
    ClockOffset offset;
    const TimePoint now(100s);
    QCOMPARE(offset.take(now - 40ms + 2s, now), Duration(-2s + 40ms));
    QCOMPARE(offset.take(now + 1s - 1ms + 2s, now + 1s), Duration(-2s + 1ms));
    QCOMPARE(offset.take(now + 2s - 90ms + 2s, now + 2s), Duration(-2s + 1ms));
}

/// The other clock is slower by a millisecond per second, so its offset grows steadily.
void ClockOffsetTest::old_messages_are_forgotten() {
    ClockOffset offset;
    for (int second = 0; second <= 100; ++second) {
        const TimePoint now(1000s + std::chrono::seconds(second));
        (void)offset.take(now - std::chrono::milliseconds(second), now);
        QVERIFY(offset.offset() <= std::chrono::milliseconds(second));
        QVERIFY(offset.offset() >= std::chrono::milliseconds(second) - 2 * ClockOffset::period / 1000);
    }
    const TimePoint later(2000s);  // after a silence only new messages count
    QCOMPARE(offset.take(later - 7s, later), Duration(7s));
}

void ClockOffsetTest::extreme_times_are_accepted() {
    ClockOffset offset;
    for (const TimePoint sent : {TimePoint::min(), TimePoint::max(), TimePoint{}}) {
        (void)offset.take(sent, TimePoint(100s));
        QVERIFY(offset.offset() >= -ClockOffset::most && offset.offset() <= ClockOffset::most);
    }
}

DIVISI_TEST(ClockOffsetTest)

}  // namespace clock_offset_test

#include "clock_offset_test.moc"
