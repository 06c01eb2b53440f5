// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChartView>
#include <QLabel>
#include <QLineSeries>
#include <QList>
#include <QPointF>
#include <QScatterSeries>
#include <QValueAxis>
#include <QWidget>
#include <vector>

#include "app/charts/line_legend.h"

namespace divisi::charts {

/// Points of which at most a minimum and a maximum for each of `columns` equal parts of the x range are
/// kept, in order: what a chart of that many pixels can show. `points` ascend in x.
QList<QPointF> thin(const QList<QPointF>& points, int columns);

/// The points whose y is a finite number, and those whose y is none.
struct Sorted {
    QList<QPointF> finite, broken;
};
Sorted sorted(const QList<QPointF>& points);

/// The finite points in runs that a line may join: one ends where a value is no number, or where the next point lies
/// further than `reach` on (0: however far). `points` ascend in x. Of more than `most_runs` the oldest are one.
inline constexpr std::size_t most_runs = 64;
std::vector<QList<QPointF>> runs(const QList<QPointF>& points, double reach);

/// A range that holds [low, high], with round ends and a round distance (1, 2 or 5 times a power of ten) of
/// about a quarter of it.
struct RoundRange {
    double low = 0, high = 1, step = 0.25;
};
RoundRange round_range(double low, double high);

/// One or more lines over one x axis, in the program's colours, with a headline of the latest values. Where a value is
/// infinite or no number the line has a gap: a mark at the top says where, and a line of text what. Data is replaced as
/// a whole, never appended (QtCharts redraws per append).
class LineChart : public QWidget {
    Q_OBJECT
public:
    struct Line {
        QString name;
        QList<QPointF> points;
        bool markers = false;  ///< few, single measurements: drawn as dots too
        double reach = 0;      ///< points further apart than this have a gap between them; 0: none has
        bool chosen = false;   ///< drawn thicker than the others
    };
    /// Where something began: a line across the curves, which the legend explains.
    struct Start {
        double x = 0;
        QString text;
    };
    explicit LineChart(QWidget* parent = nullptr);

    void set_title(const QString& title);
    void set_x_title(const QString& title);
    void set_fixed_x(double low, double high, double step);
    void set_fixed_y(double low, double high, double step);
    /// `starts`: all are drawn, and the newest, which stand last, are explained.
    void show_lines(const std::vector<Line>& lines, const QString& latest, const std::vector<Start>& starts = {});
    int point_count() const;
    /// Pieces that are drawn of all lines: more than lines where there are gaps.
    int run_count() const { return static_cast<int>(series_.size()); }
    /// Points that are marked as no finite number.
    int mark_count() const { return static_cast<int>(marks_->count()); }
    QStringList line_names() const;
    /// Names of the lines that are drawn thicker.
    QStringList chosen_names() const;
    /// Where starts are drawn.
    QList<double> start_positions() const;
    const LineLegend& legend() const { return *legend_; }

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void apply_colours();
    void fit_headline();
    void show_runs(const std::vector<Line>& lines, int columns);
    void add_run();
    void show_legend();
    void show_starts();
    void show_broken(const QList<QPointF>& broken, int columns);
    void set_ranges(const std::vector<Line>& lines, const QList<QPointF>& broken);

    QChart* chart_;
    QChartView* view_;
    QLabel *title_, *latest_, *broken_;
    QString headline_;  ///< what latest_ shows as much of as it has room for
    LineLegend* legend_;
    QValueAxis *x_, *y_;
    std::vector<QLineSeries*> series_;  ///< one a run, line by line
    std::vector<std::size_t> line_of_;  ///< of each run
    std::vector<bool> chosen_;          ///< of each line
    QScatterSeries* marks_;
    std::vector<Start> starts_;
    std::vector<QLineSeries*> start_lines_;
    bool fixed_x_ = false, fixed_y_ = false;
};

}  // namespace divisi::charts
