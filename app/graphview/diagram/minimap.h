// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPixmap>
#include <QWidget>

#include "app/graphview/diagram/graph_view.h"

namespace divisi::graphview {

/// Shows the whole graph in a strip: rows, segments, cuts and the visible part. A click or drag scrolls the view to the
/// position. Height and width are scaled separately, as a graph is far taller than wide.
class Minimap : public QWidget {
    Q_OBJECT
public:
    Minimap(GraphView& view, const model::GraphDocument& document, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {88, 200}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QTransform to_map() const;
    void redraw_rows();
    void draw_rows();
    void draw_matches(QPainter& painter) const;
    void go_to(QPointF point);

    GraphView& view_;
    const model::GraphDocument& document_;
    QPixmap rows_;  ///< blocks and search matches, redrawn only if layout, colours or search change
};

}  // namespace divisi::graphview
