// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/time_cursor.h"

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
    if (live()) be(Mode::paused);
    put(std::clamp(at, std::min(earliest_, end), end));
}

void TimeCursor::go_live() {
    since_ = now_();
    be(Mode::live);
    put(since_);
}

void TimeCursor::play(double speed) {
    if (speed != 0) speed_ = speed;
    tick();
    if (live() && speed_ > 0) return;
    be(Mode::playing);
}

void TimeCursor::pause() {
    tick();
    be(Mode::paused);
}

void TimeCursor::tick() {
    const TimePoint now = now_();
    const Duration passed = now - std::exchange(since_, now);
    if (mode_ == Mode::paused) return;
    if (mode_ == Mode::live) return put(now);
    const TimePoint to = at_ + times(passed, speed_);
    if (to >= now && speed_ > 0) {
        be(Mode::live);
        put(now);
    } else if (to <= earliest_) {
        be(Mode::paused);
        put(earliest_);
    } else {
        put(std::min(to, now));
    }
}

void TimeCursor::be(Mode mode) {
    if (mode == mode_) return;
    mode_ = mode;
    Q_EMIT modeChanged();
}

void TimeCursor::put(TimePoint at) {
    if (at == at_) return;
    at_ = at;
    Q_EMIT moved();
}

}  // namespace divisi::model
