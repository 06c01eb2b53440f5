// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineSeries>
#include <QList>
#include <QPointF>
#include <QScatterSeries>
#include <QTimer>
#include <QValueAxis>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/charts/line_legend.h"
#include "app/charts/plot_view.h"
#include "app/model/accessible_parts.h"
#include "app/model/series_store.h"

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
/// a whole, never appended (QtCharts redraws per append). Where somebody zooms, what the pixel columns show is found
/// anew in all the data. What moves by less than a column is drawn with what comes next, half a second later at most.
class LineChart : public QWidget, public model::AccessiblePicture {
    Q_OBJECT
public:
    struct Line {
        QString name;
        QList<QPointF> points;
        bool markers = false;  ///< few, single measurements: drawn as dots too
        double reach = 0;      ///< points further apart than this have a gap between them; 0: none has
        bool chosen = false;   ///< drawn thicker than the others
        /// In place of `points`, where there is one: its samples less `shift` in x, times `scale` in y.
        std::shared_ptr<const model::Series> series = {};
        double shift = 0, scale = 1;
        bool pale = false;  ///< to compare the others with

        bool empty() const { return series ? series->empty() : points.empty(); }
        bool operator==(const Line&) const = default;
        std::optional<QPointF> last() const;
        /// The last point that does not lie behind `x`; empty where none does.
        std::optional<QPointF> at(double x) const;
        /// Whether a point at x says something of `now`: no gap lies between them.
        bool reaches(double x, double now) const { return reach == 0 || now - x <= reach; }
    };
    /// Where something began: a line across the curves, which the legend explains.
    struct Start {
        double x = 0;
        QString text;
        bool operator==(const Start&) const = default;
    };
    explicit LineChart(QWidget* parent = nullptr);

    void set_title(const QString& title);
    /// Beside the pointer over the title, which is where a hand takes the chart to another place.
    void set_title_tip(const QString& tip);
    void set_x_title(const QString& title);
    /// Of y: "ms". The axis of y has no other title than it; the heading says what it is.
    void set_unit(const QString& unit);
    const QString& unit() const { return unit_; }
    const QString& x_title() const { return x_title_; }
    const QString& title() const { return title_text_; }
    /// Shows the last `width` of x, as long as nobody zooms or wants the whole.
    void set_window(double width) { window_ = width; }
    /// Where the window ends, from the next lines on: at now, although nothing came for a while, or at a moment of the
    /// past. Without one it ends with the curves.
    void set_edge(std::optional<double> x) { edge_ = x; }
    /// Of a chart with a window: shows all from the first point on, and follows, in place of the window.
    void show_whole(bool whole);
    bool whole() const { return whole_; }
    void set_fixed_y(double low, double high, double step);
    /// `starts`: all are drawn, and the newest, which stand last, are explained. Curves may be drawn later, see above;
    /// `latest` and what screen readers are told are not.
    void show_lines(const std::vector<Line>& lines, const QString& latest, const std::vector<Start>& starts = {});
    /// Shows this range of x, and the y that lies in it.
    void zoom_to(double from, double to);
    /// Shows what was shown before somebody zoomed: the window, or all.
    void unzoom();
    /// Leaves the range that was zoomed to; where none was, changes between the window and the whole.
    void reset();
    /// To a range so many times as wide, with what is at `x` staying there; to all where it is wider than that.
    void zoom(double factor, double x);
    bool zoomed() const { return zoom_.has_value(); }
    /// What is shown of x.
    std::pair<double, double> shown_range() const { return {x_->min(), x_->max()}; }
    /// Draws what waits for a column to be full.
    void draw_now();
    const std::vector<Line>& lines() const { return lines_; }
    /// A line across the plot, with the value of every curve there; none: no line.
    void set_cursor(std::optional<double> x);
    std::optional<double> cursor() const { return cursor_; }
    /// What is selected on this axis: a line of its own, which no pointer takes away.
    void set_mark(std::optional<double> x);
    std::optional<double> mark() const { return mark_; }
    /// "Training: 4.7", of every curve at the cursor, or at another place; first of all where that is.
    QStringList cursor_texts() const;
    QStringList texts_at(double x) const;
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
    /// What the heading shows, whether there is room for all of it or not.
    const QString& headline() const { return headline_; }
    const LineLegend& legend() const { return *legend_; }

    int part_count() const override;
    model::AccessiblePart part(int number) const override;

Q_SIGNALS:
    /// Somebody zooms or pans; the chart has done so already.
    void rangeChosen(double from, double to);
    /// All is to be shown again; likewise.
    void rangeReset();
    /// All of the time is to be shown, or its end alone; likewise.
    void wholeChosen(bool whole);
    void hovered(std::optional<double> x);
    void clicked(double x);
    /// See PlotView.
    void menuRequested(const QPoint& global, double x);
    /// The chart is dragged by its heading, with the pointer here on the screen, and then dropped.
    void headDragged(const QPoint& global);
    void headDropped(const QPoint& global);
    /// See PlotView.
    void placeRequested(int by);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What is drawn of one line: its points in the range, and some beside it.
    struct Drawn {
        QList<QPointF> points;
        double reach = 0;
        qsizetype broken = 0;  ///< of the range, whose y is no finite number
    };
    /// Where a line ends.
    struct End {
        double x = 0;
        std::int64_t samples = 0;
        bool operator==(const End&) const = default;
    };
    static void tell_screen_readers();
    static std::vector<End> ends_of(const std::vector<Line>& lines);
    void build();
    void apply_colours();
    void colour_lines();
    void fit_headline();
    /// What there would be to see if lines were drawn anew.
    enum class Change { none, small, visible };
    Change change(const std::vector<Line>& lines, const std::vector<Start>& starts, const std::vector<End>& ends) const;
    void redraw();
    Drawn draw(const Line& line, double from, double to, int columns) const;
    std::pair<double, double> range_of_lines() const;
    std::pair<double, double> wanted_range() const;
    Change edge_change() const;
    void show_runs(const std::vector<Drawn>& drawn, int columns);
    void add_run();
    std::size_t first_of_name(std::size_t line) const;
    std::size_t look_of(std::size_t line) const;
    void show_legend();
    void show_starts();
    void show_broken(const QList<QPointF>& broken, qsizetype count, int columns);
    void set_ranges(const std::vector<Drawn>& drawn, std::pair<double, double> range);
    void pan(double by);
    void choose(double from, double to);

    QChart* chart_;
    PlotView* view_;
    QLabel *title_, *latest_, *broken_;
    QString headline_;  ///< what latest_ shows as much of as it has room for
    QString title_text_, unit_, x_title_;
    LineLegend* legend_;
    QValueAxis *x_, *y_;
    std::vector<Line> lines_;
    std::vector<QLineSeries*> series_;  ///< one a run, line by line
    std::vector<std::size_t> line_of_;  ///< of each run
    QScatterSeries* marks_;
    std::vector<Start> starts_;
    std::vector<QLineSeries*> start_lines_;
    int columns_ = 0;         ///< that were drawn
    std::vector<End> drawn_;  ///< of each line
    std::vector<End> shown_;  ///< likewise, as it came last
    int left_out_ = 0;        ///< times that lines came since
    QTimer late_{this};       ///< for when none come any more
    double window_ = 0;       ///< 0: all is shown
    bool whole_ = false;      ///< all is shown although there is a window
    std::optional<double> edge_, drawn_edge_;
    std::optional<std::pair<double, double>> zoom_;
    std::optional<double> cursor_, mark_;
    bool fixed_y_ = false;
    std::optional<QPoint> pressed_;  ///< on the heading
    bool dragged_ = false;
};

}  // namespace divisi::charts
