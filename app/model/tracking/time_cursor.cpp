// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/time_cursor.h"

#include <algorithm>
#include <utility>

namespace divisi::model {

namespace {

Duration times(Duration duration, double factor) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::nano>(duration) * factor);
}

}  // namespace

TimeCursor::TimeCursor(Now now, QObject* parent) : QObject(parent), now_(std::move(now)), at_(now_()), since_(at_) {}

TimePoint TimeCursor::at() const { return at_; }

void TimeCursor::set_earliest(TimePoint earliest) {
    earliest_ = earliest;
    if (at_ < earliest_ && !live()) put(earliest_);
}

void TimeCursor::set(TimePoint at) {
    const TimePoint end = now_();
    since_ = end;
    become(live() ? Mode::paused : mode_, std::clamp(at, std::min(earliest_, end), end));
}

void TimeCursor::go_live() {
    since_ = now_();
    become(Mode::live, since_);
}

void TimeCursor::play(double speed) {
    if (speed != 0) speed_ = speed;
    tick();
    if (live() && speed_ > 0) return;
    become(Mode::playing, at_);
}

void TimeCursor::pause() {
    tick();
    become(Mode::paused, at_);
}

void TimeCursor::tick() {
    const TimePoint now = now_();
    const Duration passed = now - std::exchange(since_, now);
    if (mode_ == Mode::paused) return;
    if (mode_ == Mode::live) return put(now);
    const TimePoint to = at_ + times(passed, speed_);
    if (to >= now && speed_ > 0) become(Mode::live, now);
    else if (to <= earliest_) become(Mode::paused, earliest_);
    else put(std::min(to, now));
}

/// Sets mode and time together before any signal, so that no receiver reads an inconsistent state.
void TimeCursor::become(Mode mode, TimePoint at) {
    const bool another_mode = std::exchange(mode_, mode) != mode;
    const bool another_moment = std::exchange(at_, at) != at;
    if (another_mode) Q_EMIT modeChanged();
    if (another_moment) Q_EMIT moved();
}

void TimeCursor::put(TimePoint at) { become(mode_, at); }

}  // namespace divisi::model

#include "moc_time_cursor.cpp"
