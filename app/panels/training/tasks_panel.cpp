// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/training/tasks_panel.h"

#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLocale>
#include <QProgressBar>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "app/client/refusal_text.h"
#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"
#include "backend/control/protocol/batch_group.h"
#include "backend/submit/results.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"

namespace divisi::panels {

namespace {

enum Column { name, state, cycle, progress, remaining, loss, speed, model_name, reported, column_count };

/// Ages are shown in whole seconds.
constexpr int tick_ms = 1000;

/// Estimates the milliseconds until the last step, at the speed of the latest steps; 0 if unknown or finished.
double remaining_ms(const control::TaskView& task) {
    if (task.over() || task.history.empty() || task.step >= task.steps) return 0;
    double sum = 0;
    const std::size_t count = std::min<std::size_t>(task.history.size(), 20);
    for (std::size_t i = task.history.size() - count; i < task.history.size(); ++i) sum += task.history[i].step_ms;
    return sum / static_cast<double>(count) * static_cast<double>(task.steps - task.step);
}

QString remaining_text(const control::TaskView& task) {
    const double ms = remaining_ms(task);
    return ms > 0 ? model::duration_text(ms) : QString();
}

/// Returns for each task when one of its instances last reported. Tasks without any report are missing.
std::map<TaskId, std::chrono::steady_clock::time_point> tasks_heard(const client::ClusterData& cluster) {
    std::map<TaskId, std::chrono::steady_clock::time_point> heard;
    for (const auto& [id, instance] : cluster.state.instances) {
        const auto loads = cluster.loads.find(id);
        if (loads == cluster.loads.end() || loads->second.empty()) continue;
        const auto last = loads->second.back().time;
        const auto [known, fresh] = heard.emplace(instance.task, last);
        if (!fresh) known->second = std::max(known->second, last);
    }
    return heard;
}

}  // namespace

TasksPanel::TasksPanel(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      table_(new QTableWidget(0, column_count, this)),
      filter_(new QLineEdit(this)),
      empty_(new QLabel(this)),
      stop_(new QPushButton(this)),
      release_(new QPushButton(this)),
      results_(new QPushButton(this)) {
    table_->setObjectName(QStringLiteral("taskTable"));
    make_plain(*table_);
    table_->verticalHeader()->setDefaultSectionSize(32);
    table_->horizontalHeader()->setSectionResizeMode(progress, QHeaderView::Stretch);
    table_->horizontalHeader()->moveSection(reported, model_name);  // next to the figures whose age it shows
    show_sorting(*table_);
    tick_.setInterval(tick_ms);
    stop_->setObjectName(QStringLiteral("stopTask"));
    release_->setObjectName(QStringLiteral("releaseTask"));
    results_->setObjectName(QStringLiteral("saveResults"));
    empty_->setProperty("role", QStringLiteral("faint"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    for (QPushButton* button : {stop_, release_, results_}) offer_in_menu(*table_, *button);
    filter_->setObjectName(QStringLiteral("taskFilter"));
    filter_->setClearButtonEnabled(true);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(filter_, 1);
    buttons->addStretch(1);
    buttons->addWidget(results_);
    buttons->addWidget(release_);
    buttons->addWidget(stop_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(8);
    column->addWidget(empty_, 1);
    column->addWidget(table_, 1);
    column->addLayout(buttons);
    connect(filter_, &QLineEdit::textChanged, this, &TasksPanel::show_filtered);
    connect(table_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &TasksPanel::refresh);
    connect(&tick_, &QTimer::timeout, this, [this] {
        if (!visibleRegion().isEmpty()) refresh();  // Qt does not report a dock behind another tab as hidden
    });
    connect(stop_, &QPushButton::clicked, this, &TasksPanel::stopCurrent);
    connect(release_, &QPushButton::clicked, this, &TasksPanel::releaseCurrent);
    connect(results_, &QPushButton::clicked, this, &TasksPanel::saveResults);
    connect(table_, &QTableWidget::currentCellChanged, this, [this](int row, int, int before, int) {
        if (row != before) Q_EMIT taskChosen(QString::fromStdString(current().value()));
        show_buttons();
    });
    if (client_) connect(client_, &client::Client::dataChanged, this, &TasksPanel::refresh);
    if (client_) connect(client_, &client::Client::statusChanged, this, &TasksPanel::show_buttons);
    retranslate();
}

TaskId TasksPanel::current() const {
    const QTableWidgetItem* item = table_->item(table_->currentRow(), name);
    return item ? TaskId(item->data(Qt::UserRole).toString().toStdString()) : TaskId();
}

void TasksPanel::select(const TaskId& task) {
    wanted_ = task;
    refresh();
}

const control::TaskView* TasksPanel::chosen() const {
    if (!client_) return nullptr;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(current());
    return found == tasks.end() ? nullptr : &found->second;
}

bool TasksPanel::can_stop() const { return chosen() && !chosen()->over() && why_not().isEmpty(); }
bool TasksPanel::can_release() const { return chosen() && chosen()->held && why_not().isEmpty(); }
QString TasksPanel::why_not() const { return client_ ? client::why_not_operated(client_->status()) : QString(); }
bool TasksPanel::has_results() const {
    return chosen() && submit::results_of(*chosen()) && !client_->status().replayed;
}

void TasksPanel::show_buttons() {
    empty_->setText(tr("No task yet.") + u' ' + client::how_to_begin(client_));
    for (QPushButton* button : {stop_, release_}) button->setToolTip(why_not());
    stop_->setEnabled(can_stop());
    release_->setVisible(chosen() && chosen()->held && !client_->status().replayed);
    release_->setEnabled(can_release());
    results_->setVisible(has_results());
}

void TasksPanel::releaseCurrent() {
    if (can_release()) client_->release(current());
}

/// Asks where to save. The default is the file named in the task.
void TasksPanel::saveResults() {
    if (!has_results()) return;
    const control::TaskView& task = *chosen();
    const auto spec = task::parse_task(task.text, task.id.value());
    auto* dialog = new QFileDialog(this, tr("Save results"), {}, tr("Results (*.csv)"));
    dialog->setObjectName(QStringLiteral("resultsDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    if (spec.ok()) dialog->selectFile(QString::fromStdString(task::results_file(*spec, task.folder)));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, id = task.id](const QString& file) { client_->save_results(id, file); });
    dialog->open();
}

void TasksPanel::stopCurrent() {
    if (can_stop()) client_->stop(current());
}

QVariant TasksPanel::key_of(const control::TaskView& task, int column) const {
    const auto figure = [](double value) { return value > 0 ? QVariant(value) : QVariant(); };
    switch (column) {
        case name: return QString::fromStdString(task.id.value());
        case state: return look(task).word;
        case cycle: return figure(static_cast<double>(task.passages));
        case progress: return static_cast<double>(task.step) / static_cast<double>(std::max(task.steps, task.step + 1));
        case remaining: return figure(remaining_ms(task));
        case loss: return task.history.empty() ? QVariant() : QVariant(static_cast<double>(task.history.back().loss));
        case speed: return figure(task.history.empty() ? 0 : task.history.back().samples_per_s);
        case reported: {
            const auto last = heard(task);  // newest first
            return last ? QVariant::fromValue<qlonglong>(-last->time_since_epoch().count()) : QVariant();
        }
        default: return model_of(task);
    }
}

std::vector<const control::TaskView*> TasksPanel::tasks() const {
    std::vector<const control::TaskView*> tasks;
    if (!client_) return tasks;
    for (const auto& [id, task] : client_->data().state.tasks) tasks.push_back(&task);
    std::ranges::sort(tasks, std::greater(), &control::TaskView::submitted_at);
    const QHeaderView& header = *table_->horizontalHeader();
    const int column = header.sortIndicatorSection();
    const bool descending = header.sortIndicatorOrder() == Qt::DescendingOrder;
    if (column < 0) return tasks;
    std::ranges::stable_sort(tasks, [&](const control::TaskView* one, const control::TaskView* other) {
        if (descending) std::swap(one, other);
        return model::sorts_before(key_of(*one, column), key_of(*other, column));
    });
    return tasks;
}

void TasksPanel::show_filtered() { show_only(*table_, filter_->text()); }

/// Shows a requested task even if the filter hides it.
void TasksPanel::show_wanted() {
    for (int row = 0; row < table_->rowCount() && wanted_ != TaskId(); ++row) {
        if (TaskId(table_->item(row, name)->data(Qt::UserRole).toString().toStdString()) != wanted_) continue;
        wanted_ = TaskId();
        if (table_->isRowHidden(row)) filter_->clear();
        table_->setCurrentCell(row, name);
    }
}

bool TasksPanel::others_came() {
    std::vector<TaskId> there;
    if (client_)
        for (const auto& [id, task] : client_->data().state.tasks) there.push_back(id);
    if (there_ == there) return false;
    there_ = std::move(there);
    return true;
}

void TasksPanel::refresh() {
    const bool asked = wanted_ != TaskId();
    if (!others_came() && !asked && !isVisible()) return;
    heard_ = client_ ? tasks_heard(client_->data()) : decltype(heard_)();
    const std::vector<const control::TaskView*> tasks = this->tasks();
    const TaskId chosen = current();
    const int before = table_->currentRow();
    if (table_->rowCount() != static_cast<int>(tasks.size())) {
        const QSignalBlocker quiet(table_);
        table_->setRowCount(static_cast<int>(tasks.size()));
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) fill(static_cast<int>(i), *tasks[i]);
    const auto found = std::ranges::find(tasks, chosen, &control::TaskView::id);
    if (found != tasks.end()) keep_chosen(before, static_cast<int>(found - tasks.begin()));
    else if (before >= 0) table_->setCurrentCell(-1, -1);  // the task is gone, and the user chose no other row
    show_filtered();
    show_wanted();
    table_->setVisible(!tasks.empty());
    filter_->setVisible(!tasks.empty());
    stop_->setVisible(!tasks.empty());
    empty_->setVisible(tasks.empty());
    show_buttons();
}

/// Keeps the chosen task when rows move, at its position on screen.
void TasksPanel::keep_chosen(int before, int now) {
    if (before == now) return;
    const QSignalBlocker quiet(table_);
    const int scrolled = table_->verticalScrollBar()->value();
    table_->setCurrentCell(now, name);
    table_->verticalScrollBar()->setValue(scrolled + now - before);
}

/// Returns the batches grouped with this task, whose processes can do each other's work; empty if there are none.
QString TasksPanel::group_of(const control::TaskView& task) const {
    if (task.over()) return {};
    QStringList others;
    for (const TaskId& other : control::grouped_with(client_->data().state, task))
        others.append(QString::fromStdString(other.value()));
    return others.isEmpty() ? QString() : tr("one group with %1").arg(others.join(QStringLiteral(", ")));
}

QString TasksPanel::model_of(const control::TaskView& task) const {
    const QString model = QString::fromStdString(task.model), group = group_of(task);
    return group.isEmpty() ? model : model + QStringLiteral(" \u00b7 ") + group;
}

std::optional<TasksPanel::Steady::time_point> TasksPanel::heard(const control::TaskView& task) const {
    const auto found = task.runs() ? heard_.find(task.id) : heard_.end();
    return found == heard_.end() ? std::nullopt : std::optional(found->second);
}

/// Returns whether the task was silent for longer than the cluster itself waits for a peer. Its reported state is then
/// unreliable.
bool TasksPanel::silent(const control::TaskView& task) const {
    const auto last = heard(task);
    return last && Steady::now() - *last > control::peer_timeout;
}

QString TasksPanel::heard_text(const control::TaskView& task) const {
    if (!task.runs()) return {};
    const auto last = heard(task);
    if (!last) return QStringLiteral("\u2013");
    const QString age = model::age_text(Steady::now() - *last);
    return silent(task) ? model::silent_look(model::colours_of(palette())).sign + u' ' + age : age;
}

model::StateLook TasksPanel::look(const control::TaskView& task) const {
    const model::Colours& colours = model::colours_of(palette());
    const model::StateLook said = model::look_of(task, colours);
    if (!silent(task)) return said;
    const model::StateLook mark = model::silent_look(colours);
    return {mark.sign, said.word + QStringLiteral(" \u00b7 ") + mark.word, mark.colour};
}

void TasksPanel::fill(int row, const control::TaskView& task) {
    const model::StateLook look = this->look(task);
    QString loss_text, speed_text;
    if (!task.history.empty()) {
        loss_text = model::loss_text(static_cast<double>(task.history.back().loss));
        speed_text = QLocale().toString(task.history.back().samples_per_s, 'f', 1);
    }
    const QString texts[column_count] = {QString::fromStdString(task.id.value()),
                                         look.text(),
                                         model::cycle_text(task),
                                         {},
                                         remaining_text(task),
                                         loss_text,
                                         speed_text,
                                         model_of(task),
                                         heard_text(task)};
    for (int column = 0; column < column_count; ++column) {
        QTableWidgetItem* item = table_->item(row, column);
        if (!item) {
            item = new QTableWidgetItem;
            const bool number = column >= remaining && column <= speed;
            item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
            table_->setItem(row, column, item);
        }
        if (item->text() != texts[column]) item->setText(texts[column]);
    }
    table_->item(row, name)->setData(Qt::UserRole, texts[name]);
    table_->item(row, state)->setForeground(look.colour);
    table_->item(row, reported)->setForeground(silent(task) ? QBrush(look.colour) : QBrush());
    QString why = client::quoted(task.detail());
    if (task.error) why = client::quoted(*task.error);
    const QString group = group_of(task);
    if (!group.isEmpty()) why += (why.isEmpty() ? QString() : QStringLiteral("\n")) + group;
    if (task.held) why = tr("A cluster that ended left it in the queue. Use Release to start it.");
    if (silent(task)) why = tr("No instance has reported for so long that its progress is unknown.");
    table_->item(row, state)->setToolTip(why);
    fill_progress(row, task);
}

void TasksPanel::fill_progress(int row, const control::TaskView& task) {
    if (!table_->cellWidget(row, progress)) {
        auto* cell = new QWidget(table_);
        auto* around = new QVBoxLayout(cell);
        around->setContentsMargins(4, 6, 4, 6);
        around->addWidget(new QProgressBar(cell));
        table_->setCellWidget(row, progress, cell);
    }
    auto* bar = table_->cellWidget(row, progress)->findChild<QProgressBar*>();
    bar->setRange(0, static_cast<int>(std::max<std::int64_t>(task.steps, 1)));
    bar->setValue(static_cast<int>(task.step));
    bar->setFormat(tr("%1 of %2 steps").arg(task.step).arg(task.steps));
    bar->setAccessibleName(bar->format());
    // Copying and filtering read the cell's accessible text; a normal text would show behind the bar.
    table_->item(row, progress)->setData(Qt::AccessibleTextRole, bar->format());
}

void TasksPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    tick_.start();
    refresh();
}

void TasksPanel::hideEvent(QHideEvent* event) {
    tick_.stop();
    QWidget::hideEvent(event);
}

void TasksPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    if (event->type() == QEvent::PaletteChange) refresh();
    QWidget::changeEvent(event);
}

void TasksPanel::retranslate() {
    table_->setHorizontalHeaderLabels({tr("Task"), tr("State"), tr("Cycle"), tr("Progress"), tr("Remaining"),
                                       tr("Loss"), tr("Samples/s"), tr("Model"), tr("Last report")});
    table_->horizontalHeaderItem(reported)->setToolTip(
        tr("Time since an instance of the task last reported; marked if all are silent"));
    table_->horizontalHeaderItem(cycle)->setToolTip(
        tr("Phases that a task repeats besides its state: its instances report (telemetry), and gateways and routers "
           "get a new policy (policy); with the number of times"));
    table_->setAccessibleName(tr("Tasks of the cluster"));
    filter_->setPlaceholderText(tr("Show only tasks with this text"));
    filter_->setAccessibleName(filter_->placeholderText());
    stop_->setText(tr("Stop"));
    release_->setText(tr("Release"));
    results_->setText(tr("Save results..."));
    results_->setToolTip(tr("The model's prediction for each sample, as CSV"));
    refresh();
}

}  // namespace divisi::panels
