// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/telemetry_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <utility>

#include "app/client/refusal_text.h"
#include "app/model/tracking/selected_instance.h"
#include "backend/control/protocol/mesh_messages.h"

namespace divisi::charts {

namespace {

constexpr int pass_ms = 1000;

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
      axes_(source_, telemetry_),
      stack_(new QStackedLayout(this)),
      empty_(new QLabel(this)),
      filled_(new QWidget(this)),
      with_(new QLabel(filled_)),
      compare_(new CompareMenu(filled_)),
      all_(new QPushButton(filled_)),
      notices_(new TelemetryNotices(filled_)),
      grid_(new ChartGrid(filled_)),
      exports_(new ExportBar(
          *grid_, [this] { show_state(Which::all); }, filled_)),
      zoom_(*grid_),
      cursor_(*grid_, axes_),
      mark_(*grid_, axes_),
      menu_({*grid_, zoom_, cursor_, mark_, *exports_}) {
    setObjectName(QStringLiteral("telemetry"));
    empty_->setObjectName(QStringLiteral("telemetryEmpty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
    build();
    connect_parts();
    stack_->addWidget(empty_);
    stack_->addWidget(filled_);
    setMinimumHeight(180);
    if (client_) connect(client_, &client::Client::statusChanged, this, &TelemetryView::refresh);
    if (client_) connect(client_, &client::Client::dataChanged, this, &TelemetryView::refresh);
    if (client_) connect(&passing_, &QTimer::timeout, this, &TelemetryView::pass);
    passing_.start(pass_ms);
    retranslate();
}

void TelemetryView::build() {
    with_->setBuddy(compare_);
    all_->setObjectName(QStringLiteral("showAll"));
    all_->setCheckable(true);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(16, 4, 16, 0);
    bar->setSpacing(8);
    bar->addWidget(with_);
    bar->addWidget(compare_);
    bar->addStretch(1);
    bar->addWidget(all_);
    bar->addWidget(exports_);
    setTabOrder(all_, &exports_->csv());  // the Tab key reaches the bar before the charts
    setTabOrder(&exports_->csv(), &exports_->image());
    auto* column = new QVBoxLayout(filled_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(notices_);
    column->addWidget(grid_, 1);
}

/// Connects the parts with each other. The calls in a handler depend on their order.
void TelemetryView::connect_parts() {
    connect(grid_, &ChartGrid::sightChanged, this, &TelemetryView::refresh);
    connect(compare_, &CompareMenu::chosenChanged, this, &TelemetryView::refresh);
    connect(&zoom_, &ZoomRanges::changed, this, [this] { all_->setChecked(zoom_.shows_all()); });
    connect(all_, &QPushButton::clicked, &zoom_, &ZoomRanges::show_all);
    connect(&mark_, &SelectionMark::changed, this, &TelemetryView::show_selection);
    connect(&cursor_, &ChartCursor::momentChanged, this, [this] {
        // For a recording no refresh is needed, because its client reports a changed time together with the data.
        if (client_ && !client_->status().replayed) refresh();
    });
    connect(exports_, &ExportBar::started, notices_, &TelemetryNotices::clear);
    connect(exports_, &ExportBar::saved, notices_, &TelemetryNotices::show_saved);
    connect(exports_, &ExportBar::failed, notices_, &TelemetryNotices::show_problem);
    for (const Chart which : grid_->charts())
        connect(&grid_->chart(which), &LineChart::menuRequested, this,
                [this, which](const QPoint& global, double x) { menu_.open(*this, which, global, x); });
}

void TelemetryView::show_task(const TaskId& task) {
    if (axes_.task() == task) return;
    axes_.set_task(task);
    grid_->clear();
    compare_->choose({});
    zoom_.show_task(task);
    refresh();
}

void TelemetryView::show_selection() {
    refresh();
    mark_.show();
    if (const std::optional<double> step = mark_.step()) cursor_.show(true, step);
}

void TelemetryView::refresh() {
    if (isVisible()) show_state(Which::seen);
}

void TelemetryView::show_state(Which which) {
    const auto& tasks = client_ ? client_->data().state.tasks : std::map<TaskId, control::TaskView>();
    const auto found = tasks.find(axes_.task());
    if (found == tasks.end())
        return show_empty(tasks.empty() ? none_text(client_)
                                        : tr("Choose a task in Tasks to see its loss, speed and load here."));
    const control::TaskView& task = found->second;
    if (task.history.empty()) return show_empty(awaited_text(task, client_->data().state));
    stack_->setCurrentWidget(filled_);
    offer_others();
    notices_->show_left_out(client_->data().loads_left_out, client_->status().replayed);
    show_charts(task, which);
}

void TelemetryView::show_empty(const QString& text) {
    if (empty_->text() != text) empty_->setText(text);
    stack_->setCurrentWidget(empty_);
}

/// Updates the menu of other tasks, whose curves can be compared with the curves of the shown task.
void TelemetryView::offer_others() {
    std::vector<TaskId> others;
    for (const auto& [id, task] : client_->data().state.tasks)
        if (id != axes_.task() && !task.history.empty()) others.push_back(id);
    compare_->offer(others);
}

void TelemetryView::show_charts(const control::TaskView& task, Which which) {
    const double from = axes_.origin();
    edge_.move_to(cursor_.shown(client_->shown(), client_->status().replayed));
    const model::Selected& selected = mark_.selected();
    const TelemetryLines::Chosen chosen{model::instance_of(selected, client_->data().state), selected};
    std::vector<Chart> placed;
    for (const Chart chart : grid_->charts()) {
        std::vector<LineChart::Line> lines = source_.lines(chart, task, compare_->chosen(), from, chosen);
        if (lines.empty()) continue;  // the task has no data for this chart
        placed.push_back(chart);
        show_chart(chart, task, std::move(lines), from, which);
    }
    grid_->place(placed);
    mark_.show();
    const QString& problem = telemetry_.store().problem();
    if (!problem.isEmpty()) notices_->show_problem(problem);
}

void TelemetryView::show_chart(Chart chart, const control::TaskView& task, std::vector<LineChart::Line> lines,
                               double from, Which which) {
    LineChart& drawn = grid_->chart(chart);
    // Painting is expensive: a chart outside the visible part of the scroll area waits until it becomes visible.
    const bool unseen = drawn.isVisible() && drawn.visibleRegion().isEmpty() && !drawn.lines().empty();
    if (unseen && which == Which::seen) return;
    const QString latest = headings_.text(chart, task, lines, edge_.now(), from);
    drawn.set_edge(edge_.of(chart, task, lines, from));
    drawn.show_lines(lines, latest, is_by_step(chart) ? starts_of(task) : std::vector<LineChart::Start>());
    if (which == Which::all) drawn.draw_now();
}

/// Returns the steps from which a generation repeated work. From these steps on, curves show the newest generation.
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

/// Requests link figures, which devices report only on request, and refreshes so that gaps in the reports become
/// visible.
void TelemetryView::pass() {
    if (visibleRegion().isEmpty()) return;
    const bool connected = client_->status().connection == client::Connection::connected;
    if (connected && axes_.task() != TaskId()) client_->poll(control::QueryMesh{});
    refresh();
}

void TelemetryView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void TelemetryView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void TelemetryView::retranslate() {
    grid_->retranslate();
    with_->setText(tr("Compare &with"));
    compare_->retranslate();
    all_->setText(tr("Show all"));
    all_->setToolTip(tr("Show all steps and the full time instead of the last %1 s; press again to undo. Wheel: zoom "
                        "at the pointer. Drag: move. Double click or 0: go back, then do the same. Arrows: move the "
                        "cursor. Enter: select the step or moment there")
                         .arg(ChartGrid::window_s));
    exports_->retranslate();
    show_empty(none_text(client_));
    refresh();
}

}  // namespace divisi::charts

#include "moc_telemetry_view.cpp"
