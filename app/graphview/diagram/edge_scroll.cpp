// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/edge_scroll.h"

#include <QTimerEvent>

namespace divisi::graphview {

namespace {

/// Distance in pixels from an edge of the viewport within which a gesture scrolls, and the pixels per scroll step.
constexpr int scroll_edge = 32, scroll_step = 18;

}  // namespace

void EdgeScroll::follow(QPoint pointer) {
    pointer_ = pointer;
    const QRect inside = viewport_.rect().adjusted(0, scroll_edge, 0, -scroll_edge);
    const bool scroll = pointer.y() < inside.top() || pointer.y() > inside.bottom() || sideways() != 0;
    if (scroll && !timer_.isActive()) timer_.start(30, this);
    if (!scroll) timer_.stop();
}

/// Returns -1 near the left edge and 1 near the right edge, because folded rows may be wider than the view; otherwise
/// 0.
int EdgeScroll::sideways() const {
    if (!canvas_.layout().folded()) return 0;
    return pointer_.x() < scroll_edge ? -1 : pointer_.x() > viewport_.width() - scroll_edge ? 1 : 0;
}

void EdgeScroll::timerEvent(QTimerEvent* event) {
    if (event->timerId() != timer_.timerId()) return QObject::timerEvent(event);
    const int by = pointer_.y() < viewport_.height() / 2 ? -scroll_step : scroll_step;
    const bool at_end = pointer_.y() < scroll_edge || pointer_.y() > viewport_.height() - scroll_edge;
    camera_.scroll_by({sideways() * scroll_step, at_end ? by : 0});
    Q_EMIT scrolled();
}

}  // namespace divisi::graphview

#include "moc_edge_scroll.cpp"
