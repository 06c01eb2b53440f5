// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/telemetry_view.h"

#include <QBuffer>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QScrollBar>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/model/save_bytes.h"
#include "app/model/selected_instance.h"
#include "app/model/text.h"
#include "app/model/text_scale.h"

namespace divisi::charts {

namespace {

/// The x axis of what goes by time: so far back, as long as nobody zooms.
constexpr double window_s = 120;
constexpr int least_width = 260, usual_height = 190;  ///< of a chart, in pixels
constexpr int least_plot = 96, texts_height = 64;     ///< with its axes; heading and a legend of one row
constexpr int least_columns = 2, most_columns = 4;
constexpr int mesh_ms = 1000;
constexpr int name_letters = 24;  ///< of a task to compare with

QString none_text(const client::Client* client) {
    return TelemetryView::tr("Loss, speed and load of a task show here.") + u' ' + client::how_to_begin(client);
}

}  // namespace

TelemetryView::TelemetryView(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      telemetry_(client),
      source_(client, telemetry_),
      stack_(new QStackedLayout(this)),
      empty_(new QLabel(this)),
      filled_(new QWidget(this)),
      problem_(new QLabel(filled_)),
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
    if (client_) connect(&mesh_, &QTimer::timeout, this, &TelemetryView::ask_mesh);
    mesh_.start(mesh_ms);
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
    csv_->setObjectName(QStringLiteral("exportCsv"));
    image_->setObjectName(QStringLiteral("exportImage"));
    problem_->setObjectName(QStringLiteral("telemetryProblem"));
    problem_->setProperty("role", QStringLiteral("error"));
    problem_->setWordWrap(true);
    problem_->hide();
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
        connect(chart, &LineChart::hovered, this,
                [this, by_step](std::optional<double> x) { show_cursor(by_step, x); });
        connect(chart, &LineChart::clicked, this, [this, by_step](double x) {
            pick_moment(by_step, x);
            if (by_step) select_step(x);
        });
        connect_places(*chart);
        charts_.push_back(chart);
    }
    connect(all_, &QPushButton::clicked, this, [this] {
        choose_range(true, std::nullopt);
        choose_range(false, std::nullopt);
    });
    connect(csv_, &QPushButton::clicked, this, [this] {
        choose_file(tr("Export the values shown"), tr("Tables (*.csv)"), "csv",
                    [](TelemetryView& view, const QString& file) { return view.save_csv(file); });
    });
    connect(image_, &QPushButton::clicked, this, [this] {
        choose_file(tr("Export the charts"), tr("Images (*.png)"), "png",
                    [](TelemetryView& view, const QString& file) { return view.save_image(file); });
    });
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

/// Null where none is.
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
    for (LineChart* chart : charts_) chart->show_lines({}, {});  // also where it is out of sight
    choose_others({});
    zoom_all(true, std::nullopt);
    zoom_all(false, std::nullopt);
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
    if (what.kind == model::Selected::Kind::step && what.task == task_)
        show_cursor(true, static_cast<double>(what.number));
}

/// The one next to a place on the axis of steps; they count from 1.
void TelemetryView::select_step(double x) {
    if (!selection_ || task_ == TaskId()) return;
    const auto step = static_cast<std::uint64_t>(std::max<long long>(std::llround(x), 1));
    selection_->select(model::Selected::of_step(task_, step));
}

void TelemetryView::use_cursor(model::TimeCursor& cursor) {
    moment_ = &cursor;
    connect(&cursor, &model::TimeCursor::moved, this, [this] {
        if (moment_ && !moment_->live()) show_moment();  // else the pointer's cursor stays
    });
    connect(&cursor, &model::TimeCursor::modeChanged, this, &TelemetryView::show_moment);
}

void TelemetryView::refresh() {
    if (isVisible()) show_state(Which::seen);
}

void TelemetryView::show_state(Which which) {
    const auto& tasks = client_ ? client_->data().state.tasks : std::map<TaskId, control::TaskView>();
    const auto found = tasks.find(task_);
    if (found == tasks.end()) return show_empty(none_text(client_));
    const control::TaskView& task = found->second;
    if (task.history.empty())
        return show_empty(tr("Waiting for the first step of %1.").arg(QString::fromStdString(task.name)));
    stack_->setCurrentWidget(filled_);
    show_others();
    show_left_out();
    show_charts(task, which);
}

/// A curve that is not whole says so; the states of tasks are.
void TelemetryView::show_left_out() {
    const std::uint64_t count = client_->data().loads_left_out;
    left_out_->setVisible(count > 0);
    if (count == 0) return;
    const QString text =
        (client_->status().replayed
             ? tr("Measurements that this recording lacks up to here, since they came faster than the recording window "
                  "took them: %1. States and steps are complete.")
             : tr("Measurements left out so far, since they came faster than this window takes them: %1. "
                  "States and steps are complete."))
            .arg(QLocale().toString(static_cast<qulonglong>(count)));
    if (left_out_->text() != text) left_out_->setText(text);
}

void TelemetryView::show_empty(const QString& text) {
    empty_->setText(text);
    stack_->setCurrentWidget(empty_);
}

/// Tasks that have a curve to compare with.
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
    const TelemetryLines::Chosen chosen{model::instance_of(selected_, client_->data().state), selected_};
    std::vector<LineChart*> placed;
    for (const Chart chart : order_) {
        std::vector<LineChart::Line> lines = source_.lines(chart, task, others_, from, chosen);
        if (lines.empty()) continue;  // nothing was told of it
        placed.push_back(charts_[static_cast<std::size_t>(chart)]);
        show_chart(chart, task, std::move(lines), which);
    }
    if (placed != placed_) {
        placed_ = std::move(placed);
        placed_columns_ = 0;
    }
    arrange();
    const QString& problem = telemetry_.store().problem();
    if (!problem.isEmpty()) problem_->setText(problem);
    if (!problem.isEmpty()) problem_->show();
}

void TelemetryView::show_chart(Chart chart, const control::TaskView& task, std::vector<LineChart::Line> lines,
                               Which which) {
    LineChart& drawn = *charts_[static_cast<std::size_t>(chart)];
    // Painting is dear: what lies outside the part that is scrolled to waits until it is.
    const bool unseen = drawn.isVisible() && drawn.visibleRegion().isEmpty() && !drawn.lines().empty();
    if (unseen && which == Which::seen) return;
    const QString latest = headline(chart, task, lines);
    drawn.show_lines(lines, latest, is_by_step(chart) ? starts_of(task) : std::vector<LineChart::Start>());
    if (which == Which::all) drawn.draw_now();
}

QString TelemetryView::headline(Chart which, const control::TaskView& task,
                                const std::vector<LineChart::Line>& lines) const {
    const control::StepRecord& last = task.history.back();
    const QString loss = model::loss_text(static_cast<double>(last.loss));
    const bool measured = !task.evaluations.empty() && task.evaluations.back().accuracy.has_value();
    switch (which) {
        case Chart::loss:
            if (!measured) return tr("%1 at step %2").arg(loss).arg(last.step);
            return loss + QStringLiteral(" \u00b7 ") +
                   tr("accuracy %1").arg(QLocale().toString(*task.evaluations.back().accuracy * 100, 'f', 1) + u'%');
        case Chart::speed: return QLocale().toString(last.samples_per_s, 'f', 1);
        case Chart::step_time: return model::ms_text(last.step_ms);
        case Chart::accuracy: {
            const std::optional<QPointF> newest = lines.front().last();
            return newest && !lines.front().pale ? QLocale().toString(newest->y(), 'f', 1) + u'%' : QString();
        }
        case Chart::busy:
        case Chart::wait: {
            double sum = 0;
            for (const LineChart::Line& line : lines) sum += line.last().value_or(QPointF()).y();
            return tr("mean %1 %").arg(qRound(sum / static_cast<double>(lines.size())));
        }
        default: return {};
    }
}

/// Where the task went back to, and did steps again: what the curve shows behind it is of the newest generation.
std::vector<LineChart::Start> TelemetryView::starts_of(const control::TaskView& task) const {
    const auto text = [](Generation generation, std::int64_t step) {
        return tr("Generation %1, from step %2").arg(generation).arg(step);
    };
    std::vector<LineChart::Start> starts;
    bool newest = false;
    for (const control::Incident& one : client_->data().incidents.all()) {
        if (one.task != task.id || one.generation == 0) continue;
        newest = newest || one.generation == task.generation;
        const QString why = QString::fromStdString(one.fault).simplified();
        starts.push_back(
            {static_cast<double>(one.from_step), tr("%1: %2").arg(text(one.generation, one.from_step), why)});
    }
    if (!newest && task.from_step > 0)  // from before this console was connected
        starts.push_back({static_cast<double>(task.from_step), text(task.generation, task.from_step)});
    return starts;
}

/// A low view shows one row whole, with its legends, rather than a part of a higher one.
void TelemetryView::fit_rows() {
    const int least = least_plot + model::scaled_px(texts_height);
    const int height = std::max(least, std::min(scroll_->viewport()->height(), usual_height));
    for (LineChart* chart : charts_) chart->setMinimumHeight(height);
}

/// As many columns as the width has room for.
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
    if (by_step) Q_EMIT stepsChosen();
}

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

/// The moment that all views show, where it is not now.
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

/// Devices tell what their links do when they are asked.
void TelemetryView::ask_mesh() {
    const bool connected = client_->status().connection == client::Connection::connected;
    if (connected && task_ != TaskId() && !visibleRegion().isEmpty()) client_->ask_mesh();
}

Result<void> TelemetryView::save_csv(const QString& file) {
    show_state(Which::all);
    std::vector<ExportedCurve> curves;
    for (std::size_t i = 0; i < chart_count; ++i) {
        const auto which = static_cast<Chart>(i);
        if (std::find(placed_.begin(), placed_.end(), charts_[i]) == placed_.end()) continue;
        const auto [from, to] = charts_[i]->shown_range();
        for (const LineChart::Line& line : charts_[i]->lines()) {
            ExportedCurve curve{TelemetryLines::title(which), line.name,
                                is_by_step(which) ? QStringLiteral("step") : QStringLiteral("s"),
                                TelemetryLines::unit(which), line.series->range(from + line.shift, to + line.shift)};
            for (model::Sample& one : curve.samples) one = {one.x - line.shift, one.y * line.scale};
            curves.push_back(std::move(curve));
        }
    }
    return model::save_bytes(file, curve_csv(curves));
}

Result<void> TelemetryView::save_image(const QString& file) {
    show_state(Which::all);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    page_->grab().save(&buffer, "PNG");
    return model::save_bytes(file, bytes);
}

void TelemetryView::choose_file(const QString& title, const QString& filter, const char* suffix, Save save) {
    auto* dialog = new QFileDialog(this, title, QString(), filter);
    dialog->setObjectName(QStringLiteral("telemetryExport"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QString::fromLatin1(suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this, save](const QString& file) {
        const Result<void> done = save(*this, file);
        problem_->setVisible(!done.ok());
        if (!done.ok()) problem_->setText(QString::fromStdString(done.error().message()));
    });
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
        placed_anew_.start(0);  // once the layout has followed
    }
    return QWidget::eventFilter(watched, event);
}

void TelemetryView::retranslate() {
    for (std::size_t i = 0; i < chart_count; ++i) {
        const auto which = static_cast<Chart>(i);
        charts_[i]->set_title(TelemetryLines::title(which));
        charts_[i]->set_title_tip(tr("Drag it onto another chart to put it in its place"));
        charts_[i]->set_unit(TelemetryLines::unit(which));
        charts_[i]->set_x_title(TelemetryLines::x_title(which));
    }
    with_->setText(tr("Compare &with"));
    compare_->menu()->clear();  // it is named anew
    name_others();
    compare_->setToolTip(tr("The curves of other tasks, pale, step beside step"));
    all_->setText(tr("Show all"));
    all_->setToolTip(
        tr("Wheel: zoom at the pointer. Drag: move. Double click or 0: all again. Arrows: move the cursor"));
    csv_->setText(tr("Export values..."));
    csv_->setToolTip(tr("Every value in the ranges shown, as CSV with units and neutral numbers"));
    image_->setText(tr("Export image..."));
    image_->setToolTip(tr("All charts as they are shown, as PNG"));
    show_empty(none_text(client_));
    refresh();
}

}  // namespace divisi::charts
