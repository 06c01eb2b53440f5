// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_snapshot.h"

#include "app/graphview/diagram/graph_view.h"
#include "app/graphview/diagram/legend.h"

namespace divisi::graphview {

namespace {

/// Margins around the graph in a picture: the segments' labels at the left, crossing bytes at the right, title and
/// legend.
constexpr double picture_left = 216, picture_right = 216, picture_end = 32, title_height = 56, legend_height = 40;

/// Plays a picture. QPicture::play() changes the picture's read position, so `picture` is a copy, which shares the
/// data.
void play(QPicture picture, QPainter& painter) {
    painter.save();
    picture.play(&painter);
    painter.restore();
}

void paint_title(QPainter& painter, const QRectF& whole, const QString& title, const QColor& colour) {
    QFont font = painter.font();
    font.setPixelSize(20);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(QRectF(whole.left() + 16, 0, whole.width() - 32, title_height), Qt::AlignVCenter | Qt::AlignLeft,
                     title);
}

}  // namespace

QSizeF GraphSnapshot::size_of(const Layout& layout) {
    const QRectF& graph = layout.bounds();
    return {graph.width() + picture_left + picture_right,
            graph.height() + title_height + 2 * picture_end + legend_height};
}

GraphSnapshot::GraphSnapshot(const GraphView& view, const QString& title)
    : title_(title), size_(size_of(view.layout())), model_(view.scopes().model()), canvas_(view.canvas().copy()) {
    const model::Colours& colours = model::colours_of(view.palette());
    const QRectF whole(QPointF(0, 0), size_);
    const QRectF graph = view.layout().bounds();
    const QRectF middle = whole.adjusted(0, title_height, 0, -legend_height);
    to_picture_ = QTransform::fromTranslate(picture_left - graph.left(), title_height + picture_end - graph.top());
    const CutOverlay cuts(view.document(), view.layout(), colours, to_picture_, middle);
    const bool painted = view.brush().painting() || view.document().shown_painting();
    QPainter below(&below_);
    below.fillRect(whole, colours.ground);
    if (!painted) cuts.paint_tints(below);
    below.end();
    QPainter above(&above_);
    if (!painted) {
        cuts.paint_lines(above, -1, -1);
        cuts.paint_labels(above, -1, {});
    }
    paint_title(above, whole, title, colours.text);
    Legend(view).paint(above, QRectF(16, middle.bottom(), whole.width() - 32, legend_height), colours);
    above.end();
}

void GraphSnapshot::paint(QPainter& painter) const {
    play(below_, painter);
    painter.save();
    painter.setWorldTransform(to_picture_, true);
    canvas_->paint_on(painter, canvas_->boundingRect());
    painter.restore();
    play(above_, painter);
}

}  // namespace divisi::graphview
