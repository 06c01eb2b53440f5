// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/recoveries_view.h"

#include <QEvent>
#include <QHeaderView>
#include <QScrollBar>
#include <algorithm>

#include "app/client/refusal_text.h"
#include "app/model/wording/text.h"
#include "app/panels/faults/incident_table.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"

namespace divisi::panels {
namespace {

constexpr int shortest_bar = 170;  ///< minimum width of the phases in pixels, so that the longest names are readable

}  // namespace

RecoveriesView::RecoveriesView(client::Client* client, QWidget* parent)
    : ListPage("incident", client, parent),
      all_(new QCheckBox(this)),
      rows_(new QTableView(this)),
      fields_(new QTableWidget(0, 2, this)) {
    setObjectName(QStringLiteral("recoveries"));
    build();
    connect(all_, &QCheckBox::toggled, this, &RecoveriesView::refresh);
    connect(&sorted_, &QAbstractItemModel::rowsRemoved, this, &RecoveriesView::show_incident);
    connect(rows_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RecoveriesView::show_incident);
    connect(&sorted_, &QAbstractItemModel::dataChanged, this, &RecoveriesView::show_incident);
    if (client_) {
        connect(client_, &client::Client::dataChanged, this, &RecoveriesView::refresh);
        connect(client_, &client::Client::statusChanged, this, &RecoveriesView::refresh);
    }
    retranslate();
}

void RecoveriesView::build() {
    all_->setObjectName(QStringLiteral("allIncidents"));
    rows_->setObjectName(QStringLiteral("incidentTable"));
    rows_->setModel(&sorted_);
    make_plain(*rows_);
    sort_by_headers(*rows_);
    rows_->setItemDelegateForColumn(IncidentTable::phases, new PhaseBar(incidents_, rows_));
    rows_->verticalHeader()->setDefaultSectionSize(24);
    rows_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    rows_->horizontalHeader()->setSectionResizeMode(IncidentTable::phases, QHeaderView::Fixed);
    rows_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    int column = 0;
    for (const int width : {84, 100, 190, 300, 120, 110}) rows_->setColumnWidth(column++, width);
    rows_->horizontalHeader()->setSectionResizeMode(IncidentTable::when, QHeaderView::ResizeToContents);
    // Move the bar forward, so that it remains visible in a narrow dock. Less informative columns are reached by
    // scrolling.
    rows_->horizontalHeader()->moveSection(IncidentTable::phases, IncidentTable::whose);
    rows_->viewport()->installEventFilter(this);
    rows_->setMinimumWidth(160);
    fields_->setObjectName(QStringLiteral("incidentFields"));
    make_fields(*fields_);
    fields_->setMinimumWidth(220);
    fields_->hide();
    QSplitter& split = set_list(*rows_, *fields_, {3, 1}, Details::below_if_narrow);
    clear_by_escape(split, {rows_});
    bar().addWidget(all_);
    add_count();
}

void RecoveriesView::filter_rows(const QString& text) {
    const std::uint64_t before = opened();
    sorted_.setFilterFixedString(text);
    if (before != opened()) rows_->setCurrentIndex({});
}

/// Sets the width of the bar's column to the space that the other columns leave, but at least to a readable width.
void RecoveriesView::fit_phases() {
    const QHeaderView& header = *rows_->horizontalHeader();
    const int others = header.length() - header.sectionSize(IncidentTable::phases);
    rows_->setColumnWidth(IncidentTable::phases, std::max(shortest_bar, rows_->viewport()->width() - others));
}

void RecoveriesView::show_task(const TaskId& task) {
    if (task_ == task) return;
    task_ = task;
    refresh();
}

void RecoveriesView::refresh() {
    if (!isVisible()) return;
    incidents_.set_colours(model::colours_of(palette()));
    const std::uint64_t opened = this->opened();
    model::KeptPlace kept(*rows_);
    if (client_) incidents_.show(client_->data(), all_->isChecked() ? TaskId() : task_);
    // Make the opened row current again, because resetting the model clears the current row.
    const int row = incidents_.row_of(opened);
    const int shown = row < 0 ? -1 : sorted_.row_of(row);
    if (shown >= 0 && !rows_->currentIndex().isValid()) rows_->selectRow(shown);
    if (shown >= 0) kept.current_is(shown);
    const int count = incidents_.rowCount();
    set_count(count > 0 ? tr("Incidents: %1").arg(model::count_text(count)) : QString());
    show_list();
    fit_phases();
    show_incident();
}

QString RecoveriesView::no_rows_text() const {
    const QString what = tr("Failures of processes and nodes, and the task's recovery, appear here phase by phase.");
    if (all_->isChecked() || task_.value().empty()) return tr("No task has had a fault.") + u' ' + what;
    return tr("%1 has had no fault.").arg(QString::fromStdString(task_.value())) + u' ' + what;
}

std::vector<model::Selected> RecoveriesView::about(const QModelIndex& row) const {
    const control::Incident& one = incidents_.at(sorted_.source_row(row));
    return model::things_of(one.culprit, one.node, one.task);
}

std::uint64_t RecoveriesView::opened() const {
    const QModelIndex current = rows_->currentIndex();
    return current.isValid() ? incidents_.at(sorted_.source_row(current)).number : 0;
}

void RecoveriesView::show_incident() {
    const QModelIndex current = rows_->currentIndex();
    fields_->setVisible(current.isValid());
    if (!current.isValid()) return;
    const control::Incident& one = incidents_.at(sorted_.source_row(current));
    const auto dash = QStringLiteral("\u2013");
    const auto time = [&](TimePoint when) {
        if (when == TimePoint{}) return dash;
        return tr("%1, after %2").arg(model::clock_text(when), model::ms_text(to_ms(when - one.fault_time)));
    };
    const QString why = model::answer_text(one);
    show_fields(*fields_, {{tr("Task"), QString::fromStdString(one.task.value())},
                           {tr("Failed part"), model::whose_fault(one)},
                           {tr("Node"), one.node.value().empty() ? dash : QString::fromStdString(one.node.value())},
                           {tr("What happened"), client::quoted(one.fault).simplified()},
                           {tr("Fault"), model::date_text(one.fault_time)},
                           {tr("Detected"), time(one.detected)},
                           {tr("Decided"), time(one.decided)},
                           {tr("Restored"), time(one.restored)},
                           {tr("Resumed"), time(one.resumed)},
                           {tr("Caught up"), time(one.caught_up)},
                           {tr("Repeated steps"), model::replayed_text(one)},
                           {tr("Answer"), model::look_of(one, model::colours_of(palette())).text()},
                           {tr("Outcome"), why.isEmpty() ? dash : why}});
}

bool RecoveriesView::eventFilter(QObject* of, QEvent* event) {
    if (of == rows_->viewport() && event->type() == QEvent::Resize) fit_phases();
    return QWidget::eventFilter(of, event);
}

void RecoveriesView::retranslate() {
    all_->setText(tr("All tasks"));
    all_->setToolTip(tr("Show the incidents of all tasks, not just the selected one"));
    set_filter_texts(tr("Show only incidents with this text"), tr("Filter of the incidents"));
    rows_->setAccessibleName(tr("Incidents"));
    make_room_for_titles(*rows_);
    fit_phases();
    fields_->setAccessibleName(tr("Times of the selected incident"));
    refresh();
}

}  // namespace divisi::panels

#include "moc_recoveries_view.cpp"
