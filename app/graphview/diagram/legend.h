// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <QWidget>

#include "app/graphview/diagram/graph_view.h"

namespace divisi::graphview {

/// Explains the colours of the graph in one line: the scale with its lowest and highest value, or the segments with
/// their patterns.
class Legend {
    Q_DECLARE_TR_FUNCTIONS(divisi::graphview::Legend)
public:
    explicit Legend(const GraphView& view) : view_(view) {}

    bool empty() const { return view_.colours().by() == model::ColourBy::nothing || view_.layout().blocks().empty(); }
    /// Returns the whole legend in words.
    QString text() const;
    void paint(QPainter& painter, const QRectF& line, const model::Colours& colours) const;

private:
    QString title() const;
    void paint_scale(QPainter& painter, double left, const QRectF& line, const model::Colours& colours) const;
    void paint_segments(QPainter& painter, double left, const QRectF& line, const model::Colours& colours) const;

    const GraphView& view_;
};

/// Shows the legend below the graph while blocks are coloured.
class LegendBar : public QWidget {
    Q_OBJECT
public:
    explicit LegendBar(GraphView& view, QWidget* parent = nullptr);

    /// Shows the bar if the graph is visible and its blocks are coloured. Call it when the graph is shown or hidden.
    void refresh();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    GraphView& view_;
};

}  // namespace divisi::graphview
