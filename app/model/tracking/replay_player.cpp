// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/replay_player.h"

#include <algorithm>

namespace divisi::model {

namespace {

/// Interval of updates in ms, equal to the interval at which a live client takes its mail.
constexpr int replay_tick_ms = 80;
constexpr double least_speed = 0.25, most_speed = 64;

}  // namespace

ReplayPlayer::ReplayPlayer(client::ReplayClient& client, TimeCursor& cursor, QObject* parent)
    : QObject(parent), client_(client), cursor_(cursor) {
    tick_.setInterval(replay_tick_ms);
    pending_.setSingleShot(true);
    connect(&tick_, &QTimer::timeout, &cursor_, &TimeCursor::tick);
    connect(&pending_, &QTimer::timeout, this, &ReplayPlayer::show);
    cursor_.set_earliest(client_.begin());
    cursor_.set(client_.begin());
    connect(&cursor_, &TimeCursor::moved, this, &ReplayPlayer::moved);
    connect(&cursor_, &TimeCursor::modeChanged, this, &ReplayPlayer::mode_changed);
    pending_.start(0);
}

void ReplayPlayer::play() {
    if (at() >= end()) cursor_.set(begin());
    cursor_.play();
}

void ReplayPlayer::pause() { cursor_.pause(); }
void ReplayPlayer::toggle() { playing() ? pause() : play(); }

void ReplayPlayer::set_speed(double speed) {
    const bool played = playing();
    cursor_.play(std::clamp(speed, least_speed, most_speed));
    if (!played) cursor_.pause();
    Q_EMIT changed();
}

void ReplayPlayer::go(TimePoint at) { cursor_.set(std::clamp(at, begin(), end())); }

void ReplayPlayer::go_end() {
    cursor_.pause();
    cursor_.set(end());
}

void ReplayPlayer::moved() {
    if (ending_) return;
    if (cursor_.at() > end() || (playing() && cursor_.at() == end())) {
        ending_ = true;  // prevents recursion, because pausing moves the cursor again
        cursor_.pause();
        cursor_.set(end());
        ending_ = false;
    }
    if (!pending_.isActive()) pending_.start(0);
    Q_EMIT changed();
}

/// Goes to the end of the recording and pauses if the cursor is set to live, because a recording has no live data.
void ReplayPlayer::mode_changed() {
    if (cursor_.live()) return cursor_.set(end());
    if (playing()) tick_.start();
    else tick_.stop();
    Q_EMIT changed();
}

void ReplayPlayer::show() {
    pending_.stop();
    client_.show(at());
}

}  // namespace divisi::model

#include "moc_replay_player.cpp"
