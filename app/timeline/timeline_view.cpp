// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_view.h"

#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/client/refusal_text.h"
#include "app/model/save_bytes.h"
#include "app/model/selected_instance.h"
#include "app/model/sorted_rows.h"
#include "app/model/span_trace.h"
#include "app/model/text.h"

namespace divisi::timeline {

namespace {

using model::SpanKind;

enum Column : int {
    instance_column,
    forward_column,
    backward_column,
    gradient_column,
    optimizer_column,
    wire_column,
    idle_column,
    bubble_column,
    busy_column,
    wait_column,
    sent_column,
    column_count
};

/// Columns that sum spans of one kind.
constexpr std::pair<int, SpanKind> kind_columns[] = {{forward_column, SpanKind::forward},
                                                     {backward_column, SpanKind::backward},
                                                     {gradient_column, SpanKind::weight_gradient},
                                                     {optimizer_column, SpanKind::optimizer},
                                                     {wire_column, SpanKind::wire},
                                                     {idle_column, SpanKind::idle}};

/// Of the row of all stages.
constexpr std::int32_t no_instance = std::numeric_limits<std::int32_t>::min();

/// Steps at the start of a run that do not count: files are read and caches filled.
constexpr std::int64_t warm_up_steps = 2;

/// Where the view is lower than this, the table stands beside the lanes.
constexpr int low_height = 340;

/// "12.3 ms", or with a measurement "12.3 ms → 13.1 ms".
QString beside(const QStringList& texts) { return texts.join(QStringLiteral(" \u2192 ")); }

/// Null where it did nothing there.
const model::SpanSums* sums_of(const model::TimelineSums& sums, std::int32_t instance) {
    const auto found = std::find_if(sums.instances.begin(), sums.instances.end(),
                                    [&](const model::SpanSums& one) { return one.instance == instance; });
    return found == sums.instances.end() ? nullptr : &*found;
}

/// All that any of them has: stages ascending, then plan::data_unit.
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
      step_(new QSpinBox(this)),
      open_(new QPushButton(this)),
      close_(new QPushButton(this)),
      export_(new QPushButton(this)),
      canvas_(new TimelineCanvas(this)),
      table_(new QTableWidget(0, column_count, this)),
      split_(new QSplitter(Qt::Vertical, this)) {
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
        live_.set_programs(source_.run() ? source_.run()->programs : nullptr);
        make_measured();
        refresh();
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
    connect(step_, &QSpinBox::valueChanged, this, &TimelineView::refresh);
    connect(open_, &QPushButton::clicked, this, &TimelineView::ask_for_trace);
    connect(close_, &QPushButton::clicked, this, &TimelineView::close_trace);
    connect(export_, &QPushButton::clicked, this, &TimelineView::ask_for_export);
    connect(canvas_, &TimelineCanvas::rangeSelected, this, &TimelineView::fill_table);
    connect(canvas_, &TimelineCanvas::instancePressed, this, &TimelineView::press_instance);
    if (client_)
        connect(client_, &client::Client::dataChanged, this, [this] {
            if (isVisible() && source_.task() != TaskId()) fill_table();
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
    connect(step_, &QSpinBox::valueChanged, this, [this](int step) {
        if (selection_ && source_.task() != TaskId())
            selection_->select(model::Selected::of_step(source_.task(), static_cast<std::uint64_t>(step)));
    });
    connect(&selection, &model::Selection::changed, this, [this](const model::Selected& now) {
        // A step outside the trace stays as it was.
        const auto step = static_cast<int>(std::min<std::uint64_t>(now.number, std::numeric_limits<int>::max()));
        const bool known = now.kind == model::Selected::Kind::step && now.task == source_.task() && measured_ &&
                           step >= step_->minimum() && step <= step_->maximum();
        if (known) step_->setValue(step);
        if (!client_) return canvas_->mark(std::nullopt);
        const control::ClusterState& state = client_->data().state;
        const auto& instances = state.instances;
        const auto found = instances.find(model::instance_of(now, state));
        if (found == instances.end() || found->second.task != source_.task()) return canvas_->mark(std::nullopt);
        canvas_->mark(found->second.stage);
    });
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

/// Only measured spans have a time of day.
void TimelineView::show_moment() {
    if (!moment_ || moment_->live() || !measured_) return canvas_->set_moment(std::nullopt, 0);
    canvas_->set_moment(moment_->at().time_since_epoch().count(), source_.run() ? 1 : 0);
}

void TimelineView::press_instance(int instance) {
    if (!selection_ || !client_ || source_.task() == TaskId()) return;
    for (const control::InstanceView* one : control::instances_of(client_->data().state, source_.task()))
        if (one->stage == instance) return selection_->select(model::Selected::of_instance(one->id, one->task));
}

Result<void> TimelineView::open_trace(const QString& folder) {
    DIVISI_ASSIGN(traced_, model::read_trace_folder(folder));
    make_traced();
    const QSignalBlocker quiet(step_);
    if (!measured_->steps.empty()) {
        step_->setRange(static_cast<int>(measured_->steps.front().step),
                        static_cast<int>(measured_->steps.back().step));
        step_->setValue(step_->maximum());
    }
    refresh();
    return {};
}

/// From now on what the task that runs measures, if anything.
void TimelineView::close_trace() {
    traced_.clear();
    make_measured();
    refresh();
    live_.ask();
}

void TimelineView::make_measured() {
    if (shows_trace()) return make_traced();
    const auto& live = live_.step();
    if (live && !live->timeline.empty()) measured_ = std::shared_ptr<const model::Timeline>(live, &live->timeline);
    else measured_ = nullptr;
}

/// Waits of a trace are split by the plan that is shown, where it has as many stages.
void TimelineView::make_traced() {
    const auto last = std::max_element(traced_.begin(), traced_.end(), [](const model::Span& a, const model::Span& b) {
        return a.instance < b.instance;
    });
    const auto& run = source_.run();
    const bool same = run && static_cast<std::int32_t>(run->programs->stages.size()) == last->instance + 1;
    measured_ =
        std::make_shared<const model::Timeline>(model::make_timeline(traced_, same ? run->programs.get() : nullptr));
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
    export_->setEnabled(!shown.empty());
    step_->setVisible(shows_trace());
    step_label_->setVisible(shows_trace());
    close_->setVisible(shows_trace());
    show_title();
    show_moment();
    fill_table();
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
        parts << (source_.problem().isEmpty() ? tr("Playing the plan...") : source_.problem().toHtmlEscaped());
    }
    if (const model::StepSpan* step = measured_step())
        parts << (shows_trace() ? tr("<b>Measured</b> (trace): step %1 took %2")
                                : tr("<b>Measured</b> while it runs: step %1 took %2"))
                     .arg(step->step)
                     .arg(model::ms_text(static_cast<double>(step->end_ns - step->begin_ns) / 1e6));
    else if (!shows_trace() && live_.awaits()) parts << tr("no step has been measured yet");
    if (const QString note = live_.note(); !shows_trace() && !note.isEmpty()) parts << note;
    title_->setText(parts.join(QStringLiteral(" \u00b7 ")));
}

TimelineView::Reported TimelineView::reported(std::int32_t stage) const {
    Reported reported;
    if (!client_ || source_.task() == TaskId()) return reported;
    const auto task = client_->data().state.tasks.find(source_.task());
    if (task == client_->data().state.tasks.end()) return reported;
    for (const control::InstanceView* one : control::instances_of(client_->data().state, source_.task())) {
        const auto loads = client_->data().loads.find(one->id);
        if (one->stage != stage || loads == client_->data().loads.end()) continue;
        const control::InstanceLoad *first = nullptr, *last = nullptr;
        for (const client::LoadSample& sample : loads->second) {
            // Neither while caches fill nor when the last step is over.
            if (sample.load.step <= warm_up_steps || sample.load.step >= task->second.steps) continue;
            reported.busy_share += sample.load.busy_share;
            reported.wait_share += sample.load.wait_share;
            ++reported.samples;
            if (!first) first = &sample.load;
            last = &sample.load;
        }
        if (first && last->step > first->step)
            reported.sent += (last->bytes_sent - first->bytes_sent) / (last->step - first->step);
    }
    if (reported.samples > 0) reported.busy_share /= reported.samples;
    if (reported.samples > 0) reported.wait_share /= reported.samples;
    return reported;
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
    const QString missing = QStringLiteral("\u2013");
    for (const auto& [column, kind] : kind_columns) {
        QStringList texts;
        for (const model::TimelineSums& one : sums) {
            const model::SpanSums* spans = sums_of(one, instance);
            texts << (spans ? model::ms_text(static_cast<double>(spans->of(kind)) / 1e6) : missing);
        }
        set_cell(row, column, beside(texts));
    }
    QStringList bubbles;
    for (const model::TimelineSums& one : sums) {
        const model::SpanSums* spans = sums_of(one, instance);
        bubbles << (spans ? model::percent(one.bubble(*spans)) : missing);
    }
    set_cell(row, instance_column, instance == plan::data_unit ? tr("Data") : tr("Stage %1").arg(instance + 1));
    table_->item(row, instance_column)->setData(Qt::UserRole, instance);
    set_cell(row, bubble_column, instance == plan::data_unit ? QString() : beside(bubbles));
    const Reported said = reported(instance);
    set_cell(row, busy_column, said.samples > 0 ? model::percent(said.busy_share) : QString());
    set_cell(row, wait_column, said.samples > 0 ? model::percent(said.wait_share) : QString());
    set_cell(row, sent_column, said.sent > 0 ? model::bytes_text(said.sent) : QString());
}

/// Of what was measured where it was, else predicted; invalid where it did nothing.
QVariant TimelineView::key_of(std::int32_t instance, int column, const std::vector<model::TimelineSums>& sums) const {
    const Reported said = reported(instance);
    const model::SpanSums* spans = sums_of(sums.back(), instance);
    for (const auto& [kind_column, kind] : kind_columns)
        if (kind_column == column && spans) return QVariant::fromValue<qlonglong>(spans->of(kind));
    switch (column) {
        case bubble_column: return spans ? QVariant(sums.back().bubble(*spans)) : QVariant();
        case busy_column: return said.busy_share;
        case wait_column: return said.wait_share;
        case sent_column: return QVariant::fromValue<qlonglong>(said.sent);
        default: return {};
    }
}

/// As the pressed header says, else stage by stage.
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

void TimelineView::fill_table() {
    std::vector<model::TimelineSums> sums;
    for (const Track& track : tracks()) {
        Range range = canvas_->selected().value_or(Range(0, 0));
        if (!canvas_->selected()) {  // each its own step
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
    set_cell(all, instance_column, tr("All stages"));
    table_->item(all, instance_column)->setData(Qt::UserRole, QVariant());
    const auto now = std::ranges::find(instances, chosen.isValid() ? chosen.toInt() : no_instance);
    if (now != instances.end()) table_->setCurrentCell(static_cast<int>(now - instances.begin()), instance_column);
    QStringList bubbles;
    for (const model::TimelineSums& one : sums) bubbles << model::percent(one.bubble());
    set_cell(all, bubble_column, beside(bubbles));
    for (const auto& [column, kind] : kind_columns) {
        QStringList texts;
        for (const model::TimelineSums& one : sums) {
            std::int64_t ns = 0;
            for (const model::SpanSums& instance : one.instances) ns += instance.of(kind);
            texts << model::ms_text(static_cast<double>(ns) / 1e6);
        }
        set_cell(all, column, beside(texts));
    }
    for (const int column : {busy_column, wait_column, sent_column}) set_cell(all, column, {});
    table_->resizeColumnsToContents();
    canvas_->setAccessibleDescription(tr("Bubble of all stages: %1").arg(beside(bubbles)));
}

Result<void> TimelineView::save_trace(const QString& file) const {
    std::vector<model::NamedTimeline> timelines;
    if (source_.run()) timelines.push_back({QStringLiteral("Predicted"), source_.run()->timeline});
    if (measured_) timelines.push_back({QStringLiteral("Measured"), *measured_});
    return model::save_bytes(file, model::chrome_trace(timelines));
}

void TimelineView::say(const Result<void>& done) {
    problem_->setVisible(!done.ok());
    if (!done.ok()) problem_->setText(client::quoted(done.error()));
}

void TimelineView::ask_for_trace() {
    auto* dialog = new QFileDialog(this, tr("Open a trace of instances"));
    dialog->setObjectName(QStringLiteral("traceDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) { say(open_trace(folder)); });
    dialog->open();
}

void TimelineView::ask_for_export() {
    auto* dialog = new QFileDialog(this, tr("Export as Chrome trace"), QString(), tr("Traces (*.json)"));
    dialog->setObjectName(QStringLiteral("traceExport"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { say(save_trace(file)); });
    dialog->open();
}

/// A dock behind another tab is not hidden for Qt: that somebody looks is known when it is painted.
void TimelineView::paintEvent(QPaintEvent* event) {
    QWidget::paintEvent(event);
    if (!source_.watched()) QMetaObject::invokeMethod(this, &TimelineView::watch, Qt::QueuedConnection);
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
    whose_->setAccessibleName(tr("Whose plan is shown"));
    step_label_->setText(tr("Measured &step"));
    open_->setText(tr("Open trace..."));
    open_->setToolTip(
        tr("Measured spans of all steps: start Divisi with DIVISI_TRACE=FOLDER, run a task, open that folder here"));
    close_->setText(tr("Show live"));
    close_->setToolTip(tr("Closes the trace; shows what the task that runs measures"));
    export_->setText(tr("Export..."));
    export_->setToolTip(tr("As a Chrome trace, which Perfetto opens"));
    canvas_->setAccessibleName(tr("Timeline of a step"));
    legend_->setText(
        tr("F forward \u00b7 B backward \u00b7 W weight gradients \u00b7 O optimizer \u00b7 D data \u00b7 E evaluation "
           "\u00b7 hatched: on the wire \u00b7 thin line: idle. Drag: sum a range. Wheel: zoom. Shift and drag: move. "
           "0: the whole step"));
    table_->setAccessibleName(tr("Sums of the step, or of the selected range"));
    table_->setHorizontalHeaderLabels({tr("Instance"), kind_text(SpanKind::forward), kind_text(SpanKind::backward),
                                       kind_text(SpanKind::weight_gradient), kind_text(SpanKind::optimizer),
                                       kind_text(SpanKind::wire), kind_text(SpanKind::idle), tr("Bubble"),
                                       tr("Computes (reported)"), tr("Waits (reported)"),
                                       tr("Sends a step (reported)")});
    const auto explain = [this](Column column, const QString& text) {
        table_->horizontalHeaderItem(column)->setToolTip(text);
    };
    explain(wire_column, tr("Waits for a tensor that is made and on its way, or for a tensor slot"));
    explain(idle_column, tr("Waits while others still compute"));
    explain(bubble_column, tr("Share of the range in which it does not compute"));
    explain(busy_column, tr("Share of the time that its instance says it computed, since its second step"));
    explain(wait_column, tr("Share of the time that its instance says it waited for tensors or tensor slots"));
    explain(sent_column, tr("To other stages, as its instance says; evaluations count"));
    refresh();
}

}  // namespace divisi::timeline
