// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/time_cursor.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"

namespace time_cursor_test {

using namespace divisi;
using model::TimeCursor;
using Mode = model::TimeCursor::Mode;

namespace {

TimePoint at_s(double seconds) {
    return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

}  // namespace

class TimeCursorTest : public QObject {
    Q_OBJECT
private:
    TimePoint now_;
    TimeCursor::Now clock() {
        return [this] { return now_; };
    }

private Q_SLOTS:
    void init() { now_ = at_s(100); }

    void live_cursor_follows_the_clock() {
        TimeCursor cursor(clock());
        QSignalSpy moved(&cursor, &TimeCursor::moved);
        QVERIFY(cursor.live());
        QCOMPARE(cursor.at(), at_s(100));
        cursor.tick();
        QCOMPARE(moved.count(), 0);
        now_ = at_s(101);
        cursor.tick();
        QCOMPARE(cursor.at(), at_s(101));
        QCOMPARE(moved.count(), 1);
    }

    void cursor_stays_at_a_chosen_time() {
        TimeCursor cursor(clock());
        QSignalSpy modes(&cursor, &TimeCursor::modeChanged);
        cursor.set(at_s(40));
        QCOMPARE(cursor.mode(), Mode::paused);
        QCOMPARE(modes.count(), 1);
        now_ = at_s(110);
        cursor.tick();
        QCOMPARE(cursor.at(), at_s(40));
        cursor.go_live();
        QCOMPARE(cursor.at(), at_s(110));
        QVERIFY(cursor.live());
    }

    void cursor_stays_between_the_earliest_time_and_now() {
        TimeCursor cursor(clock());
        cursor.set_earliest(at_s(20));
        cursor.set(at_s(500));
        QCOMPARE(cursor.at(), at_s(100));
        cursor.set(at_s(3));
        QCOMPARE(cursor.at(), at_s(20));
        cursor.set_earliest(at_s(30));
        QCOMPARE(cursor.at(), at_s(30));
    }

    void cursor_plays_at_the_requested_speed() {
        TimeCursor cursor(clock());
        cursor.set(at_s(40));
        cursor.play(4);
        now_ = at_s(102);
        cursor.tick();
        QCOMPARE(cursor.at(), at_s(48));
        cursor.pause();
        now_ = at_s(150);
        cursor.tick();
        QCOMPARE(cursor.at(), at_s(48));
        cursor.play();  // plays at the same speed, and does not catch up after the pause
        now_ = at_s(151);
        cursor.tick();
        QCOMPARE(cursor.at(), at_s(52));
    }

    void cursor_that_catches_up_becomes_live() {
        TimeCursor cursor(clock());
        cursor.set(at_s(90));
        cursor.play(8);
        now_ = at_s(102);
        cursor.tick();
        QVERIFY(cursor.live());
        QCOMPARE(cursor.at(), at_s(102));
    }

    void cursor_plays_backwards_to_the_earliest_time() {
        TimeCursor cursor(clock());
        cursor.set_earliest(at_s(95));
        cursor.play(-1);
        QCOMPARE(cursor.mode(), Mode::playing);
        now_ = at_s(103);
        cursor.tick();
        QCOMPARE(cursor.at(), at_s(97));
        now_ = at_s(110);
        cursor.tick();
        QCOMPARE(cursor.at(), at_s(95));
        QCOMPARE(cursor.mode(), Mode::paused);
    }

    void live_cursor_cannot_play_forwards() {
        TimeCursor cursor(clock());
        cursor.play(2);
        QVERIFY(cursor.live());
    }

    void playing_continues_from_a_set_time() {
        TimeCursor cursor(clock());
        cursor.set(at_s(10));
        cursor.play(2);
        now_ = at_s(105);
        cursor.set(at_s(50));
        QCOMPARE(cursor.mode(), Mode::playing);
        now_ = at_s(106);
        cursor.tick();
        QCOMPARE(cursor.at(), at_s(52));
    }

    /// A listener to mode changes reads the time, so the new time must be set first.
    void mode_change_is_signalled_after_the_time_is_updated() {
        TimeCursor cursor(clock());
        cursor.set_earliest(at_s(20));
        std::vector<TimePoint> told;
        connect(&cursor, &TimeCursor::modeChanged, this, [&] { told.push_back(cursor.at()); });
        const QSignalSpy moved(&cursor, &TimeCursor::moved);
        cursor.set(at_s(40));
        QCOMPARE(told.back(), at_s(40));
        cursor.play(-8);
        now_ = at_s(110);
        cursor.tick();  // stops at the earliest time
        QCOMPARE(told.back(), at_s(20));
        cursor.play(8);
        now_ = at_s(130);
        cursor.tick();  // catches up with the present
        QCOMPARE(told.back(), at_s(130));
        cursor.set(at_s(50));
        now_ = at_s(140);
        cursor.go_live();
        QCOMPARE(told.back(), at_s(140));
        QCOMPARE(told.size(), std::size_t{7});
        QCOMPARE(moved.count(), 5);
        disconnect(&cursor, nullptr, this, nullptr);
    }
};

DIVISI_TEST(TimeCursorTest)

}  // namespace time_cursor_test

#include "time_cursor_test.moc"
