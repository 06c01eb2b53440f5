// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/telemetry_view.h"

#include <QBuffer>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLocale>
#include <QScrollBar>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "app/client/refusal_text.h"
#include "app/model/documents/save_bytes.h"
#include "app/model/tracking/selected_instance.h"
#include "app/model/wording/text.h"
#include "app/model/wording/text_scale.h"

namespace divisi::charts {

namespace {

/// Width in seconds of the x axis of charts by time, unless the user zooms.
constexpr double window_s = 120;
constexpr int least_width = 260, usual_height = 190;  ///< size of a chart in pixels
constexpr int least_plot = 96, texts_height = 64;     ///< chart with its axes; heading and a one-row legend
constexpr int least_columns = 2, most_columns = 4;
constexpr int pass_ms = 1000;
constexpr int name_letters = 24;  ///< shown length of a compared task's name

QString none_text(const client::Client* client) {
    return TelemetryView::tr("Loss, speed and load of a task appear here.") + u' ' + client::how_to_begin(client);
}

}  // namespace

TelemetryView::TelemetryView(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      telemetry_(client),
      source_(client, telemetry_),
      headings_(telemetry_),
      stack_(new QStackedLayout(this)),
      empty_(new QLabel(this)),
      filled_(new QWidget(this)),
      problem_(new QLabel(filled_)),
      saved_(new QLabel(filled_)),
      left_out_(new QLabel(filled_)),
      with_(new QLabel(filled_)),
      compare_(new QToolButton(filled_)),
      all_(new QPushButton(filled_)),
      csv_(new QPushButton(filled_)),
      image_(new QPushButton(filled_)),
      scroll_(new QScrollArea(filled_)),
      page_(new QWidget(scroll_)),
      grid_(new QGridLayout(page_)),
      place_mark_(new QRubberBand(QRubberBand::Rectangle, page_)) {
    setObjectName(QStringLiteral("telemetry"));
    empty_->setObjectName(QStringLiteral("telemetryEmpty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
    set_order({});
    build();
    connect_charts();
    stack_->addWidget(empty_);
    stack_->addWidget(filled_);
    setMinimumHeight(180);
    if (client_) connect(client_, &client::Client::statusChanged, this, &TelemetryView::refresh);
    if (client_) connect(client_, &client::Client::dataChanged, this, &TelemetryView::refresh);
    if (client_) connect(&passing_, &QTimer::timeout, this, &TelemetryView::pass);
    passing_.start(pass_ms);
    placed_anew_.setSingleShot(true);
    connect(&placed_anew_, &QTimer::timeout, this, &TelemetryView::refresh);
    retranslate();
}

void TelemetryView::build() {
    compare_->setObjectName(QStringLiteral("compareWith"));
    compare_->setPopupMode(QToolButton::InstantPopup);
    compare_->setFocusPolicy(Qt::StrongFocus);
    compare_->setMenu(new QMenu(compare_));
    compare_->menu()->setObjectName(QStringLiteral("compareMenu"));
    with_->setBuddy(compare_);
    all_->setObjectName(QStringLiteral("showAll"));
    all_->setCheckable(true);
    csv_->setObjectName(QStringLiteral("exportCsv"));
    image_->setObjectName(QStringLiteral("exportImage"));
    problem_->setObjectName(QStringLiteral("telemetryProblem"));
    problem_->setProperty("role", QStringLiteral("error"));
    problem_->setWordWrap(true);
    problem_->hide();
    saved_->setObjectName(QStringLiteral("telemetrySaved"));
    saved_->setProperty("role", QStringLiteral("faint"));
    saved_->setWordWrap(true);
    saved_->hide();
    left_out_->setObjectName(QStringLiteral("telemetryLeftOut"));
    left_out_->setProperty("role", QStringLiteral("faint"));
    left_out_->setWordWrap(true);
    left_out_->hide();
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(16, 4, 16, 0);
    bar->setSpacing(8);
    bar->addWidget(with_);
    bar->addWidget(compare_);
    bar->addStretch(1);
    for (QPushButton* button : {all_, csv_, image_}) bar->addWidget(button);
    page_->setObjectName(QStringLiteral("telemetryCharts"));
    place_mark_->hide();
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(0);
    scroll_->setWidget(page_);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->viewport()->installEventFilter(this);
    connect(scroll_->verticalScrollBar(), &QScrollBar::valueChanged, this, &TelemetryView::refresh);
    auto* column = new QVBoxLayout(filled_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(problem_);
    column->addWidget(saved_);
    column->addWidget(left_out_);
    column->addWidget(scroll_, 1);
}

void TelemetryView::connect_charts() {
    for (std::size_t i = 0; i < chart_count; ++i) {
        const auto which = static_cast<Chart>(i);
        auto* chart = new LineChart(page_);
        chart->hide();
        if (!is_by_step(which)) chart->set_window(window_s);
        if (which == Chart::busy || which == Chart::wait || which == Chart::node_cpu) chart->set_fixed_y(0, 100, 25);
        const bool by_step = is_by_step(which);
        connect(chart, &LineChart::rangeChosen, this,
                [this, by_step](double from, double to) { choose_range(by_step, std::pair(from, to)); });
        connect(chart, &LineChart::rangeReset, this, [this, by_step] { choose_range(by_step, std::nullopt); });
        connect(chart, &LineChart::wholeChosen, this, &TelemetryView::show_whole);
        connect(chart, &LineChart::menuRequested, this,
                [this, which](const QPoint& global, double x) { open_menu(which, global, x); });
        connect(chart, &LineChart::hovered, this,
                [this, by_step](std::optional<double> x) { show_cursor(by_step, x); });
        connect(chart, &LineChart::clicked, this, [this, by_step](double x) {
            pick_moment(by_step, x);
            if (by_step) select_step(x);
        });
        connect_places(*chart);
        charts_.push_back(chart);
    }
    connect(all_, &QPushButton::clicked, this, [this](bool whole) {
        choose_range(true, std::nullopt);
        show_whole(whole);
    });
    connect_exports();
}

void TelemetryView::connect_exports() {
    connect(csv_, &QPushButton::clicked, this, [this] {
        if (export_.active()) return export_.cancel();
        choose_file(tr("Export the values shown"), tr("Tables (*.csv)"), "csv",
                    [this](const QString& file) { save_csv(file); });
    });
    connect(image_, &QPushButton::clicked, this, [this] {
        choose_file(tr("Export the charts"), tr("Images (*.png)"), "png", [this](const QString& file) {
            const Result<void> done = save_image(file);
            if (!done.ok()) return show_problem(client::quoted(done.error()));
            show_saved(tr("The charts are in %1.").arg(QDir::toNativeSeparators(file)));
        });
    });
    connect(&export_, &CurveExport::ended, this, [this](const QString& file, std::int64_t values) {
        show_saved(tr("Values exported: %1, to %2.").arg(model::count_text(values), QDir::toNativeSeparators(file)));
        name_export();
    });
    connect(&export_, &CurveExport::failed, this, [this](const Error& error) {
        show_problem(QString::fromStdString(error.message()));
        name_export();
    });
}

void TelemetryView::show_saved(const QString& sentence) {
    problem_->hide();
    saved_->setText(sentence);
    saved_->show();
}

void TelemetryView::show_problem(const QString& sentence) {
    saved_->hide();
    problem_->setText(sentence);
    problem_->show();
}

void TelemetryView::name_export() {
    csv_->setText(export_.active() ? tr("Cancel the export") : tr("Export values..."));
}

void TelemetryView::connect_places(LineChart& chart) {
    connect(&chart, &LineChart::headDragged, this, [this, &chart](const QPoint& at) {
        const LineChart* under = placed_under(at);
        mark_place(under == &chart ? nullptr : under);
    });
    connect(&chart, &LineChart::headDropped, this, [this, &chart](const QPoint& at) {
        mark_place(nullptr);
        move_to_place_of(chart, placed_under(at));
    });
    connect(&chart, &LineChart::placeRequested, this, [this, &chart](int by) {
        const auto here = std::ranges::find(placed_, &chart) - placed_.begin() + by;
        if (here >= 0 && here < static_cast<std::ptrdiff_t>(placed_.size()))
            move_to_place_of(chart, placed_[static_cast<std::size_t>(here)]);
    });
}

/// Returns the chart at this screen position; null if there is none.
const LineChart* TelemetryView::placed_under(const QPoint& global) const {
    const auto holds = [&](const LineChart* chart) { return chart->rect().contains(chart->mapFromGlobal(global)); };
    const auto found = std::ranges::find_if(placed_, holds);
    return found == placed_.end() ? nullptr : *found;
}

void TelemetryView::mark_place(const LineChart* target) {
    if (target) place_mark_->setGeometry(target->geometry());
    place_mark_->setVisible(target != nullptr);
    if (target) place_mark_->raise();
}

void TelemetryView::move_to_place_of(const LineChart& moved, const LineChart* target) {
    if (!target || target == &moved) return;
    const auto place_of = [this](const LineChart& chart) {
        const auto shows = [&](Chart which) { return charts_[static_cast<std::size_t>(which)] == &chart; };
        return std::ranges::find_if(order_, shows);
    };
    const auto from = place_of(moved), to = place_of(*target);
    if (from < to) std::rotate(from, from + 1, to + 1);
    else std::rotate(to, from, from + 1);
    refresh();
    Q_EMIT orderChanged();
}

QStringList TelemetryView::order() const {
    QStringList ids;
    for (const Chart chart : order_) ids << TelemetryLines::id(chart);
    return ids;
}

void TelemetryView::set_order(const QStringList& ids) {
    order_.clear();
    for (std::size_t i = 0; i < chart_count; ++i) order_.push_back(static_cast<Chart>(i));
    const auto rank = [&](Chart chart) {
        const qsizetype named = ids.indexOf(TelemetryLines::id(chart));
        return named < 0 ? ids.size() : named;
    };
    std::ranges::stable_sort(order_, {}, rank);
    refresh();
}

void TelemetryView::show_task(const TaskId& task) {
    if (task_ == task) return;
    task_ = task;
    for (LineChart* chart : charts_) chart->show_lines({}, {});  // including charts that are scrolled out of sight
    choose_others({});
    zoom_all(true, std::nullopt);
    zoom_all(false, std::nullopt);
    show_all_state();
    if (wanted_steps_ && wanted_steps_->first == task)
        zoom_all(true, std::exchange(wanted_steps_, std::nullopt)->second);
    refresh();
}

std::optional<std::pair<double, double>> TelemetryView::shown_steps() const {
    return loss().zoomed() ? std::optional(loss().shown_range()) : std::nullopt;
}

void TelemetryView::show_steps(const TaskId& task, std::pair<double, double> range) {
    if (task == task_) return zoom_all(true, range);
    wanted_steps_ = {task, range};
}

void TelemetryView::use_selection(model::Selection& selection) {
    selection_ = &selection;
    connect(&selection, &model::Selection::changed, this, &TelemetryView::mark);
}

void TelemetryView::mark(const model::Selected& what) {
    selected_ = what;
    refresh();
    show_mark();
    if (what.kind == model::Selected::Kind::step && what.task == task_)
        show_cursor(true, static_cast<double>(what.number));
}

void TelemetryView::show_mark() {
    std::optional<double> step, time;
    if (selected_.kind == model::Selected::Kind::step && selected_.task == task_)
        step = static_cast<double>(selected_.number);
    if (step) time = telemetry_.seconds_of(task_, *step);
    if (time) *time -= origin();
    for (std::size_t i = 0; i < chart_count; ++i) charts_[i]->set_mark(is_by_step(static_cast<Chart>(i)) ? step : time);
}

/// Selects the step nearest to `x` on the axis of steps, which count from 1.
void TelemetryView::select_step(double x) {
    if (!selection_ || task_ == TaskId()) return;
    const auto step = static_cast<std::uint64_t>(std::max<long long>(std::llround(x), 1));
    selection_->select(model::Selected::of_step(task_, step));
}

void TelemetryView::use_cursor(model::TimeCursor& cursor) {
    moment_ = &cursor;
    connect(&cursor, &model::TimeCursor::moved, this, [this] {
        if (moment_ && !moment_->live()) follow_moment();  // while the moment is now, the cursor stays at the pointer
    });
    connect(&cursor, &model::TimeCursor::modeChanged, this, &TelemetryView::follow_moment);
}

/// Shows the cursor's moment. A recording needs no refresh here: it reports a changed moment itself, together with its
/// data.
void TelemetryView::follow_moment() {
    if (client_ && !client_->status().replayed) refresh();
    show_moment();
}

void TelemetryView::refresh() {
    if (isVisible()) show_state(Which::seen);
}

void TelemetryView::show_state(Which which) {
    const auto& tasks = client_ ? client_->data().state.tasks : std::map<TaskId, control::TaskView>();
    const auto found = tasks.find(task_);
    if (found == tasks.end())
        return show_empty(tasks.empty() ? none_text(client_)
                                        : tr("Choose a task in Tasks to see its loss, speed and load here."));
    const control::TaskView& task = found->second;
    if (task.history.empty()) return show_empty(awaited_text(task, client_->data().state));
    stack_->setCurrentWidget(filled_);
    show_others();
    show_left_out();
    show_charts(task, which);
}

/// Warns that curves are incomplete. The states of tasks are always complete.
void TelemetryView::show_left_out() {
    const std::uint64_t count = client_->data().loads_left_out;
    left_out_->setVisible(count > 0);
    if (count == 0) return;
    const QString text =
        (client_->status().replayed ? tr("Measurements missing up to here because they arrived too fast for the "
                                         "recording window: %1. States and steps are complete.")
                                    : tr("Measurements dropped because they arrived too fast for this window: %1. "
                                         "States and steps are complete."))
            .arg(QLocale().toString(static_cast<qulonglong>(count)));
    if (left_out_->text() != text) left_out_->setText(text);
}

void TelemetryView::show_empty(const QString& text) {
    if (empty_->text() != text) empty_->setText(text);
    stack_->setCurrentWidget(empty_);
}

/// Offers the other tasks that have a curve to compare with.
void TelemetryView::show_others() {
    QStringList others, offered;
    for (const auto& [id, task] : client_->data().state.tasks)
        if (id != task_ && !task.history.empty()) others << QString::fromStdString(id.value());
    for (const QAction* offer : compare_->menu()->actions())
        if (offer->isCheckable()) offered << offer->text();
    if (offered == others && !compare_->menu()->isEmpty()) return;
    compare_->menu()->clear();
    compare_->menu()->addAction(tr("no other task"), this, [this] {
        choose_others({});
        refresh();
    });
    compare_->menu()->addSeparator();
    for (const QString& other : others) {
        QAction* offer = compare_->menu()->addAction(other);
        offer->setCheckable(true);
        connect(offer, &QAction::triggered, this, [this, task = TaskId(other.toStdString())](bool with) {
            std::vector<TaskId> chosen = others_;
            if (with) chosen.push_back(task);
            else std::erase(chosen, task);
            choose_others(chosen);
            refresh();
        });
    }
    std::vector<TaskId> chosen = others_;
    std::erase_if(chosen, [&](const TaskId& one) { return !others.contains(QString::fromStdString(one.value())); });
    choose_others(chosen);
}

void TelemetryView::choose_others(const std::vector<TaskId>& others) {
    others_ = others;
    for (QAction* offer : compare_->menu()->actions())
        offer->setChecked(std::ranges::find(others_, TaskId(offer->text().toStdString())) != others_.end());
    name_others();
}

void TelemetryView::name_others() {
    const QString only = others_.empty() ? tr("no other task") : QString::fromStdString(others_.front().value());
    const QFontMetrics metrics = compare_->fontMetrics();
    const QString text = others_.size() > 1 ? tr("%1 other tasks").arg(others_.size()) : only;
    compare_->setText(metrics.elidedText(text, Qt::ElideMiddle, name_letters * metrics.averageCharWidth()));
}

void TelemetryView::show_charts(const control::TaskView& task, Which which) {
    const double from = origin();
    move_edge();
    const TelemetryLines::Chosen chosen{model::instance_of(selected_, client_->data().state), selected_};
    std::vector<LineChart*> placed;
    for (const Chart chart : order_) {
        std::vector<LineChart::Line> lines = source_.lines(chart, task, others_, from, chosen);
        if (lines.empty()) continue;  // no data for this chart
        placed.push_back(charts_[static_cast<std::size_t>(chart)]);
        show_chart(chart, task, std::move(lines), from, which);
    }
    if (placed != placed_) {
        placed_ = std::move(placed);
        placed_columns_ = 0;
    }
    arrange();
    show_mark();
    const QString& problem = telemetry_.store().problem();
    if (!problem.isEmpty()) show_problem(problem);
}

void TelemetryView::show_chart(Chart chart, const control::TaskView& task, std::vector<LineChart::Line> lines,
                               double from, Which which) {
    LineChart& drawn = *charts_[static_cast<std::size_t>(chart)];
    // Painting is expensive: a chart outside the visible part of the scroll area waits until it becomes visible.
    const bool unseen = drawn.isVisible() && drawn.visibleRegion().isEmpty() && !drawn.lines().empty();
    if (unseen && which == Which::seen) return;
    const QString latest = headings_.text(chart, task, lines, shown(), from);
    drawn.set_edge(edge_of(chart, task, lines, from));
    drawn.show_lines(lines, latest, is_by_step(chart) ? starts_of(task) : std::vector<LineChart::Start>());
    if (which == Which::all) drawn.draw_now();
}

ShownMoment TelemetryView::shown() const {
    const auto seconds = [](TimePoint at) { return std::chrono::duration<double>(at.time_since_epoch()).count(); };
    const TimePoint told = client_->shown();
    if (!moment_ || moment_->live()) return {seconds(told), false};
    if (client_->status().replayed) return {seconds(std::min(moment_->at(), told)), false};
    return {seconds(moment_->at()), true};
}

/// Moves the right edge of the charts by time. If the chosen moment lies within the shown window the edge stays, so
/// that no curve moves away under the pointer.
void TelemetryView::move_edge() {
    const ShownMoment now = shown();
    const bool beside = edge_ - window_s <= now.seconds && now.seconds <= edge_;
    if (!now.past || !beside) edge_ = now.seconds;
}

/// Returns the right edge of a chart by time. For a task that has ended the chart ends with its curves.
std::optional<double> TelemetryView::edge_of(Chart chart, const control::TaskView& task,
                                             const std::vector<LineChart::Line>& lines, double from) const {
    double edge = edge_ - from, last = -std::numeric_limits<double>::infinity();
    for (const LineChart::Line& line : lines)
        if (const auto end = line.last()) last = std::max(last, end->x());
    if (is_by_step(chart) || std::isinf(last)) return std::nullopt;
    if (!shown().past) edge = std::max(edge, last);
    return task.over() && !is_of_links(chart) && !is_of_nodes(chart) ? std::min(edge, last) : edge;
}

/// Returns the steps from which the task repeated work. Behind such a start, the curve belongs to the newest
/// generation.
std::vector<LineChart::Start> TelemetryView::starts_of(const control::TaskView& task) const {
    const auto text = [](Generation generation, std::int64_t step) {
        return tr("Generation %1, from step %2").arg(generation).arg(step);
    };
    std::vector<LineChart::Start> starts;
    bool newest = false;
    for (const control::Incident& one : client_->data().incidents.all()) {
        if (one.task != task.id || one.generation == 0) continue;
        newest = newest || one.generation == task.generation;
        const QString why = client::quoted(one.fault).simplified();
        starts.push_back(
            {static_cast<double>(one.from_step), tr("%1: %2").arg(text(one.generation, one.from_step), why)});
    }
    if (!newest && task.from_step > 0)  // this start happened before this console connected
        starts.push_back({static_cast<double>(task.from_step), text(task.generation, task.from_step)});
    return starts;
}

/// Sets the row height. A low view shows one whole row with its legends, instead of part of a higher row.
void TelemetryView::fit_rows() {
    const int least = least_plot + model::scaled_px(texts_height);
    const int height = std::max(least, std::min(scroll_->viewport()->height(), usual_height));
    for (LineChart* chart : charts_) chart->setMinimumHeight(height);
}

/// Arranges the charts in as many columns as fit the width.
void TelemetryView::arrange() {
    fit_rows();
    const int room = std::clamp(scroll_->viewport()->width() / least_width, least_columns, most_columns);
    const int columns = std::max(1, std::min(room, static_cast<int>(placed_.size())));
    if (columns == placed_columns_) return;
    placed_columns_ = columns;
    for (LineChart* chart : charts_) {
        grid_->removeWidget(chart);
        chart->setVisible(std::find(placed_.begin(), placed_.end(), chart) != placed_.end());
    }
    for (int column = 0; column < most_columns; ++column) grid_->setColumnStretch(column, column < columns ? 1 : 0);
    for (int i = 0; i < static_cast<int>(placed_.size()); ++i)
        grid_->addWidget(placed_[static_cast<std::size_t>(i)], i / columns, i % columns);
    placed_anew_.start(0);
}

double TelemetryView::origin() const { return source_.origin(task_); }

void TelemetryView::zoom_all(bool by_step, std::optional<std::pair<double, double>> range) {
    for (std::size_t i = 0; i < chart_count; ++i) {
        if (is_by_step(static_cast<Chart>(i)) != by_step) continue;
        if (range) charts_[i]->zoom_to(range->first, range->second);
        else if (charts_[i]->zoomed()) charts_[i]->unzoom();
    }
}

void TelemetryView::choose_range(bool by_step, std::optional<std::pair<double, double>> range) {
    zoom_all(by_step, range);
    show_all_state();
    if (by_step) Q_EMIT stepsChosen();
}

void TelemetryView::show_whole(bool whole) {
    whole_ = whole;
    for (std::size_t i = 0; i < chart_count; ++i)
        if (!is_by_step(static_cast<Chart>(i))) charts_[i]->show_whole(whole);
    show_all_state();
}

void TelemetryView::show_all_state() { all_->setChecked(whole_ && !busy().zoomed()); }

void TelemetryView::show_cursor(bool by_step, std::optional<double> x) {
    if (!x && moment_ && !moment_->live()) return show_moment();
    std::optional<double> other;
    if (x && by_step) {
        other = telemetry_.seconds_of(task_, *x);
        if (other) *other -= origin();
    } else if (x) {
        other = telemetry_.step_at(task_, *x + origin());
    }
    for (std::size_t i = 0; i < chart_count; ++i)
        charts_[i]->set_cursor(is_by_step(static_cast<Chart>(i)) == by_step ? x : other);
}

/// Shows the cursor at the common moment of all views, unless that is now.
void TelemetryView::show_moment() {
    if (!moment_ || moment_->live()) return show_cursor(false, std::nullopt);
    const double seconds = std::chrono::duration<double>(moment_->at().time_since_epoch()).count();
    show_cursor(false, seconds - origin());
}

void TelemetryView::pick_moment(bool by_step, double x) {
    if (!moment_) return;
    const std::optional<double> seconds = by_step ? telemetry_.seconds_of(task_, x) : std::optional(x + origin());
    if (!seconds) return;
    moment_->set(TimePoint(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds))));
}

/// Requests link figures, which devices report only on request, and refreshes so that missing reports show too.
void TelemetryView::pass() {
    if (visibleRegion().isEmpty()) return;
    const bool connected = client_->status().connection == client::Connection::connected;
    if (connected && task_ != TaskId()) client_->ask_mesh();
    refresh();
}

std::vector<CurveExport::Part> TelemetryView::exported_parts() const {
    std::vector<CurveExport::Part> parts;
    for (std::size_t i = 0; i < chart_count; ++i) {
        const auto which = static_cast<Chart>(i);
        if (std::find(placed_.begin(), placed_.end(), charts_[i]) == placed_.end()) continue;
        const auto [from, to] = charts_[i]->shown_range();
        const QString x_unit = is_by_step(which) ? QStringLiteral("step") : QStringLiteral("s");
        for (const LineChart::Line& line : charts_[i]->lines())
            parts.push_back({{TelemetryLines::title(which), line.name, x_unit, TelemetryLines::unit(which), {}},
                             line.series,
                             from + line.shift,
                             to + line.shift,
                             line.shift,
                             line.scale});
    }
    return parts;
}

void TelemetryView::save_csv(const QString& file) {
    if (export_.active()) return;
    show_state(Which::all);
    export_.start(file, exported_parts());
    saved_->hide();
    problem_->hide();
    name_export();
}

Result<void> TelemetryView::save_image(const QString& file) {
    show_state(Which::all);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    page_->grab().save(&buffer, "PNG");
    return model::save_bytes(file, bytes);
}

void TelemetryView::choose_file(const QString& title, const QString& filter, const char* suffix,
                                std::function<void(const QString&)> save) {
    auto* dialog = new QFileDialog(this, title, QString(), filter);
    dialog->setObjectName(QStringLiteral("telemetryExport"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QString::fromLatin1(suffix));
    connect(dialog, &QFileDialog::fileSelected, this, std::move(save));
    dialog->open();
}

void TelemetryView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void TelemetryView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

bool TelemetryView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == scroll_->viewport() && event->type() == QEvent::Resize) {
        arrange();
        placed_anew_.start(0);  // runs after the layout was updated
    }
    return QWidget::eventFilter(watched, event);
}

void TelemetryView::retranslate() {
    for (std::size_t i = 0; i < chart_count; ++i) {
        const auto which = static_cast<Chart>(i);
        charts_[i]->set_title(TelemetryLines::title(which));
        charts_[i]->set_title_tip(tr("Drag onto another chart to move it there"));
        charts_[i]->set_unit(TelemetryLines::unit(which));
        charts_[i]->set_x_title(TelemetryLines::x_title(which));
    }
    with_->setText(tr("Compare &with"));
    compare_->menu()->clear();  // its entries are renamed
    name_others();
    compare_->setToolTip(tr("Show the curves of other tasks, pale, aligned by step"));
    all_->setText(tr("Show all"));
    all_->setToolTip(tr("Show all steps and the full time instead of the last %1 s; press again to undo. Wheel: zoom "
                        "at the pointer. Drag: move. Double click or 0: go back, then do the same. Arrows: move the "
                        "cursor. Enter: select the step or moment there")
                         .arg(window_s));
    name_export();
    csv_->setToolTip(tr("Every value in the ranges shown, as CSV with units and unlocalised numbers"));
    image_->setText(tr("Export image..."));
    image_->setToolTip(tr("All charts as they are shown, as PNG"));
    show_empty(none_text(client_));
    refresh();
}

}  // namespace divisi::charts
