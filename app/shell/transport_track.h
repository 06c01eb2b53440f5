// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSlider>
#include <vector>

#include "app/client/recorded_cluster.h"

namespace divisi::shell {

/// The length of a recording, or of what is kept of the past, with its marks: steps as fine ticks, re-cuts, faults and
/// incidents each with a sign and a colour of its own. Its value is the moment, in ms since the begin.
class TransportTrack : public QSlider {
    Q_OBJECT
public:
    explicit TransportTrack(QWidget* parent = nullptr);

    void set_marks(const std::vector<client::RecordingMark>& marks);
    /// The mark, but no step, nearest to a position of the widget; null where none is near.
    const client::RecordingMark* mark_at(QPoint position) const;
    /// Goes to the next mark that is no step (direction 1) or to the one before (-1); false where there is none.
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

/// "Re-cut", "Fault", "Incident": what a mark is, in words.
QString mark_text(client::RecordingMark::Kind kind);

}  // namespace divisi::shell
