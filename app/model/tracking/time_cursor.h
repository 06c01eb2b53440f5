// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "backend/base/clock.h"

namespace divisi::model {

/// The time that all views display: now, a paused time, or a time that advances at a chosen speed.
///
/// Reads the time only from the given clock. The cursor's owner calls tick() about ten times a second while the cursor
/// moves. Times are those of the cluster's samples: nanoseconds since the epoch.
class TimeCursor : public QObject {
    Q_OBJECT
public:
    enum class Mode {
        live,     ///< follows the clock
        paused,   ///< stays at the chosen time
        playing,  ///< moves from the chosen time at the chosen speed
    };
    using Now = std::function<TimePoint()>;

    /// Starts live. The objects that `now` uses must outlive the cursor.
    explicit TimeCursor(Now now, QObject* parent = nullptr);

    Mode mode() const { return mode_; }
    bool live() const { return mode_ == Mode::live; }
    /// Returns the time to show.
    TimePoint at() const;
    /// Returns the clock's current time, independent of the displayed time.
    TimePoint now() const { return now_(); }
    /// Returns the speed of playing: displayed seconds per real second. The speed is kept while paused.
    double speed() const { return speed_; }
    /// Returns whether tick() moves the cursor.
    bool moves() const { return mode_ != Mode::paused; }

    /// Returns the start of the past, from which playing can start: for a recording, the time of its first sample.
    TimePoint earliest() const { return earliest_; }
    void set_earliest(TimePoint earliest);

public Q_SLOTS:
    /// Goes to a time between `earliest` and now. If playing, continues from there; if live, pauses.
    void set(divisi::TimePoint at);
    void go_live();
    /// Plays from the current position at `speed` (negative: backwards; 0: keep the speed). The cursor becomes live
    /// when it reaches the current time, and pauses when it reaches the earliest time. A live cursor stays live unless
    /// the speed is negative.
    void play(double speed = 0);
    /// Pauses at the current position.
    void pause();
    /// Reads the clock and moves.
    void tick();

Q_SIGNALS:
    /// The time has changed.
    void moved();
    /// The mode has changed. If both change, this signal is sent before moved(), and at() already returns the new time.
    void modeChanged();

private:
    void become(Mode mode, TimePoint at);
    void put(TimePoint at);

    Now now_;
    Mode mode_ = Mode::live;
    double speed_ = 1;
    TimePoint at_;     ///< the cursor's time at the clock time `since_`
    TimePoint since_;  ///< last reading of the clock
    TimePoint earliest_ = TimePoint::min();
};

}  // namespace divisi::model
