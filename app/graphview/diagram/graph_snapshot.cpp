// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_snapshot.h"

namespace divisi::graphview {

namespace {

/// Plays a picture. Playing moves the picture's read position, so each painting plays a copy, which shares the data.
void play(QPicture picture, QPainter& painter) {
    painter.save();
    picture.play(&painter);
    painter.restore();
}

}  // namespace

void GraphSnapshot::paint(QPainter& painter) const {
    play(below_, painter);
    painter.save();
    painter.setWorldTransform(to_picture_, true);
    canvas_->paint_on(painter, canvas_->boundingRect());
    painter.restore();
    play(above_, painter);
}

}  // namespace divisi::graphview
