// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

#include "backend/base/clock.h"

namespace divisi::model {

/// The moment that all views of the past show: now, a moment that stands still, or one that runs at some speed.
///
/// Reads the time only from the clock that it is given, and moves by tick(), which whoever owns it calls while it
/// moves (about ten times a second is enough). Times are those of the cluster's samples: nanoseconds since the epoch.
class TimeCursor : public QObject {
    Q_OBJECT
public:
    enum class Mode {
        live,     ///< follows the clock
        paused,   ///< stands at a moment
        playing,  ///< runs from a moment on
    };
    using Now = std::function<TimePoint()>;

    /// Live in the beginning. What `now` reads must outlive the cursor.
    explicit TimeCursor(Now now, QObject* parent = nullptr);

    Mode mode() const { return mode_; }
    bool live() const { return mode_ == Mode::live; }
    /// The moment to show.
    TimePoint at() const;
    /// What the clock says, whatever is shown: the end of the past.
    TimePoint now() const { return now_(); }
    /// How many seconds of the past pass in one second; kept while paused.
    double speed() const { return speed_; }
    /// Whether tick() would move it.
    bool moves() const { return mode_ != Mode::paused; }

    /// From where playing starts and what the past does not go before: of a recording, its first sample.
    TimePoint earliest() const { return earliest_; }
    void set_earliest(TimePoint earliest);

public Q_SLOTS:
    /// Stands at a moment, from `earliest` to now. A cursor that plays plays on from there; one that is live is paused.
    void set(divisi::TimePoint at);
    void go_live();
    /// Runs from where it stands, at `speed` (negative: backwards; 0: as before). Where it reaches the clock it is live
    /// again, at the earliest moment it pauses. A cursor that is live stays live, as there is nothing ahead of it,
    /// unless it is to go backwards.
    void play(double speed = 0);
    /// Stands where it is.
    void pause();
    /// Reads the clock and moves on.
    void tick();

Q_SIGNALS:
    /// The moment is another one.
    void moved();
    /// Told before moved() where both change; at() is the new moment already.
    void modeChanged();

private:
    void become(Mode mode, TimePoint at);
    void put(TimePoint at);

    Now now_;
    Mode mode_ = Mode::live;
    double speed_ = 1;
    TimePoint at_;     ///< the moment, as of `since_`
    TimePoint since_;  ///< when the clock was read last
    TimePoint earliest_ = TimePoint::min();
};

}  // namespace divisi::model
