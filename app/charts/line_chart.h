// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChartView>
#include <QLabel>
#include <QLineSeries>
#include <QList>
#include <QPointF>
#include <QValueAxis>
#include <QWidget>
#include <vector>

#include "app/charts/line_legend.h"

namespace divisi::charts {

/// Points of which at most a minimum and a maximum for each of `columns` equal parts of the x range are
/// kept, in order: what a chart of that many pixels can show. `points` ascend in x.
QList<QPointF> thin(const QList<QPointF>& points, int columns);

/// A range that holds [low, high], with round ends and a round distance (1, 2 or 5 times a power of ten) of
/// about a quarter of it.
struct RoundRange {
    double low = 0, high = 1, step = 0.25;
};
RoundRange round_range(double low, double high);

/// One or more lines over one x axis, in the program's colours, with a headline of the latest values. Data is
/// replaced as a whole, never appended (QtCharts redraws per append).
class LineChart : public QWidget {
    Q_OBJECT
public:
    struct Line {
        QString name;
        QList<QPointF> points;
        bool markers = false;  ///< few, single measurements: drawn as dots too
    };
    explicit LineChart(QWidget* parent = nullptr);

    void set_title(const QString& title);
    void set_x_title(const QString& title);
    void set_fixed_x(double low, double high, double step);
    void set_fixed_y(double low, double high, double step);
    void show_lines(const std::vector<Line>& lines, const QString& latest);
    int point_count() const;
    QStringList line_names() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void apply_colours();
    void show_legend();
    void set_ranges(const std::vector<Line>& lines);

    QChart* chart_;
    QChartView* view_;
    QLabel *title_, *latest_;
    LineLegend* legend_;
    QValueAxis *x_, *y_;
    std::vector<QLineSeries*> series_;
    bool fixed_x_ = false, fixed_y_ = false;
};

}  // namespace divisi::charts
