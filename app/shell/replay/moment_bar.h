// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <functional>
#include <vector>

#include "app/client/past_client.h"
#include "app/model/tracking/time_cursor.h"
#include "app/shell/replay/transport_track.h"

namespace divisi::shell {

/// Shows the displayed time, and has a menu to pause, go back, play at a chosen speed, and return to now.
class TimeCursorButton : public QToolButton {
    Q_OBJECT
public:
    /// `cursor` must outlive this object.
    explicit TimeCursorButton(model::TimeCursor& cursor, QWidget* parent = nullptr);

    /// Pauses the cursor, or resumes it from its position.
    static void toggle(model::TimeCursor& cursor);

    QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    QAction* offer(const char* name, std::function<void()> what);
    void refresh();
    void retranslate();

    model::TimeCursor& cursor_;
    QAction *toggle_, *back_, *live_;
    std::vector<QAction*> speeds_;
};

/// A bar in the status bar that controls the displayed time of a window on a cluster. It has a pause button, a track
/// from the earliest kept time to now, a button that returns to now, and a label with the time and a menu.
class MomentBar : public QWidget {
    Q_OBJECT
public:
    /// All arguments must outlive this object; `client` is the live client. If `client` and `past` are null, the bar is
    /// shown only while the displayed time is in the past.
    MomentBar(model::TimeCursor& cursor, const client::Client* client, const client::PastClient* past,
              QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void refresh();
    void show_track();
    void show_icons();
    void go(int ms);
    void retranslate();

    model::TimeCursor& cursor_;
    const client::Client* client_;
    const client::PastClient* past_;
    QToolButton *pause_, *now_;
    TransportTrack* track_;
    TimeCursorButton* sign_;
    TimePoint begin_{};  ///< start of the track
    QTimer passing_;
    bool shown_moving_ = false;
};

}  // namespace divisi::shell
