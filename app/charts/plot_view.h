// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChartView>
#include <QPointF>
#include <QStringList>
#include <optional>

namespace divisi::charts {

/// The view of one chart: takes wheel, drag and keys, and draws a cursor with a list of values over the chart.
///
/// Wheel: zoom at the pointer; drag: pan; double click, 0 or Home: back from there; + and -: zoom in the middle;
/// arrows: move the cursor by a column, with Shift by ten; Enter: what a click there does; Ctrl with left or right: the
/// chart's own place among others.
class PlotView : public QChartView {
    Q_OBJECT
public:
    PlotView(QChart* chart, QWidget* parent);

    /// A line across the plot at `x`, with `texts` beside it; empty: none.
    void set_cursor(std::optional<double> x, const QStringList& texts);
    /// Another line, with a sign at its top: what is selected.
    void set_mark(std::optional<double> x);
    /// The least: a view of Qt's wishes to stay as large as it is, and would not shrink with its window.
    QSize sizeHint() const override { return minimumSize(); }

Q_SIGNALS:
    /// The range is to be so many times as wide, with what is at `x` staying there.
    void zoomRequested(double factor, double x);
    /// What is shown is to move by so much of x.
    void panRequested(double by);
    void resetRequested();
    /// The pointer, or the keys' cursor, is over this x; none: it has left.
    void hovered(std::optional<double> x);
    /// A press without a drag.
    void clicked(double x);
    /// The right button, or the keyboard's menu key, at this place of the screen and of x.
    void menuRequested(const QPoint& global, double x);
    /// The chart is to stand one place further on (1), or before (-1).
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
