// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <algorithm>

#include "app/client/replay_client.h"
#include "app/model/time_cursor.h"

namespace divisi::model {

/// Plays a recording: keeps the time cursor between its begin and its end, and has the client show the cursor's moment.
/// Moments that come faster than they can be shown are passed over.
class ReplayPlayer : public QObject {
    Q_OBJECT
public:
    /// The cursor's clock must run on behind the recording's end, as client::Client::now() does; both outlive this.
    ReplayPlayer(client::ReplayClient& client, TimeCursor& cursor, QObject* parent = nullptr);

    const client::ReplayClient& client() const { return client_; }
    TimeCursor& cursor() { return cursor_; }
    TimePoint begin() const { return client_.begin(); }
    TimePoint end() const { return client_.end(); }
    TimePoint at() const { return std::min(cursor_.at(), end()); }
    bool playing() const { return cursor_.mode() == TimeCursor::Mode::playing; }

public Q_SLOTS:
    /// From where it stands; at the end from the begin.
    void play();
    void pause();
    void toggle();
    /// 0.25 to 64; keeps on playing where it plays.
    void set_speed(double speed);
    void go(divisi::TimePoint at);
    void go_end();
    /// Shows the cursor's moment now, where that waits for the event loop otherwise.
    void show();

Q_SIGNALS:
    /// Moment, speed, or whether it plays.
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
