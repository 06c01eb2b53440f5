// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/minimap.h"

#include <QEvent>
#include <QMouseEvent>
#include <algorithm>

namespace divisi::graphview {

Minimap::Minimap(GraphView& view, const model::GraphDocument& document, QWidget* parent)
    : QWidget(parent), view_(view), document_(document) {
    setObjectName(QStringLiteral("minimap"));
    setFixedWidth(88);
    setCursor(Qt::PointingHandCursor);
    connect(&view_, &GraphView::layoutChanged, this, &Minimap::redraw_rows);
    connect(&view_, &GraphView::viewChanged, this, qOverload<>(&QWidget::update));
    connect(&document_, &model::GraphDocument::cutsChanged, this, qOverload<>(&QWidget::update));
    connect(&view_.colours(), &BlockColours::changed, this, &Minimap::redraw_rows);
    connect(&view_.matches(), &SearchMatches::changed, this, &Minimap::redraw_rows);
}

void Minimap::redraw_rows() {
    rows_ = {};
    update();
}

QTransform Minimap::to_map() const {
    const QRectF scene = view_.layout().bounds();
    if (scene.isEmpty()) return {};
    constexpr double margin = 8;
    const double x = (width() - 2 * margin) / scene.width();
    const double y = std::min((height() - 2 * margin) / scene.height(), x);
    QTransform transform;
    transform.translate(margin, margin);
    transform.scale(x, y);
    transform.translate(-scene.left(), -scene.top());
    return transform;
}

void Minimap::draw_rows() {
    const double ratio = devicePixelRatioF();
    rows_ = QPixmap(size() * ratio);
    rows_.setDevicePixelRatio(ratio);
    rows_.fill(Qt::transparent);
    QPainter painter(&rows_);
    const QTransform transform = to_map();
    double drawn_to = -1;
    for (const Row& row : view_.layout().rows()) {
        const double top = transform.map(QPointF(0, row.top)).y();
        if (top < drawn_to) continue;
        drawn_to = top + 1;
        for (const ColouredPart& part : view_.colours().parts(row, 1 / transform.m11())) {
            QRectF strip = transform.mapRect(QRectF(part.left, row.top, part.right - part.left, row.bottom - row.top));
            strip.setHeight(std::max(strip.height(), 1.0));
            painter.fillRect(strip, part.colour);
        }
    }
    draw_matches(painter);
}

/// Draws each match as a line across the whole strip, because a block is only about a pixel high.
void Minimap::draw_matches(QPainter& painter) const {
    const QTransform transform = to_map();
    const auto& blocks = view_.layout().blocks();
    const QColor colour = model::colours_of(palette()).accent;
    double drawn_to = -1;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (!view_.matches().contains(static_cast<std::int32_t>(i))) continue;
        const double top = transform.map(QPointF(0, blocks[i].rect.top())).y();
        if (top < drawn_to) continue;
        drawn_to = top + 1;
        painter.fillRect(QRectF(2, top, width() - 4, 2), colour);
    }
}

void Minimap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const model::Colours& colours = model::colours_of(palette());
    painter.fillRect(rect(), colours.surface);
    if (!document_.model() || view_.layout().rows().empty()) return;
    if (rows_.isNull()) draw_rows();
    const QTransform transform = to_map();
    const auto& cuts = document_.shown_cuts();
    double from = 0;
    for (std::size_t i = 0; i <= cuts.size() && !cuts.empty(); ++i) {
        double to = height();
        if (i < cuts.size()) {
            const CutLine line = view_.layout().cut_line(document_.position(cuts[i]));
            to = transform.map(QPointF(0, line.anchor_y)).y();
        }
        QColor tint = model::segment_colour(static_cast<int>(i), colours);
        tint.setAlphaF(0.25F);
        painter.fillRect(QRectF(0, from, width(), to - from), tint);
        if (i < cuts.size()) painter.fillRect(QRectF(0, to - 1, width(), 2), colours.text);
        from = to;
    }
    painter.drawPixmap(0, 0, rows_);
    const QRectF shown = view_.mapToScene(view_.viewport()->rect()).boundingRect();
    QRectF window = transform.mapRect(shown).intersected(QRectF(rect()).adjusted(1, 1, -1, -1));
    if (window.height() < 4) window.setHeight(4);
    QColor fill = colours.accent;
    fill.setAlphaF(0.15F);
    painter.setPen(QPen(colours.accent, 1.5));
    painter.setBrush(fill);
    painter.drawRect(window);
}

void Minimap::go_to(QPointF point) {
    if (view_.layout().rows().empty()) return;
    const QPointF scene = to_map().inverted().map(point);
    view_.centerOn(scene);
}

void Minimap::mousePressEvent(QMouseEvent* event) { go_to(event->position()); }

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) go_to(event->position());
}

void Minimap::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) rows_ = {};
    QWidget::changeEvent(event);
}

void Minimap::resizeEvent(QResizeEvent* event) {
    rows_ = {};
    QWidget::resizeEvent(event);
}

}  // namespace divisi::graphview

#include "moc_minimap.cpp"
