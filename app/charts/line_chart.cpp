// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/line_chart.h"

#include <QApplication>
#include <QChart>
#include <QEvent>
#include <QGraphicsLayout>
#include <QHBoxLayout>
#include <QLocale>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "app/model/wording/colours.h"
#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"

namespace divisi::charts {

QList<QPointF> thin(const QList<QPointF>& points, int columns) {
    if (points.size() <= 2 * columns || columns < 1) return points;
    QList<QPointF> kept;
    kept.reserve(2 * columns);
    const double from = points.front().x(), width = (points.back().x() - from) / columns;
    qsizetype begin = 0;
    for (int column = 0; column < columns && begin < points.size(); ++column) {
        const double limit = column + 1 == columns ? points.back().x() : from + width * (column + 1);
        qsizetype end = begin, lowest = begin, highest = begin;
        for (; end < points.size() && points[end].x() <= limit; ++end) {
            if (points[end].y() < points[lowest].y()) lowest = end;
            if (points[end].y() > points[highest].y()) highest = end;
        }
        if (end == begin) continue;
        kept << points[std::min(lowest, highest)];
        if (lowest != highest) kept << points[std::max(lowest, highest)];
        begin = end;
    }
    return kept;
}

Sorted sorted(const QList<QPointF>& points) {
    Sorted sorted;
    for (const QPointF& point : points) (std::isfinite(point.y()) ? sorted.finite : sorted.broken) << point;
    return sorted;
}

std::vector<QList<QPointF>> runs(const QList<QPointF>& points, double reach) {
    std::vector<QList<QPointF>> runs(1);
    for (const QPointF& point : points) {
        const bool finite = std::isfinite(point.y());
        const QList<QPointF>& last = runs.back();
        const bool far = finite && reach > 0 && !last.isEmpty() && point.x() - last.back().x() > reach;
        if ((!finite || far) && !last.isEmpty()) runs.emplace_back();
        if (finite) runs.back() << point;
    }
    if (runs.size() > 1 && runs.back().isEmpty()) runs.pop_back();
    if (runs.size() <= most_runs) return runs;
    const auto newest = runs.end() - (most_runs - 1);  // limited, since each run is an expensive Qt series
    for (auto run = std::next(runs.begin()); run != newest; ++run) runs.front() << *run;
    runs.erase(std::next(runs.begin()), newest);
    return runs;
}

RoundRange round_range(double low, double high) {
    if (!(high > low)) {
        const double room = std::max(std::abs(low) * 0.1, 0.5);
        return round_range(low - room, low + room);
    }
    const double rough = (high - low) / 4;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {5, 2, 1})
        if (factor * power >= rough) step = factor * power;
    return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
}

namespace {

constexpr double line_width = 2, chosen_width = 4, pale_width = 1.2;
constexpr double mark_size = 9;     ///< size in pixels of the mark for a non-finite value
constexpr double pale_share = 0.6;  ///< opacity of a comparison line, relative to other lines
constexpr int fewest_columns = 64;
/// Maximum number of successive updates that are postponed, and maximum time until a postponed update is drawn.
constexpr int most_left_out = 5;
constexpr std::chrono::milliseconds most_late{500};
constexpr double narrowest = 1e-9;  ///< narrowest range that can be zoomed to, relative to its position
/// If the data covers less time than the window, the axis still covers at least 1/`least_window_part` of the window.
constexpr double least_window_part = 4;
/// If no sample arrives, the chart is redrawn each time 1/`silence_parts` of the window has passed: two seconds for a
/// window of two minutes. A change of the displayed time by at least 1/`jump_part` of the shown range counts as a jump
/// and is drawn immediately.
constexpr double silence_parts = 60, jump_part = 8;
/// Maximum number of starts that the legend explains. More entries would leave too little space for the curve.
constexpr std::size_t explained_starts = 3;

QPen start_pen(const model::Colours& colours) { return QPen(colours.warning, 1.5, Qt::DashDotDotLine); }

/// Returns the printf format with enough digits to distinguish neighbouring ticks.
QString label_format(double step) {
    if (step >= 1e5 || step < 1e-5) return QStringLiteral("%.1e");  // longer labels need too much space
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    return QStringLiteral("%.%1f").arg(digits);
}

void set_axis(QValueAxis& axis, double low, double high, double step) {
    axis.setTickType(QValueAxis::TicksDynamic);
    axis.setTickAnchor(0);
    axis.setTickInterval(step);
    axis.setLabelFormat(label_format(step));
    axis.setRange(low, high);
}

}  // namespace

std::optional<QPointF> LineChart::Line::last() const {
    if (empty()) return std::nullopt;
    if (!series) return points.back();
    const auto sample = series->at(series->size() - 1);
    return sample ? std::optional(QPointF(sample->x - shift, sample->y * scale)) : std::nullopt;
}

std::optional<QPointF> LineChart::Line::at(double x) const {
    if (series) {
        const double next = std::nextafter(x + shift, std::numeric_limits<double>::infinity());
        const std::int64_t behind = series->index_of(next);
        const auto sample = behind > 0 ? series->at(behind - 1) : std::nullopt;
        return sample ? std::optional(QPointF(sample->x - shift, sample->y * scale)) : std::nullopt;
    }
    const auto behind = std::ranges::find_if(points, [x](const QPointF& point) { return point.x() > x; });
    return behind == points.begin() ? std::nullopt : std::optional(*std::prev(behind));
}

LineChart::LineChart(QWidget* parent)
    : QWidget(parent),
      chart_(new QChart),
      view_(new PlotView(chart_, this)),
      title_(new QLabel(this)),
      latest_(new QLabel(this)),
      broken_(new QLabel(this)),
      legend_(new LineLegend(this)),
      x_(new QValueAxis(chart_)),
      y_(new QValueAxis(chart_)),
      marks_(new QScatterSeries(chart_)) {
    chart_->setMargins({0, 0, 0, 0});
    chart_->layout()->setContentsMargins(0, 0, 0, 0);
    chart_->setBackgroundRoundness(0);
    chart_->legend()->hide();
    chart_->addAxis(x_, Qt::AlignBottom);
    chart_->addAxis(y_, Qt::AlignLeft);
    chart_->setMinimumSize(0, 0);
    x_->setTruncateLabels(false);
    y_->setTruncateLabels(false);  // otherwise Qt replaces labels by "..." if the display scale is not a whole number
    marks_->setMarkerShape(QScatterSeries::MarkerShapeTriangle);
    marks_->setMarkerSize(mark_size);
    chart_->addSeries(marks_);
    marks_->attachAxis(x_);
    marks_->attachAxis(y_);
    view_->setMinimumSize(96, 96);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setRenderHint(QPainter::Antialiasing);
    connect(view_, &PlotView::zoomRequested, this, &LineChart::zoom);
    connect(view_, &PlotView::panRequested, this, &LineChart::pan);
    connect(view_, &PlotView::resetRequested, this, &LineChart::reset);
    // The plot width changes slightly with every refresh, as labels change their width.
    const auto look_at_width = [this] {
        const double width = chart_->plotArea().width();
        if (columns_ > 0 && width > fewest_columns && std::abs(width - columns_) > columns_ / 4.0) redraw();
    };
    connect(chart_, &QChart::plotAreaChanged, this, look_at_width, Qt::QueuedConnection);
    connect(view_, &PlotView::hovered, this, &LineChart::hovered);
    connect(view_, &PlotView::clicked, this, &LineChart::clicked);
    connect(view_, &PlotView::placeRequested, this, &LineChart::placeRequested);
    connect(view_, &PlotView::menuRequested, this, &LineChart::menuRequested);
    late_.setSingleShot(true);
    late_.setInterval(most_late);
    connect(&late_, &QTimer::timeout, this, &LineChart::redraw);
    tell_screen_readers();
    build();
    apply_colours();
}

void LineChart::build() {
    broken_->setObjectName(QStringLiteral("brokenText"));
    broken_->setProperty("role", QStringLiteral("error"));
    broken_->setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    broken_->setSizePolicy(policy);
    broken_->hide();
    title_->setProperty("role", QStringLiteral("heading"));
    title_->setCursor(Qt::OpenHandCursor);
    latest_->setObjectName(QStringLiteral("latestText"));
    latest_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    latest_->installEventFilter(this);
    auto* head = new QHBoxLayout;
    // Let the label with the latest values shrink, so that it does not determine the minimum width of a dock.
    latest_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    title_->setMinimumWidth(1);
    head->addWidget(title_);
    head->addWidget(latest_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(broken_);
    column->addWidget(view_, 1);
    column->addWidget(legend_);
}

void LineChart::set_title(const QString& title) {
    title_text_ = title;
    title_->setText(title);
    setAccessibleName(title);
    view_->setAccessibleName(title);
}

void LineChart::set_title_tip(const QString& tip) { title_->setToolTip(tip); }

void LineChart::set_unit(const QString& unit) {
    unit_ = unit;
    y_->setTitleText(unit);
}

void LineChart::set_x_title(const QString& title) {
    x_title_ = title;
    x_->setTitleText(title);
}

void LineChart::set_fixed_y(double low, double high, double step) {
    fixed_y_ = true;
    set_axis(*y_, low, high, step);
}

int LineChart::point_count() const {
    qsizetype count = 0;
    for (const QLineSeries* series : series_) count += series->count();
    return static_cast<int>(count);
}

QStringList LineChart::line_names() const {
    QStringList names;
    for (std::size_t i = 0; i < series_.size(); ++i)
        if (i == 0 || line_of_[i] != line_of_[i - 1]) names << series_[i]->name();
    return names;
}

QStringList LineChart::chosen_names() const {
    QStringList names;
    for (const Line& line : lines_)
        if (line.chosen) names << line.name;
    return names;
}

QList<double> LineChart::start_positions() const {
    QList<double> positions;
    for (const QLineSeries* line : start_lines_) positions << line->at(0).x();
    return positions;
}

void LineChart::show_lines(const std::vector<Line>& lines, const QString& latest, const std::vector<Start>& starts) {
    headline_ = latest;
    fit_headline();
    std::vector<End> ends = ends_of(lines);
    const Change seen = change(lines, starts, ends);
    starts_ = starts;
    lines_ = lines;
    shown_ = std::move(ends);
    QStringList said{latest};
    for (const Line& line : lines_)
        if (const auto last = line.last()) said << line.name + QStringLiteral(": ") + model::loss_text(last->y());
    for (const Start& start : starts) said << start.text;
    view_->setAccessibleDescription(said.join(QStringLiteral("; ")));
    if (seen == Change::none) return;
    if (seen == Change::visible || ++left_out_ == most_left_out) return redraw();
    if (!late_.isActive()) late_.start();
}

std::vector<LineChart::End> LineChart::ends_of(const std::vector<Line>& lines) {
    std::vector<End> ends;
    for (const Line& line : lines) {
        const std::int64_t samples = line.series ? line.series->size() : line.points.size();
        ends.push_back({line.last().value_or(QPointF()).x(), samples});
    }
    return ends;
}

/// Returns how visible a redraw with these lines would be. The change is small if no curve has grown by a pixel column.
/// Drawing a curve is expensive: QtCharts computes the outline of its pen, and paths are painted in software.
LineChart::Change LineChart::change(const std::vector<Line>& lines, const std::vector<Start>& starts,
                                    const std::vector<End>& ends) const {
    if (lines != lines_ || starts != starts_ || drawn_.size() != ends.size()) return Change::visible;
    const double column = (x_->max() - x_->min()) / columns_;
    for (std::size_t i = 0; i < ends.size(); ++i)
        if (std::abs(ends[i].x - drawn_[i].x) >= column) return Change::visible;
    const Change edge = edge_change();
    return edge != Change::none || ends == shown_ ? edge : Change::small;
}

/// Returns how visible a redraw would be after the window's right edge has moved since the last drawing. A small
/// movement alone causes no redraw, because new reports trigger a redraw anyway.
LineChart::Change LineChart::edge_change() const {
    if (zoom_ || edge_ == drawn_edge_) return Change::none;
    if (!edge_ || !drawn_edge_) return Change::visible;
    const double moved = std::abs(*edge_ - *drawn_edge_), shown = x_->max() - x_->min();
    if (moved >= shown / jump_part) return Change::visible;
    return moved >= std::max(shown / columns_, window_ / silence_parts) ? Change::small : Change::none;
}

void LineChart::draw_now() {
    if (late_.isActive()) redraw();
}

/// Recomputes the samples that each pixel column of the range shows, and draws them.
void LineChart::redraw() {
    late_.stop();
    left_out_ = 0;
    drawn_ = ends_of(lines_);
    drawn_edge_ = edge_;
    const int columns = columns_ = std::max(fewest_columns, static_cast<int>(chart_->plotArea().width()));
    const auto range = wanted_range();
    std::vector<Drawn> drawn;
    QList<QPointF> broken;
    qsizetype count = 0;
    for (const Line& line : lines_) {
        drawn.push_back(draw(line, range.first, range.second, columns));
        broken << sorted(drawn.back().points).broken;
        count += drawn.back().broken;
    }
    show_runs(drawn, columns);
    show_legend();
    std::ranges::sort(broken, {}, &QPointF::x);
    const auto drawn_before = shown_range();
    set_ranges(drawn, range);
    if (shown_range() == drawn_before)
        for (QLineSeries* series : series_) Q_EMIT series->pointsReplaced();
    show_broken(broken, count, columns);
    show_starts();
    set_cursor(cursor_);
}

LineChart::Drawn LineChart::draw(const Line& line, double from, double to, int columns) const {
    Drawn drawn{{}, line.reach, 0};
    if (line.series) {
        const model::SeriesView seen = line.series->view(from + line.shift, to + line.shift, columns);
        drawn.points.reserve(static_cast<qsizetype>(seen.samples.size()));
        for (const model::Sample& one : seen.samples) drawn.points << QPointF(one.x - line.shift, one.y * line.scale);
        drawn.broken = static_cast<qsizetype>(seen.broken);
        if (line.reach > 0) drawn.reach += 2 * seen.column;  // thinned points are further apart
        return drawn;
    }
    for (qsizetype i = 0; i < line.points.size(); ++i) {
        // Include one point beyond each edge, so that the line reaches the edge.
        if (i + 1 < line.points.size() && line.points[i + 1].x() < from) continue;
        drawn.points << line.points[i];
        if (line.points[i].x() > to) break;
    }
    drawn.broken = sorted(drawn.points).broken.size();
    return drawn;
}

/// Returns the x range of all lines. If no line has a point, the range is empty (from > to).
std::pair<double, double> LineChart::range_of_lines() const {
    double from = 1e300, to = -1e300;
    for (const Line& line : lines_) {
        if (line.empty()) continue;
        const double first = line.series ? *line.series->first_x() - line.shift : line.points.front().x();
        const double last = line.series ? *line.series->last_x() - line.shift : line.points.back().x();
        from = std::min(from, first);
        to = std::max(to, last);
    }
    return {from, to};
}

std::pair<double, double> LineChart::wanted_range() const {
    if (zoom_) return *zoom_;
    auto [from, to] = range_of_lines();
    if (window_ == 0 || to < from) return {from, to};
    if (edge_) to = whole_ ? std::max(to, *edge_) : *edge_;
    if (!whole_) from = std::max(from, to - window_);
    return {from, std::max(to, from + window_ / least_window_part)};
}

/// Draws one series per run of each line, so that gaps between reports stay empty.
void LineChart::show_runs(const std::vector<Drawn>& drawn, int columns) {
    std::vector<std::size_t> line_of;
    std::vector<QList<QPointF>> all;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        for (QList<QPointF>& run : runs(drawn[i].points, drawn[i].reach)) {
            line_of.push_back(i);
            all.push_back(std::move(run));
        }
    }
    line_of_ = std::move(line_of);
    while (series_.size() < all.size()) add_run();
    while (series_.size() > all.size()) {
        chart_->removeSeries(series_.back());
        delete series_.back();
        series_.pop_back();
    }
    colour_lines();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Line& line = lines_[line_of_[i]];
        series_[i]->setName(line.name);
        series_[i]->setPointsVisible(line.markers || all[i].size() < 2);
        const QSignalBlocker quiet(series_[i]);  // set_ranges() computes the outline once, later
        series_[i]->replace(line.series ? all[i] : thin(all[i], columns));
    }
}

void LineChart::add_run() {
    auto* series = new QLineSeries(chart_);
    chart_->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
    series_.push_back(series);
}

/// Draws a vertical line at each start. A start before the first point is drawn at the left edge.
void LineChart::show_starts() {
    while (start_lines_.size() < starts_.size()) {
        auto* line = new QLineSeries(chart_);
        chart_->addSeries(line);
        line->attachAxis(x_);
        line->attachAxis(y_);
        line->setPen(start_pen(model::colours_of(palette())));
        start_lines_.push_back(line);
    }
    while (start_lines_.size() > starts_.size()) {
        chart_->removeSeries(start_lines_.back());
        delete start_lines_.back();
        start_lines_.pop_back();
    }
    for (std::size_t i = 0; i < starts_.size(); ++i) {
        const double x = std::clamp(starts_[i].x, x_->min(), x_->max());
        start_lines_[i]->replace(QList<QPointF>{{x, y_->min()}, {x, y_->max()}});
    }
}

/// Marks non-finite points. `count` is the number of all such points; `broken` contains the ones to mark.
void LineChart::show_broken(const QList<QPointF>& broken, qsizetype count, int columns) {
    QList<QPointF> marks;
    const double top = y_->max() - 0.06 * (y_->max() - y_->min());  // the mark fits into the plot
    for (const QPointF& point : broken) marks << QPointF(point.x(), top);
    marks_->replace(thin(marks, columns));
    broken_->setVisible(!broken.empty());
    if (broken.empty()) return;
    QString text =
        tr("\u26a0 %1 %2: %3").arg(x_->titleText()).arg(broken.front().x()).arg(model::loss_text(broken.front().y()));
    if (count > 1) text = tr("%1, and %2 more").arg(text).arg(count - 1);
    broken_->setText(text);
    broken_->setToolTip(text);
}

/// Returns the first line with the same name. Lines with the same name show successive processes of one stage, so the
/// legend shows the name only once.
std::size_t LineChart::first_of_name(std::size_t line) const {
    const auto first = std::ranges::find(lines_, lines_[line].name, &Line::name);
    return static_cast<std::size_t>(first - lines_.begin());
}

/// Returns the index of a line's name among all different names; the index determines colour and dash pattern. Lines of
/// the same name look alike.
std::size_t LineChart::look_of(std::size_t line) const {
    const std::size_t first = first_of_name(line);
    std::size_t place = 0;
    for (std::size_t before = 0; before < first; ++before) place += first_of_name(before) == before ? 1 : 0;
    return place;
}

void LineChart::show_legend() {
    std::vector<LineLegend::Entry> entries;
    for (std::size_t i = 0; i < series_.size(); ++i)
        if (first_of_name(line_of_[i]) == line_of_[i] && (i == 0 || line_of_[i] != line_of_[i - 1]))
            entries.emplace_back(series_[i]->name(), series_[i]->pen());
    const std::size_t first = starts_.size() - std::min(starts_.size(), explained_starts);
    for (std::size_t i = first; i < starts_.size(); ++i)
        entries.emplace_back(starts_[i].text, start_pen(model::colours_of(palette())));
    legend_->show_entries(std::move(entries));
}

void LineChart::set_ranges(const std::vector<Drawn>& drawn, std::pair<double, double> range) {
    auto [left, right] = range;
    if (left > right) return;
    double low = 1e300, high = -1e300;
    for (const Drawn& line : drawn) {
        for (const QPointF& point : line.points) {
            if (!std::isfinite(point.y()) || point.x() < left || point.x() > right) continue;
            low = std::min(low, point.y());
            high = std::max(high, point.y());
        }
    }
    if (!zoom_ && window_ == 0) right = std::max(right, left + 1);
    const double step = round_range(left, right).step;
    set_axis(*x_, left, right, zoom_ || window_ > 0 ? step : std::max(1.0, step));
    if (fixed_y_) return;
    // If no point has a finite value, low > high.
    const RoundRange rounded = low > high ? RoundRange() : round_range(low, high);
    const bool moved = y_->min() != rounded.low || y_->max() != rounded.high;
    set_axis(*y_, rounded.low, rounded.high, rounded.step);
    if (moved) chart_->layout()->invalidate();  // the width of the labels may have changed
}

void LineChart::zoom_to(double from, double to) {
    if (!(to > from)) return;
    zoom_ = {from, to};
    redraw();
}

void LineChart::unzoom() {
    zoom_.reset();
    redraw();
}

void LineChart::show_whole(bool whole) {
    if (!std::exchange(zoom_, std::nullopt) && whole == whole_) return;
    whole_ = whole;
    redraw();
}

void LineChart::reset() {
    if (zoom_ || window_ == 0) {
        unzoom();
        return Q_EMIT rangeReset();
    }
    show_whole(!whole_);
    Q_EMIT wholeChosen(whole_);
}

void LineChart::choose(double from, double to) {
    zoom_to(from, to);
    Q_EMIT rangeChosen(from, to);
}

void LineChart::zoom(double factor, double x) {
    const auto [from, to] = shown_range();
    const auto [first, last] = range_of_lines();
    if (first > last) return;
    const double width = (to - from) * factor;
    if (factor < 1 && width < narrowest * std::max(1.0, std::abs(x))) return;  // too narrow for the precision of double
    if (factor > 1 && width >= last - first) {  // zoomed out fully: the range follows the data again
        if (window_ == 0) {
            unzoom();
            return Q_EMIT rangeReset();
        }
        show_whole(true);
        return Q_EMIT wholeChosen(true);
    }
    const double left = x - (x - from) * width / (to - from);
    choose(left, left + width);
}

/// Moves the shown range, but keeps part of the data visible.
void LineChart::pan(double by) {
    const auto [from, to] = shown_range();
    const auto [first, last] = range_of_lines();
    if (first > last) return;
    by = std::clamp(by, std::min(0.0, first - to + (to - from) / 4), std::max(0.0, last - from - (to - from) / 4));
    choose(from + by, to + by);
}

void LineChart::set_cursor(std::optional<double> x) {
    cursor_ = x;
    view_->set_cursor(x, cursor_texts());
}

void LineChart::set_mark(std::optional<double> x) {
    mark_ = x;
    view_->set_mark(x);
}

QStringList LineChart::cursor_texts() const { return cursor_ ? texts_at(*cursor_) : QStringList(); }

QStringList LineChart::texts_at(double x) const {
    QStringList texts;
    // Not every step has a sample. On an axis of steps, the texts show the nearest step that has a sample; `of` is this
    // step.
    std::optional<double> of;
    for (const Line& line : lines_) {
        std::optional<QPointF> at;
        if (line.series) {
            if (const auto sample = line.series->nearest(x + line.shift))
                at = QPointF(sample->x - line.shift, sample->y * line.scale);
        } else {
            for (const QPointF& point : line.points)
                if (!at || std::abs(point.x() - x) < std::abs(at->x() - x)) at = point;
        }
        if (!at || (line.reach > 0 && std::abs(at->x() - x) > line.reach)) continue;  // `x` is within a gap
        if (line.reach <= 0 && (!of || std::abs(at->x() - x) < std::abs(*of - x))) of = at->x();
        texts << line.name + QStringLiteral(": ") + model::loss_text(at->y());
    }
    texts.prepend(x_title_ + QStringLiteral(": ") + QLocale().toString(of.value_or(x), 'g', 6));
    return texts;
}

/// Handles mouse presses on the heading, because its labels do not handle them. The plot handles its own presses.
void LineChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || event->pos().y() >= view_->y()) return QWidget::mousePressEvent(event);
    pressed_ = event->pos();
    dragged_ = false;
    event->accept();
}

void LineChart::mouseMoveEvent(QMouseEvent* event) {
    if (!pressed_) return QWidget::mouseMoveEvent(event);
    dragged_ = dragged_ || (event->pos() - *pressed_).manhattanLength() >= QApplication::startDragDistance();
    if (dragged_) Q_EMIT headDragged(event->globalPosition().toPoint());
}

void LineChart::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !std::exchange(pressed_, std::nullopt))
        return QWidget::mouseReleaseEvent(event);
    if (dragged_) Q_EMIT headDropped(event->globalPosition().toPoint());
}

void LineChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_colours();
    QWidget::changeEvent(event);
}

bool LineChart::eventFilter(QObject* watched, QEvent* event) {
    if (watched == latest_ && event->type() == QEvent::Resize) fit_headline();
    return QWidget::eventFilter(watched, event);
}

/// Elides the headline at its end, because a label that is too narrow would cut off the first digits of its text.
void LineChart::fit_headline() {
    latest_->setText(latest_->fontMetrics().elidedText(headline_, Qt::ElideRight, latest_->width()));
    latest_->setToolTip(headline_);
}

void LineChart::colour_lines() {
    const model::Colours& colours = model::colours_of(palette());
    // Lines differ by dash pattern as well as by hue.
    static constexpr Qt::PenStyle styles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    for (std::size_t i = 0; i < series_.size(); ++i) {
        const Line& line = lines_[line_of_[i]];
        const std::size_t look = look_of(line_of_[i]);
        const QColor colour = model::segment_colour(static_cast<int>(look), colours);
        const double width = line.chosen ? chosen_width : line.pale ? pale_width : line_width;
        QPen pen(line.pale ? model::mixed(colours.ground, colour, pale_share) : colour, width);
        pen.setStyle(styles[look % 4]);
        series_[i]->setPen(pen);
    }
}

void LineChart::apply_colours() {
    const model::Colours& colours = model::colours_of(palette());
    chart_->setBackgroundBrush(colours.surface);
    chart_->setPlotAreaBackgroundVisible(true);
    chart_->setPlotAreaBackgroundBrush(colours.ground);
    QFont font = this->font();
    font.setPixelSize(model::scaled_px(11));
    for (QValueAxis* axis : {x_, y_}) {
        axis->setLabelsColor(colours.faint);
        axis->setTitleBrush(colours.faint);
        axis->setLabelsFont(font);
        axis->setTitleFont(font);
        axis->setGridLineColor(colours.line);
        axis->setLinePen(QPen(colours.line));
    }
    colour_lines();
    for (QLineSeries* line : start_lines_) line->setPen(start_pen(colours));
    marks_->setColor(colours.bad);
    marks_->setBorderColor(colours.bad);
    show_legend();
}

}  // namespace divisi::charts

#include "moc_line_chart.cpp"
