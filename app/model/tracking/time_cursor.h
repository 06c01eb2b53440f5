// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "backend/base/clock.h"

namespace divisi::model {

/// The moment that all views of the past show: now, a paused moment, or a moment that moves at some speed.
///
/// Reads the time only from the given clock, and moves by tick(), which its owner calls while it moves (about ten times
/// a second is enough). Times are those of the cluster's samples: nanoseconds since the epoch.
class TimeCursor : public QObject {
    Q_OBJECT
public:
    enum class Mode {
        live,     ///< follows the clock
        paused,   ///< stays at a moment
        playing,  ///< moves on from a moment
    };
    using Now = std::function<TimePoint()>;

    /// Starts live. Whatever `now` reads must outlive the cursor.
    explicit TimeCursor(Now now, QObject* parent = nullptr);

    Mode mode() const { return mode_; }
    bool live() const { return mode_ == Mode::live; }
    /// Returns the moment to show.
    TimePoint at() const;
    /// Returns the clock's time, whatever is shown: the end of the past.
    TimePoint now() const { return now_(); }
    /// Returns how many seconds of the past pass per second; kept while paused.
    double speed() const { return speed_; }
    /// Returns whether tick() would move it.
    bool moves() const { return mode_ != Mode::paused; }

    /// Returns the start of the past, from which playing can start: for a recording, its first sample.
    TimePoint earliest() const { return earliest_; }
    void set_earliest(TimePoint earliest);

public Q_SLOTS:
    /// Goes to a moment between `earliest` and now. If playing, continues from there; if live, pauses.
    void set(divisi::TimePoint at);
    void go_live();
    /// Plays from the current position at `speed` (negative: backwards; 0: unchanged). On reaching the clock it becomes
    /// live, and on reaching the earliest moment it pauses. A live cursor stays live, as nothing is ahead of it, unless
    /// it is to go backwards.
    void play(double speed = 0);
    /// Pauses at the current position.
    void pause();
    /// Reads the clock and moves.
    void tick();

Q_SIGNALS:
    /// The moment has changed.
    void moved();
    /// The mode has changed. If both change, this is sent before moved(), and at() already returns the new moment.
    void modeChanged();

private:
    void become(Mode mode, TimePoint at);
    void put(TimePoint at);

    Now now_;
    Mode mode_ = Mode::live;
    double speed_ = 1;
    TimePoint at_;     ///< the moment at the time `since_`
    TimePoint since_;  ///< last reading of the clock
    TimePoint earliest_ = TimePoint::min();
};

}  // namespace divisi::model
