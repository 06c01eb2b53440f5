// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QToolBar>
#include <QToolButton>

#include "app/model/tracking/replay_player.h"
#include "app/shell/replay/transport_track.h"

namespace divisi::shell {

/// Plays a recording, below its views: play and pause, the position, the speed, and a jump to the end.
class TransportBar : public QToolBar {
    Q_OBJECT
public:
    explicit TransportBar(model::ReplayPlayer& player, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void refresh();
    void show_icons();
    void retranslate();
    int ms_since_begin(TimePoint at) const;

    model::ReplayPlayer& player_;
    QToolButton *play_, *back_, *next_, *end_;
    TransportTrack* track_;
    QLabel* time_;
    QComboBox* speed_;
    bool shown_playing_ = false;
};

}  // namespace divisi::shell
