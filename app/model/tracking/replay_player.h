// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <algorithm>

#include "app/client/replay_client.h"
#include "app/model/tracking/time_cursor.h"

namespace divisi::model {

/// Plays a recording: keeps the time cursor between its start and end, and makes the client show the cursor's time. If
/// times are requested faster than they can be shown, some are skipped.
class ReplayPlayer : public QObject {
    Q_OBJECT
public:
    /// The cursor's clock must not stop at the recording's end; ReplayClient::now() meets this condition. `client` and
    /// `cursor` must outlive this object.
    ReplayPlayer(client::ReplayClient& client, TimeCursor& cursor, QObject* parent = nullptr);

    const client::ReplayClient& client() const { return client_; }
    TimeCursor& cursor() { return cursor_; }
    TimePoint begin() const { return client_.begin(); }
    TimePoint end() const { return client_.end(); }
    TimePoint at() const { return std::min(cursor_.at(), end()); }
    bool playing() const { return cursor_.mode() == TimeCursor::Mode::playing; }

public Q_SLOTS:
    /// Plays from the current position; at the end, from the start.
    void play();
    void pause();
    void toggle();
    /// Sets the speed, 0.25 to 64. A playing recording continues to play.
    void set_speed(double speed);
    void go(divisi::TimePoint at);
    void go_end();
    /// Shows the cursor's time immediately, instead of waiting for the event loop.
    void show();

Q_SIGNALS:
    /// The time, the speed, or the playing state has changed.
    void changed();

private:
    void moved();
    void mode_changed();

    client::ReplayClient& client_;
    TimeCursor& cursor_;
    QTimer tick_, pending_;
    bool ending_ = false;
};

}  // namespace divisi::model
