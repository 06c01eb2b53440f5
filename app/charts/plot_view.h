// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChartView>
#include <QPointF>
#include <QStringList>
#include <optional>

namespace divisi::charts {

/// Shows one chart. Handles wheel, drag and keys, and draws a cursor with a list of values over the chart.
///
/// Wheel: zoom at the pointer. Drag: pan. Double click, 0 or Home: reset the range. + and -: zoom at the centre.
/// Arrows: move the cursor by a column, with Shift by ten. Enter: same as a click at the cursor. Ctrl with left or
/// right: move the chart itself to another place among the charts.
class PlotView : public QChartView {
    Q_OBJECT
public:
    PlotView(QChart* chart, QWidget* parent);

    /// Shows a vertical line at `x` with `texts` beside it. If `x` is empty, hides the line.
    void set_cursor(std::optional<double> x, const QStringList& texts);
    /// Shows a second vertical line, with a symbol at its top, at the selected position.
    void set_mark(std::optional<double> x);
    /// Returns the minimum size, because a Qt graphics view would otherwise return its current size and not shrink with
    /// the window.
    QSize sizeHint() const override { return minimumSize(); }

Q_SIGNALS:
    /// Requests that the range be scaled by `factor` while `x` keeps its position.
    void zoomRequested(double factor, double x);
    /// Requests that the shown range be moved by `by` in x.
    void panRequested(double by);
    void resetRequested();
    /// The pointer or the keyboard cursor is at this x. Empty: the pointer has left.
    void hovered(std::optional<double> x);
    /// The user has pressed and released the button without a drag.
    void clicked(double x);
    /// The user has pressed the right button or the menu key, at this screen position and this x.
    void menuRequested(const QPoint& global, double x);
    /// Requests that the chart be moved one place forward (1) or back (-1).
    void placeRequested(int by);

protected:
    bool event(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    QRectF plot() const;
    double x_at(double pixel) const;
    double x_width(double pixels) const;
    void move_cursor(double pixels);
    void paint_mark(QPainter& painter) const;

    std::optional<double> cursor_, mark_;
    QStringList texts_;
    std::optional<QPointF> pressed_;
    double dragged_from_ = 0;
    bool dragged_ = false;
};

}  // namespace divisi::charts
