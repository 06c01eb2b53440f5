// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSlider>
#include <vector>

#include "app/client/recorded_cluster.h"

namespace divisi::shell {

/// Shows the time range of a recording, or of the data kept of a running cluster, with marks for events. Steps are fine
/// ticks; re-cuts, faults and incidents each have a sign and a colour. The slider's value is in ms since the start.
class TransportTrack : public QSlider {
    Q_OBJECT
public:
    explicit TransportTrack(QWidget* parent = nullptr);

    void set_marks(const std::vector<client::RecordingMark>& marks);
    /// Returns the mark nearest to a position in the widget, ignoring steps; null if none is near.
    const client::RecordingMark* mark_at(QPoint position) const;
    /// Goes to the next mark (direction 1) or to the previous one (-1), ignoring marks of steps. Returns false if there
    /// is no such mark.
    bool go_to_mark(int direction);
    QSize sizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    int x_of(int value) const;
    int value_at(int x) const;
    void paint_mark(QPainter& painter, const client::RecordingMark& mark) const;

    std::vector<client::RecordingMark> marks_;
};

/// Returns the kind of a mark in words: "Re-cut", "Injected fault", "Incident", "Step".
QString mark_text(client::RecordingMark::Kind kind);

}  // namespace divisi::shell
