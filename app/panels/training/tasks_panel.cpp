// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/training/tasks_panel.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QLocale>
#include <QProgressBar>
#include <QScrollBar>
#include <algorithm>
#include <functional>

#include "app/client/refusal_text.h"
#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"
#include "backend/control/protocol/batch_group.h"
#include "backend/control/protocol/silence.h"
#include "backend/submit/results.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"

namespace divisi::panels {
namespace {

enum Column { name, state, cycle, progress, remaining, loss, speed, model_name, reported, column_count };

/// Interval of updates. Ages are shown in whole seconds.
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

/// Returns for each task the time of the last report from one of its instances. Tasks without any report are missing.
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
    : ListPage("task", client, parent),
      table_(new QTableWidget(0, column_count, this)),
      stop_(new QPushButton(this)),
      release_(new QPushButton(this)),
      results_(new QPushButton(this)) {
    table_->setObjectName(QStringLiteral("taskTable"));
    make_plain(*table_);
    table_->verticalHeader()->setDefaultSectionSize(32);
    table_->horizontalHeader()->setSectionResizeMode(progress, QHeaderView::Stretch);
    table_->horizontalHeader()->moveSection(reported, model_name);  // next to the figures whose age it shows
    show_sorting(*table_);
    poll_every(tick_ms);
    stop_->setObjectName(QStringLiteral("stopTask"));
    release_->setObjectName(QStringLiteral("releaseTask"));
    results_->setObjectName(QStringLiteral("saveResults"));
    for (QPushButton* button : {stop_, release_, results_}) offer_in_menu(*table_, *button);
    bar().addStretch(1);
    for (QPushButton* button : {results_, release_, stop_}) bar().addWidget(button);
    set_list(*table_);
    move_bar_down();
    setTabOrder(table_, &filter());
    connect(table_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &TasksPanel::refresh);
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

QString TasksPanel::empty_text() const {
    return table_->rowCount() > 0 ? QString() : tr("No task yet.") + u' ' + client::how_to_begin(client_);
}

void TasksPanel::show_buttons() {
    show_list();
    for (QPushButton* button : {stop_, release_}) button->setToolTip(why_not());
    stop_->setEnabled(can_stop());
    release_->setVisible(chosen() && chosen()->held && !client_->status().replayed);
    release_->setEnabled(can_release());
    results_->setVisible(has_results());
}

void TasksPanel::releaseCurrent() {
    if (can_release()) client_->order(control::ReleaseTask{current()});
}

/// Asks the user where to save the file. The default is the file named in the task.
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
    connect(dialog, &QFileDialog::fileSelected, this, [this, id = task.id](const QString& file) {
        client_->order(client::SaveResults{id, file});
    });
    dialog->open();
}

void TasksPanel::stopCurrent() {
    if (can_stop()) client_->order(control::StopTask{current(), client::stop_reason});
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
            const auto last = heard(task);  // sorts the newest first
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

void TasksPanel::filter_rows(const QString& text) { show_only(*table_, text); }

/// Chooses the task `wanted_` if it has a row. Clears the filter if the filter hides the row.
void TasksPanel::show_wanted() {
    for (int row = 0; row < table_->rowCount() && wanted_ != TaskId(); ++row) {
        if (TaskId(table_->item(row, name)->data(Qt::UserRole).toString().toStdString()) != wanted_) continue;
        wanted_ = TaskId();
        if (table_->isRowHidden(row)) filter().clear();
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
    filter_rows(filter_text());
    show_wanted();
    filter().setVisible(!tasks.empty());
    stop_->setVisible(!tasks.empty());
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

/// Returns a text that names the batch tasks grouped with this task, because the same processes can run all of them;
/// empty if there are none.
QString TasksPanel::group_of(const control::TaskView& task) const {
    if (task.over()) return {};
    QStringList others;
    for (const TaskId& other : control::grouped_with(client_->data().state, task))
        others.append(QString::fromStdString(other.value()));
    return others.isEmpty() ? QString() : tr("runs as one group with %1").arg(others.join(QStringLiteral(", ")));
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
    if (task.held) why = tr("The task was still queued when an earlier cluster ended. Use Release to start it.");
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
    // Store the text as accessible text, which copying and filtering use. A normal text would be visible behind the
    // bar.
    table_->item(row, progress)->setData(Qt::AccessibleTextRole, bar->format());
}

void TasksPanel::retranslate() {
    table_->setHorizontalHeaderLabels({tr("Task"), tr("State"), tr("Cycle"), tr("Progress"), tr("Remaining"),
                                       tr("Loss"), tr("Samples/s"), tr("Model"), tr("Last report")});
    table_->horizontalHeaderItem(reported)->setToolTip(
        tr("Time since an instance of the task last reported; marked if all are silent"));
    table_->horizontalHeaderItem(cycle)->setToolTip(
        tr("Repeated phases of a task, each with its count: its instances report (telemetry), or gateways and routers "
           "get a new policy (policy)"));
    table_->setAccessibleName(tr("Tasks of the cluster"));
    const QString filter_name = tr("Show only tasks with this text");
    set_filter_texts(filter_name, filter_name);
    stop_->setText(tr("Stop"));
    release_->setText(tr("Release"));
    results_->setText(tr("Save results..."));
    results_->setToolTip(tr("The model's prediction for each sample, as CSV"));
    refresh();
}

}  // namespace divisi::panels

#include "moc_tasks_panel.cpp"
