// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_view.h"

#include <QClipboard>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/client/refusal_text.h"
#include "app/model/documents/save_bytes.h"
#include "app/model/tracking/selected_instance.h"
#include "app/model/tracking/span_trace.h"
#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/text.h"

namespace divisi::timeline {

namespace {

using model::SpanKind;

enum Column : int {
    instance_column,
    forward_column,
    backward_column,
    gradient_column,
    optimizer_column,
    data_column,
    wire_column,
    idle_column,
    bubble_column,
    busy_column,
    wait_column,
    sent_column,
    column_count
};

/// Returns the column of a kind of span. Each kind belongs to exactly one column, so that the times in a row add up to
/// the summed range.
constexpr int column_of(SpanKind kind) {
    switch (kind) {
        case SpanKind::forward: return forward_column;
        case SpanKind::backward: return backward_column;
        case SpanKind::weight_gradient: return gradient_column;
        case SpanKind::optimizer: return optimizer_column;
        case SpanKind::data:
        case SpanKind::evaluate: return data_column;
        case SpanKind::wire: return wire_column;
        case SpanKind::idle: return idle_column;
    }
    return idle_column;
}
constexpr int first_sum_column = forward_column, last_sum_column = idle_column;

/// Instance number that no row has; used for the row of all stages, and if no row is selected.
constexpr std::int32_t no_instance = std::numeric_limits<std::int32_t>::min();

/// If the view's height is less than this many pixels, the table is beside the lanes instead of below them.
constexpr int low_height = 340;

/// Returns "12.3 ms", or together with a measurement "12.3 ms → 13.1 ms".
QString beside(const QStringList& texts) { return texts.join(QStringLiteral(" \u2192 ")); }

const QString missing = QStringLiteral("\u2013");

std::int64_t ns_of(const model::SpanSums& spans, int column) {
    std::int64_t ns = 0;
    for (std::size_t kind = 0; kind < model::span_kinds; ++kind)
        if (column_of(static_cast<SpanKind>(kind)) == column) ns += spans.ns[kind];
    return ns;
}

/// Returns whether a column has a figure for an instance. A data unit neither computes nor waits, and wire time is
/// known only if waits are split.
bool is_summed(const model::TimelineSums& sums, std::int32_t instance, int column) {
    if (column == wire_column && !sums.waits_split) return false;
    return instance != plan::data_unit || column == data_column;
}

/// Returns the sums of an instance; null if it was not active in the range.
const model::SpanSums* sums_of(const model::TimelineSums& sums, std::int32_t instance) {
    const auto found = std::find_if(sums.instances.begin(), sums.instances.end(),
                                    [&](const model::SpanSums& one) { return one.instance == instance; });
    return found == sums.instances.end() ? nullptr : &*found;
}

/// Returns the instances that are in at least one of the sums: stages ascending, then plan::data_unit.
std::vector<std::int32_t> instances_in(const std::vector<model::TimelineSums>& sums) {
    std::vector<std::int32_t> instances;
    for (const model::TimelineSums& one : sums)
        for (const model::SpanSums& instance : one.instances) instances.push_back(instance.instance);
    std::sort(instances.begin(), instances.end(), [](std::int32_t a, std::int32_t b) {
        return std::pair(a == plan::data_unit, a) < std::pair(b == plan::data_unit, b);
    });
    instances.erase(std::unique(instances.begin(), instances.end()), instances.end());
    return instances;
}

}  // namespace

TimelineView::TimelineView(model::GraphDocument& document, model::TaskDraft& draft, client::Client* client,
                           model::PlanningService& planning, QWidget* parent)
    : QWidget(parent),
      client_(client),
      source_(document, draft, client, planning),
      live_(client, [this] { return !shows_trace() && !visibleRegion().isEmpty(); }),
      whose_(new QComboBox(this)),
      title_(new QLabel(this)),
      step_label_(new QLabel(this)),
      legend_(new QLabel(this)),
      problem_(new QLabel(this)),
      step_(new StepBox(this)),
      open_(new QPushButton(this)),
      close_(new QPushButton(this)),
      export_(new QPushButton(this)),
      canvas_(new TimelineCanvas(this)),
      table_(new QTableWidget(0, column_count, this)),
      split_(new QSplitter(Qt::Vertical, this)),
      reading_(planning),
      splitting_(planning),
      writing_(planning) {
    setObjectName(QStringLiteral("timeline"));
    setMinimumHeight(180);
    build();
    connect_parts();
    retranslate();
}

void TimelineView::build() {
    whose_->setObjectName(QStringLiteral("timelineWhose"));
    whose_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    whose_->addItem({});
    title_->setObjectName(QStringLiteral("timelineTitle"));
    problem_->setObjectName(QStringLiteral("timelineProblem"));
    problem_->setProperty("role", QStringLiteral("error"));
    legend_->setProperty("role", QStringLiteral("faint"));
    for (QLabel* label : {title_, legend_, problem_}) {
        label->setWordWrap(true);
        QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
        policy.setHeightForWidth(true);
        label->setSizePolicy(policy);
    }
    problem_->hide();
    step_->setObjectName(QStringLiteral("timelineStep"));
    step_label_->setBuddy(step_);
    open_->setObjectName(QStringLiteral("openTrace"));
    close_->setObjectName(QStringLiteral("closeTrace"));
    export_->setObjectName(QStringLiteral("exportTrace"));
    table_->setObjectName(QStringLiteral("timelineTable"));
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(26);
    QHeaderView* header = table_->horizontalHeader();
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setSortIndicatorShown(true);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &TimelineView::fill_table);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(8);
    bar->addWidget(whose_);
    bar->addStretch(1);
    bar->addWidget(step_label_);
    bar->addWidget(step_);
    bar->addWidget(open_);
    bar->addWidget(close_);
    bar->addWidget(export_);
    table_->setMinimumHeight(60);
    split_->addWidget(canvas_);
    split_->addWidget(table_);
    split_->setStretchFactor(0, 3);
    split_->setStretchFactor(1, 2);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(6);
    column->addLayout(bar);
    column->addWidget(title_);
    column->addWidget(problem_);
    column->addWidget(split_, 1);
    column->addWidget(legend_);
}

void TimelineView::connect_parts() {
    connect(&source_, &TimelineSource::changed, this, [this] {
        live_.set_programs(programs(), source_.run() ? source_.run()->since : 0);
        make_measured();
        refresh();
        if (shows_trace() && programs() && programs() != trace_.programs) split_trace();
    });
    connect(&live_, &LiveSpans::changed, this, [this] {
        if (shows_trace()) return;
        make_measured();
        if (isVisible()) refresh();
    });
    connect(whose_, &QComboBox::activated, this, [this](int index) {
        source_.set_task(index > 0 ? followed_ : TaskId());
        live_.set_task(source_.task());
        mark_wires();
    });
    connect(step_, &QSpinBox::valueChanged, this, &TimelineView::choose_step);
    connect(open_, &QPushButton::clicked, this, &TimelineView::ask_for_trace);
    connect(close_, &QPushButton::clicked, this, &TimelineView::close_trace);
    connect(export_, &QPushButton::clicked, this, &TimelineView::ask_for_export);
    connect(canvas_, &TimelineCanvas::rangeSelected, this, &TimelineView::fill_table);
    connect(canvas_, &TimelineCanvas::instancePressed, this, &TimelineView::press_instance);
    connect(canvas_, &TimelineCanvas::menuRequested, this, &TimelineView::open_menu);
    if (client_)
        connect(client_, &client::Client::dataChanged, this, [this] {
            if (source_.task() == TaskId()) return;
            fill_table();
            if (live_.wanted() && !shows_trace()) show_steps();  // add newer steps to the list
        });
}

void TimelineView::show_task(const TaskId& task) {
    followed_ = task;
    while (whose_->count() > 1) whose_->removeItem(1);
    if (task != TaskId()) whose_->addItem(tr("Task %1").arg(QString::fromStdString(task.value())));
    whose_->setCurrentIndex(whose_->count() - 1);
    source_.set_task(task);
    live_.set_task(task);
    mark_wires();
}

void TimelineView::use_selection(model::Selection& selection) {
    selection_ = &selection;
    connect(&selection, &model::Selection::changed, this, &TimelineView::show_selected);
}

void TimelineView::show_selected(const model::Selected& now) {
    const auto step = static_cast<int>(std::min<std::uint64_t>(now.number, std::numeric_limits<int>::max()));
    const bool of_task = now.kind == model::Selected::Kind::step && now.task == source_.task();
    if (of_task && !shows_trace()) live_.show_step(step);
    // Go to the selected step if the trace contains it.
    else if (of_task && step >= step_->minimum() && step <= step_->maximum()) step_->setValue(step);
    if (!now) live_.show_step(std::nullopt);
    if (!client_) return canvas_->mark(std::nullopt);
    const control::ClusterState& state = client_->data().state;
    const auto& instances = state.instances;
    const auto found = instances.find(model::instance_of(now, state));
    if (found == instances.end() || found->second.task != source_.task()) return canvas_->mark(std::nullopt);
    canvas_->mark(found->second.stage);
}

/// Shows the step that the user entered. In a trace, this is the step itself; otherwise, the nearest measured step.
void TimelineView::choose_step(int step) {
    if (!shows_trace()) {
        step = step_->nearest(step);
        live_.show_step(step);
    }
    refresh();
    if (selection_ && source_.task() != TaskId())
        selection_->select(model::Selected::of_step(source_.task(), static_cast<std::uint64_t>(step)));
}

void TimelineView::use_wires(const model::LinkWires& wires) {
    wires_ = &wires;
    connect(&wires, &model::LinkWires::changed, this, &TimelineView::mark_wires);
}

void TimelineView::mark_wires() {
    if (!wires_ || !client_) return;
    std::set<std::int32_t> stages;
    const auto& instances = client_->data().state.instances;
    for (const auto& [sender, receiver] : wires_->wires()) {
        const auto found = instances.find(receiver);
        if (found != instances.end() && found->second.task == source_.task()) stages.insert(found->second.stage);
    }
    canvas_->mark_wires(std::move(stages));
}

void TimelineView::use_cursor(model::TimeCursor& cursor) {
    moment_ = &cursor;
    live_.use_cursor(cursor);
    connect(&cursor, &model::TimeCursor::moved, this, &TimelineView::show_moment);
    connect(&cursor, &model::TimeCursor::modeChanged, this, &TimelineView::show_moment);
}

/// Shows the time cursor as a line. Only measured spans have a time of day.
void TimelineView::show_moment() {
    if (!moment_ || moment_->live() || !measured_) return canvas_->set_moment(std::nullopt, 0);
    canvas_->set_moment(moment_->at().time_since_epoch().count(), source_.run() ? 1 : 0);
}

void TimelineView::press_instance(int instance) {
    if (!selection_ || !client_ || source_.task() == TaskId()) return;
    for (const control::InstanceView* one : control::instances_of(client_->data().state, source_.task()))
        if (one->stage == instance) return selection_->select(model::Selected::of_instance(one->id, one->task));
}

std::shared_ptr<const plan::Programs> TimelineView::programs() const {
    return source_.run() ? source_.run()->programs : nullptr;
}

/// Builds the timeline of a trace. If the shown plan has as many stages as the trace, its programs are used to divide
/// the waits into wire and idle.
TimelineView::Traced TimelineView::traced(std::shared_ptr<const std::vector<model::Span>> operations,
                                          std::shared_ptr<const plan::Programs> programs) {
    const std::int32_t last = std::ranges::max(*operations, {}, &model::Span::instance).instance;
    const bool same = programs && std::cmp_equal(programs->stages.size(), last + 1);
    auto timeline =
        std::make_shared<const model::Timeline>(model::make_timeline(*operations, same ? programs.get() : nullptr));
    return {std::move(operations), std::move(programs), std::move(timeline)};
}

void TimelineView::open_trace(const QString& folder) {
    say(tr("Reading the trace in %1...").arg(folder), false);
    splitting_.cancel();
    reading_.ask(
        [folder, programs = programs()](const model::JobContext& context) -> Result<Traced> {
            DIVISI_ASSIGN(std::vector<model::Span> operations,
                          model::read_trace_folder(folder, [&] { return context.cancelled(); }));
            return traced(std::make_shared<const std::vector<model::Span>>(std::move(operations)), programs);
        },
        [this](const Result<Traced>& answer) {
            if (!answer.ok()) return say(client::quoted(answer.error()), true);
            problem_->hide();
            take_trace(*answer);
        });
}

void TimelineView::take_trace(Traced trace) {
    splitting_.cancel();
    trace_ = std::move(trace);
    measured_ = trace_.timeline;
    std::vector<int> steps;
    for (const model::StepSpan& one : measured_->steps) steps.push_back(static_cast<int>(one.step));
    {
        const QSignalBlocker quiet(step_);
        step_->set_steps(std::move(steps));
        step_->setValue(step_->maximum());
    }
    refresh();
    if (programs() && programs() != trace_.programs) split_trace();
}

/// Builds the timeline of the trace again, after the plan that is shown with it has changed.
void TimelineView::split_trace() {
    splitting_.ask([operations = trace_.operations,
                    programs = programs()](const model::JobContext&) { return traced(operations, programs); },
                   [this](const Traced& answer) {
                       trace_ = answer;
                       measured_ = trace_.timeline;
                       refresh();
                   });
}

/// Closes the trace. The view then shows the newest measured step of the running task, if there is one.
void TimelineView::close_trace() {
    reading_.cancel();
    splitting_.cancel();
    trace_ = {};
    live_.show_step(std::nullopt);
    make_measured();
    refresh();
    live_.ask();
}

void TimelineView::make_measured() {
    const auto& live = live_.step();
    if (shows_trace()) measured_ = trace_.timeline;
    else if (live && !live->timeline.empty()) measured_ = std::shared_ptr<const model::Timeline>(live, &live->timeline);
    else measured_ = nullptr;
}

const model::StepSpan* TimelineView::measured_step() const {
    if (!measured_) return nullptr;
    return shows_trace() ? measured_->step(step_->value()) : &measured_->steps.front();
}

std::vector<Track> TimelineView::tracks() const {
    std::vector<Track> tracks;
    if (const auto& run = source_.run(); run && run->timeline.step(run->step))
        tracks.push_back({tr("predicted"), std::shared_ptr<const model::Timeline>(run, &run->timeline),
                          run->timeline.step(run->step)->begin_ns});
    if (const model::StepSpan* step = measured_step()) tracks.push_back({tr("measured"), measured_, step->begin_ns});
    return tracks;
}

void TimelineView::refresh() {
    double whole = 1;
    if (const auto& run = source_.run()) whole = run->prediction.simulation.step_s * 1e9;
    if (const model::StepSpan* step = measured_step())
        whole = std::max(whole, static_cast<double>(step->end_ns - step->begin_ns));
    const std::vector<Track> shown = tracks();
    canvas_->show_tracks(shown, {0, whole});
    canvas_->setVisible(!shown.empty());
    table_->setVisible(!shown.empty());
    legend_->setVisible(!shown.empty());
    export_->setEnabled(!shown.empty() && !writing_.busy());
    show_steps();
    show_title();
    show_moment();
    fill_table();
}

/// Offers the steps of the trace, or the kept steps of the task.
void TimelineView::show_steps() {
    bool any = shows_trace();
    if (!any) {
        std::vector<int> kept;
        for (const std::int64_t one : live_.kept()) kept.push_back(static_cast<int>(one));
        any = !kept.empty() && measured_;
        const QSignalBlocker quiet(step_);
        step_->set_steps(std::move(kept));
        if (any && !step_->typing()) step_->setValue(static_cast<int>(measured_->steps.front().step));
    }
    step_->setVisible(any);
    step_label_->setVisible(any);
    close_->setVisible(shows_trace() || live_.wanted());
}

void TimelineView::show_title() {
    QStringList parts;
    if (const auto& run = source_.run()) {
        const price::Prediction& prediction = run->prediction;
        parts << tr("<b>Predicted by the simulator, not measured:</b> step %1; %2 of the computing was profiled, the "
                    "rest "
                    "is estimated")
                     .arg(model::ms_text(prediction.step_ms), model::percent(prediction.profiled_share));
    } else {
        parts << (source_.problem().isEmpty() ? tr("Simulating plan...") : source_.problem().toHtmlEscaped());
    }
    if (const model::StepSpan* step = measured_step())
        parts << (shows_trace() ? tr("<b>Measured</b> (trace): step %1 took %2")
                                : tr("<b>Measured</b> while it runs: step %1 took %2"))
                     .arg(step->step)
                     .arg(model::ms_text(static_cast<double>(step->end_ns - step->begin_ns) / 1e6));
    else if (!shows_trace()) parts << why_no_step().toHtmlEscaped();
    if (!shows_trace()) parts << live_.note();
    if (measured_ && !measured_->waits_split)
        parts << tr("its waits are not split into wire and idle because its plan is unknown here");
    parts.removeAll(QString());
    title_->setText(parts.join(QStringLiteral(" \u00b7 ")));
}

const control::TaskView* TimelineView::task() const {
    if (!client_) return nullptr;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(source_.task());
    return found == tasks.end() ? nullptr : &found->second;
}

/// Returns why there is no measured step. Empty if no step is expected, as without a plan; another text then explains
/// why there is no plan.
QString TimelineView::why_no_step() const {
    const control::TaskView* shown = task();
    if (!shown || shown->generation == 0) return {};
    if (!live_.kept().empty()) return tr("all measured steps are later than this moment");
    if (live_.awaits()) return tr("no step has been measured yet");
    if (!shown->over()) return {};
    if (shown->error)
        return tr("the task failed: %1. No step was measured, because steps are measured only while the task runs and "
                  "this view is open")
            .arg(client::quoted(*shown->error));
    return tr(
        "the task has ended. No step was measured, because steps are measured only while the task runs and this "
        "view is open");
}

model::StageLoad TimelineView::reported(std::int32_t stage) const {
    const control::TaskView* shown = task();
    return shown && stage >= 0 ? model::stage_load(client_->data(), *shown, stage) : model::StageLoad();
}

void TimelineView::set_cell(int row, int column, const QString& text) {
    QTableWidgetItem* item = table_->item(row, column);
    if (!item) {
        item = new QTableWidgetItem;
        item->setTextAlignment(Qt::AlignVCenter | (column == instance_column ? Qt::AlignLeft : Qt::AlignRight));
        table_->setItem(row, column, item);
    }
    item->setText(text);
}

void TimelineView::fill_row(int row, std::int32_t instance, const std::vector<model::TimelineSums>& sums) {
    for (int column = first_sum_column; column <= last_sum_column; ++column) {
        QStringList texts;
        for (const model::TimelineSums& one : sums) {
            const model::SpanSums* spans = is_summed(one, instance, column) ? sums_of(one, instance) : nullptr;
            texts << (spans ? model::ms_text(static_cast<double>(ns_of(*spans, column)) / 1e6) : missing);
        }
        const bool none = instance == plan::data_unit && column != data_column;
        set_cell(row, column, none ? missing : beside(texts));
    }
    QStringList bubbles;
    for (const model::TimelineSums& one : sums) {
        const model::SpanSums* spans = sums_of(one, instance);
        bubbles << (spans ? model::percent(one.bubble(*spans)) : missing);
    }
    set_cell(row, instance_column, instance_text(instance));
    table_->item(row, instance_column)->setData(Qt::UserRole, instance);
    set_cell(row, bubble_column, instance == plan::data_unit ? missing : beside(bubbles));
    const model::StageLoad said = reported(instance);
    set_cell(row, busy_column, said.samples > 0 ? model::percent(said.busy_share) : QString());
    set_cell(row, wait_column, said.samples > 0 ? model::percent(said.wait_share) : QString());
    set_cell(row, sent_column, said.sent > 0 ? model::bytes_text(said.sent) : QString());
}

/// Fills the row of all stages, which includes the work of data units.
void TimelineView::fill_last_row(int row, const std::vector<model::TimelineSums>& sums) {
    set_cell(row, instance_column, tr("All stages"));
    table_->item(row, instance_column)->setData(Qt::UserRole, QVariant());
    QStringList bubbles;
    for (const model::TimelineSums& one : sums) bubbles << model::percent(one.bubble());
    set_cell(row, bubble_column, beside(bubbles));
    for (int column = first_sum_column; column <= last_sum_column; ++column) {
        QStringList texts;
        for (const model::TimelineSums& one : sums) {
            std::int64_t ns = 0;
            for (const model::SpanSums& instance : one.instances) ns += ns_of(instance, column);
            const bool known = column != wire_column || one.waits_split;
            texts << (known ? model::ms_text(static_cast<double>(ns) / 1e6) : missing);
        }
        set_cell(row, column, beside(texts));
    }
    for (const int column : {busy_column, wait_column, sent_column}) set_cell(row, column, {});
    canvas_->setAccessibleDescription(tr("Bubble of all stages: %1").arg(beside(bubbles)));
}

/// Returns the sort key of a cell: the measured value if there is one, otherwise the predicted value; invalid if the
/// instance was not active.
QVariant TimelineView::key_of(std::int32_t instance, int column, const std::vector<model::TimelineSums>& sums) const {
    const model::StageLoad said = reported(instance);
    const model::SpanSums* spans = sums_of(sums.back(), instance);
    if (column >= first_sum_column && column <= last_sum_column)
        return spans && is_summed(sums.back(), instance, column) ? QVariant::fromValue<qlonglong>(ns_of(*spans, column))
                                                                 : QVariant();
    switch (column) {
        case bubble_column:
            return spans && instance != plan::data_unit ? QVariant(sums.back().bubble(*spans)) : QVariant();
        case busy_column: return said.busy_share;
        case wait_column: return said.wait_share;
        case sent_column: return QVariant::fromValue<qlonglong>(said.sent);
        default: return {};
    }
}

/// Returns the instances, sorted by the column whose header was pressed; by stage if none was pressed.
std::vector<std::int32_t> TimelineView::sorted_instances(const std::vector<model::TimelineSums>& sums) const {
    std::vector<std::int32_t> instances = instances_in(sums);
    const QHeaderView& header = *table_->horizontalHeader();
    const int column = header.sortIndicatorSection();
    const bool descending = header.sortIndicatorOrder() == Qt::DescendingOrder;
    if (column == instance_column && descending) std::ranges::reverse(instances);
    if (column <= instance_column) return instances;
    std::ranges::stable_sort(instances, [&](std::int32_t one, std::int32_t other) {
        if (descending) std::swap(one, other);
        return model::sorts_before(key_of(one, column, sums), key_of(other, column, sums));
    });
    return instances;
}

/// Fills the table if it is on screen. A table behind another tab, which Qt reports as visible, is filled when it is
/// shown.
void TimelineView::fill_table() {
    stale_ = visibleRegion().isEmpty();
    if (stale_) return;
    std::vector<model::TimelineSums> sums;
    for (const Track& track : tracks()) {
        Range range = canvas_->selected().value_or(Range(0, 0));
        if (!canvas_->selected()) {  // without a selection, sum the whole step of each track
            const bool predicted = sums.empty() && source_.run();
            const model::StepSpan* step = predicted ? track.timeline->step(source_.run()->step) : measured_step();
            range.second = step ? static_cast<double>(step->end_ns - step->begin_ns) : 0;
        }
        sums.push_back(model::sum_spans(*track.timeline, track.origin_ns + std::llround(range.first),
                                        track.origin_ns + std::llround(range.second)));
    }
    if (sums.empty()) return table_->setRowCount(0);
    const QTableWidgetItem* before = table_->item(table_->currentRow(), instance_column);
    const QVariant chosen = before ? before->data(Qt::UserRole) : QVariant();
    const std::vector<std::int32_t> instances = sorted_instances(sums);
    const int all = static_cast<int>(instances.size());
    table_->setRowCount(all + 1);
    for (int row = 0; row < all; ++row) fill_row(row, instances[static_cast<std::size_t>(row)], sums);
    fill_last_row(all, sums);
    const auto now = std::ranges::find(instances, chosen.isValid() ? chosen.toInt() : no_instance);
    if (now != instances.end()) table_->setCurrentCell(static_cast<int>(now - instances.begin()), instance_column);
    table_->resizeColumnsToContents();
}

void TimelineView::fill_stale_table() {
    if (stale_) fill_table();
}

/// Returns the table as tab-separated text.
QString TimelineView::table_text() const {
    QStringList lines(table_->rowCount() + 1);
    for (int column = 0; column < table_->columnCount(); ++column) {
        const QString tab = column > 0 ? QStringLiteral("\t") : QString();
        lines[0] += tab + table_->horizontalHeaderItem(column)->text();
        for (int row = 0; row < table_->rowCount(); ++row)
            lines[row + 1] += tab + (table_->item(row, column) ? table_->item(row, column)->text() : QString());
    }
    return lines.join(u'\n') + u'\n';
}

void TimelineView::open_menu(const QPoint& global, std::optional<std::int32_t> instance) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("timelineMenu"));
    const bool of_task = selection_ && task();
    if (of_task && instance)
        menu->addAction(tr("Select %1").arg(instance_text(*instance)), this,
                        [this, which = *instance] { press_instance(which); });
    if (const model::StepSpan* step = measured_step(); step && of_task)
        menu->addAction(tr("Select step %1").arg(step->step), this,
                        [this, number = static_cast<int>(step->step)] { choose_step(number); });
    menu->addAction(tr("Sum the visible range"), this, [this] { canvas_->select(canvas_->shown()); });
    menu->addAction(tr("Sum the whole step"), this, [this] { canvas_->select(std::nullopt); })
        ->setEnabled(canvas_->selected().has_value());
    menu->addAction(tr("Show the whole step"), canvas_, &TimelineCanvas::show_whole);
    menu->addSeparator();
    menu->addAction(tr("Copy the sums"), this, [this] { QGuiApplication::clipboard()->setText(table_text()); });
    menu->addAction(export_->text(), this, &TimelineView::ask_for_export)->setEnabled(export_->isEnabled());
    menu->addSeparator();
    Q_EMIT menuOpens(menu);
    menu->popup(global);
}

void TimelineView::save_trace(const QString& file) {
    say(tr("Writing %1...").arg(file), false);
    writing_.ask(
        [file, run = source_.run(), measured = measured_](const model::JobContext&) {
            std::vector<model::NamedTimeline> timelines;
            if (run) timelines.push_back({QStringLiteral("Predicted"), run->timeline});
            if (measured) timelines.push_back({QStringLiteral("Measured"), *measured});
            return model::save_bytes(file, model::chrome_trace(timelines));
        },
        [this, file](const Result<void>& done) {
            export_->setEnabled(!tracks().empty());
            if (done.ok()) say(tr("%1 was written. Open it in Perfetto.").arg(file), false);
            else say(client::quoted(done.error()), true);
        });
    export_->setEnabled(false);
}

void TimelineView::say(const QString& text, bool problem) {
    problem_->setText(text);
    problem_->setProperty("role", problem ? QStringLiteral("error") : QString());
    problem_->style()->unpolish(problem_);
    problem_->style()->polish(problem_);
    problem_->show();
}

void TimelineView::ask_for_trace() {
    auto* dialog = new QFileDialog(this, tr("Open a trace of instances"));
    dialog->setObjectName(QStringLiteral("traceDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) { open_trace(folder); });
    dialog->open();
}

void TimelineView::ask_for_export() {
    auto* dialog = new QFileDialog(this, tr("Export as Chrome trace"), QString(), tr("Traces (*.json)"));
    dialog->setObjectName(QStringLiteral("traceExport"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { save_trace(file); });
    dialog->open();
}

/// Starts watching here, because Qt reports a dock behind another tab as visible, so only painting shows that the view
/// is on screen.
void TimelineView::paintEvent(QPaintEvent* event) {
    QWidget::paintEvent(event);
    if (!source_.watched()) QMetaObject::invokeMethod(this, &TimelineView::watch, Qt::QueuedConnection);
    if (stale_) QMetaObject::invokeMethod(this, &TimelineView::fill_stale_table, Qt::QueuedConnection);
}

void TimelineView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void TimelineView::watch() {
    source_.watch([this] { return !visibleRegion().isEmpty(); });
    live_.ask();
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    split_->setOrientation(height() < low_height ? Qt::Horizontal : Qt::Vertical);
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void TimelineView::retranslate() {
    whose_->setItemText(0, tr("Plan on screen"));
    if (whose_->count() > 1) whose_->setItemText(1, tr("Task %1").arg(QString::fromStdString(followed_.value())));
    whose_->setAccessibleName(tr("Task of the plan"));
    step_label_->setText(tr("Measured &step"));
    open_->setText(tr("Open trace..."));
    open_->setToolTip(
        tr("Measured spans of all steps: start Divisi with DIVISI_TRACE=FOLDER, run a task, open that folder here"));
    close_->setText(tr("Show live"));
    close_->setToolTip(tr("Close the trace or the chosen step, and show the newest step of the running task"));
    export_->setText(tr("Export..."));
    export_->setToolTip(tr("Export a Chrome trace for Perfetto"));
    canvas_->setAccessibleName(tr("Timeline of a step"));
    legend_->setText(
        tr("F forward \u00b7 B backward \u00b7 W weight gradients \u00b7 O optimizer \u00b7 D data \u00b7 E evaluation "
           "\u00b7 hatched: on the wire \u00b7 thin line: idle. Drag, Shift and arrows: sum a range. Wheel: zoom. "
           "Shift and "
           "drag: move. 0: the whole step"));
    table_->setAccessibleName(tr("Sums of the step, or of the selected range"));
    table_->setHorizontalHeaderLabels({tr("Instance"), kind_text(SpanKind::forward), kind_text(SpanKind::backward),
                                       kind_text(SpanKind::weight_gradient), kind_text(SpanKind::optimizer),
                                       tr("Data, evaluation"), kind_text(SpanKind::wire), kind_text(SpanKind::idle),
                                       tr("Bubble"), tr("Computes (reported)"), tr("Waits (reported)"),
                                       tr("Sends a step (reported)")});
    const auto explain = [this](Column column, const QString& text) {
        table_->horizontalHeaderItem(column)->setToolTip(text);
    };
    explain(data_column, tr("A data unit reads and prepares data; a stage evaluates"));
    explain(wire_column,
            tr("Waits for a tensor that is being sent, or for a tensor slot; a dash if the plan is unknown"));
    explain(idle_column, tr("Waits while other instances still compute; includes all waits if the plan is unknown"));
    explain(bubble_column, tr("Share of the range without computing"));
    explain(busy_column, tr("Share of the time since the second step that the instance spent computing, as it "
                            "reports"));
    explain(wait_column, tr("Share of the time that the instance spent waiting for tensors or tensor slots, as it "
                            "reports"));
    explain(sent_column, tr("Bytes sent to other stages, as reported; includes evaluations"));
    refresh();
}

}  // namespace divisi::timeline

#include "moc_timeline_view.cpp"
