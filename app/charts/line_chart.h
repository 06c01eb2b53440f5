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
#include "app/model/tracking/series_store.h"
#include "app/model/wording/accessible_parts.h"

namespace divisi::charts {

/// Thins points for a chart that is `columns` pixels wide. Divides the x range into `columns` equal parts, and returns
/// the minimum and the maximum of each part, in order. `points` must ascend in x.
QList<QPointF> thin(const QList<QPointF>& points, int columns);

/// The points with a finite y, and the points with an infinite or undefined y.
struct Sorted {
    QList<QPointF> finite, broken;
};
Sorted sorted(const QList<QPointF>& points);

/// Splits the finite points into runs that a line may join. A run ends at a non-finite value, or if the next point is
/// more than `reach` away (0: at any distance). `points` must ascend in x. If there are more than `most_runs` runs, the
/// oldest are merged into one.
inline constexpr std::size_t most_runs = 64;
std::vector<QList<QPointF>> runs(const QList<QPointF>& points, double reach);

/// A range of an axis, and the distance of its ticks.
struct RoundRange {
    double low = 0, high = 1, step = 0.25;
};
/// Returns a range with round ends that contains [low, high]. Its step is round (1, 2 or 5 times a power of ten), and
/// about a quarter of the range.
RoundRange round_range(double low, double high);

/// A chart of one or more lines over one x axis, in the program's colours, with a headline of the latest values.
///
/// A line has a gap where its value is infinite or not a number. A mark at the top shows the position, and a text names
/// the value. Data is always replaced, never appended, because QtCharts redraws on every append. Zooming reads all the
/// data again to find the samples that each pixel column shows. A change that is narrower than a pixel column is drawn
/// with a later change, at most half a second later.
class LineChart : public QWidget, public model::AccessiblePicture {
    Q_OBJECT
public:
    struct Line {
        QString name;
        QList<QPointF> points;
        bool markers = false;  ///< whether points are also drawn as dots, for measurements that are far apart
        double reach = 0;      ///< maximum x distance at which neighbouring points are connected; 0: no maximum
        bool chosen = false;   ///< whether the line is drawn thicker than other lines
        /// Replaces `points` if set. `shift` is subtracted from each sample's x, and its y is multiplied by `scale`.
        std::shared_ptr<const model::Series> series = {};
        double shift = 0, scale = 1;
        bool pale = false;  ///< whether the line is drawn pale, because it is only compared with other lines

        bool empty() const { return series ? series->empty() : points.empty(); }
        bool operator==(const Line&) const = default;
        std::optional<QPointF> last() const;
        /// Returns the last point at or before `x`; empty if there is no such point.
        std::optional<QPointF> at(double x) const;
        /// Returns whether a point at `x` is still current at `now`, that is, no gap lies between them.
        bool reaches(double x, double now) const { return reach == 0 || now - x <= reach; }
    };
    /// A position on the x axis, such as the start of a new plan. It is drawn as a vertical line across the curves and
    /// explained by the legend.
    struct Start {
        double x = 0;
        QString text;
        bool operator==(const Start&) const = default;
    };
    explicit LineChart(QWidget* parent = nullptr);

    void set_title(const QString& title);
    /// Sets the tooltip of the title. Dragging the title moves the chart to another place.
    void set_title_tip(const QString& tip);
    void set_x_title(const QString& title);
    /// Sets the unit of y, such as "ms". The y axis shows only this unit; the heading names the quantity.
    void set_unit(const QString& unit);
    const QString& unit() const { return unit_; }
    const QString& x_title() const { return x_title_; }
    const QString& title() const { return title_text_; }
    /// Sets the width of the shown x range, which ends at the newest data, unless the user zooms or shows everything.
    void set_window(double width) { window_ = width; }
    /// Sets where the window ends from the next show_lines() on. This is the present, even if no data has arrived for a
    /// while, or a past time. If empty, the window ends with the curves.
    void set_edge(std::optional<double> x) { edge_ = x; }
    /// For a chart with a window: sets whether to show everything from the first point on instead of the window. Ends
    /// zooming.
    void show_whole(bool whole);
    bool whole() const { return whole_; }
    void set_fixed_y(double low, double high, double step);
    /// Shows these lines. All `starts` are drawn; the legend explains the newest ones, which are last. Drawing of
    /// curves may be postponed (see LineChart). The heading `latest` and the screen reader's text are always updated
    /// immediately.
    void show_lines(const std::vector<Line>& lines, const QString& latest, const std::vector<Start>& starts = {});
    /// Shows this range of x, with a y range that covers the points in it.
    void zoom_to(double from, double to);
    /// Ends zooming: shows the window or everything, as before the zoom.
    void unzoom();
    /// Ends zooming. If not zoomed, toggles between the window and everything.
    void reset();
    /// Scales the range by `factor` and keeps the position of `x`. If the result is wider than the data, shows
    /// everything.
    void zoom(double factor, double x);
    bool zoomed() const { return zoom_.has_value(); }
    /// Returns the shown range of x.
    std::pair<double, double> shown_range() const { return {x_->min(), x_->max()}; }
    /// Draws any postponed change immediately.
    void draw_now();
    const std::vector<Line>& lines() const { return lines_; }
    /// Draws a vertical line across the plot, with the value of every curve at `x`. If empty, removes the line.
    void set_cursor(std::optional<double> x);
    std::optional<double> cursor() const { return cursor_; }
    /// Marks the selected position on the x axis with a second line, which stays there when the pointer moves.
    void set_mark(std::optional<double> x);
    std::optional<double> mark() const { return mark_; }
    /// Returns one text per curve, such as "Training: 4.7", at the cursor or at `x`. The first text names the position.
    QStringList cursor_texts() const;
    QStringList texts_at(double x) const;
    int point_count() const;
    /// Returns the number of series drawn. A line with gaps is drawn as several series.
    int run_count() const { return static_cast<int>(series_.size()); }
    /// Returns the number of points marked as not finite.
    int mark_count() const { return static_cast<int>(marks_->count()); }
    QStringList line_names() const;
    /// Returns the names of the lines that are drawn thicker.
    QStringList chosen_names() const;
    /// Returns the x positions of the drawn starts.
    QList<double> start_positions() const;
    /// Returns the whole heading, even if the heading is elided on screen.
    const QString& headline() const { return headline_; }
    const LineLegend& legend() const { return *legend_; }

    int part_count() const override;
    model::AccessiblePart part(int number) const override;

Q_SIGNALS:
    /// The user has zoomed or panned. The chart already shows the new range.
    void rangeChosen(double from, double to);
    /// The user has ended zooming. The chart already shows its usual range.
    void rangeReset();
    /// The user has chosen to see the whole time range, or only its end. The chart already shows that range.
    void wholeChosen(bool whole);
    void hovered(std::optional<double> x);
    void clicked(double x);
    /// See PlotView.
    void menuRequested(const QPoint& global, double x);
    /// The user drags the chart by its heading, then drops it. `global` is the pointer's screen position.
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
    /// The part of a line that is drawn: its points in the range, and one point beyond each end of the range.
    struct Drawn {
        QList<QPointF> points;
        double reach = 0;
        qsizetype broken = 0;  ///< number of points in the range without a finite y
    };
    /// The end of a line.
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
    /// The visible effect of a redraw.
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
    QString headline_;  ///< full text; latest_ shows as much of it as fits
    QString title_text_, unit_, x_title_;
    LineLegend* legend_;
    QValueAxis *x_, *y_;
    std::vector<Line> lines_;
    std::vector<QLineSeries*> series_;  ///< Qt series of the runs, in the order of the lines
    std::vector<std::size_t> line_of_;  ///< index of the line to which each run belongs
    QScatterSeries* marks_;
    std::vector<Start> starts_;
    std::vector<QLineSeries*> start_lines_;
    int columns_ = 0;         ///< number of columns last drawn
    std::vector<End> drawn_;  ///< end of each line at the last drawing
    std::vector<End> shown_;  ///< end of each line at the last update
    int left_out_ = 0;        ///< number of updates postponed since the last drawing
    QTimer late_{this};       ///< draws postponed changes if no other update follows
    double window_ = 0;       ///< width of the window in x; 0: everything is shown
    bool whole_ = false;      ///< whether everything is shown, although a window is set
    std::optional<double> edge_, drawn_edge_;
    std::optional<std::pair<double, double>> zoom_;
    std::optional<double> cursor_, mark_;
    bool fixed_y_ = false;
    std::optional<QPoint> pressed_;  ///< position where the heading was pressed
    bool dragged_ = false;
};

}  // namespace divisi::charts
