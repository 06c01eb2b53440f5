// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/recoveries_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>

#include "app/client/refusal_text.h"
#include "app/model/wording/text.h"
#include "app/panels/faults/phase_bar.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"

namespace divisi::panels {

namespace {

constexpr int shortest_bar = 170;  ///< minimum width of the phases in pixels, so that the longest names are readable

}  // namespace

RecoveriesView::RecoveriesView(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      filter_(make_filter("incidentFilter", this)),
      all_(new QCheckBox(this)),
      count_(new QLabel(this)),
      empty_(new QLabel(this)),
      split_(new QSplitter(this)),
      rows_(new QTableView(split_)),
      fields_(new QTableWidget(0, 2, split_)) {
    setObjectName(QStringLiteral("recoveries"));
    build();
    connect(all_, &QCheckBox::toggled, this, &RecoveriesView::refresh);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) { filter(text.trimmed()); });
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
    count_->setObjectName(QStringLiteral("incidentCount"));
    count_->setProperty("role", QStringLiteral("faint"));
    empty_->setObjectName(QStringLiteral("incidentEmpty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
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
    // Move the bar forward, so that it stays visible in a narrow dock. Less informative columns are reached by
    // scrolling.
    rows_->horizontalHeader()->moveSection(IncidentTable::phases, IncidentTable::whose);
    rows_->viewport()->installEventFilter(this);
    rows_->setMinimumWidth(160);
    fields_->setObjectName(QStringLiteral("incidentFields"));
    make_fields(*fields_);
    fields_->setMinimumWidth(220);
    fields_->hide();
    split_->setStretchFactor(0, 3);
    split_->setStretchFactor(1, 1);
    split_->setChildrenCollapsible(false);
    auto* close = new QShortcut(Qt::Key_Escape, split_);
    close->setContext(Qt::WidgetWithChildrenShortcut);
    connect(close, &QShortcut::activated, this, [this] { rows_->setCurrentIndex({}); });
    auto* bar = new QHBoxLayout;
    bar->addWidget(filter_, 1);
    bar->addWidget(all_);
    bar->addWidget(count_);
    auto* column_layout = new QVBoxLayout(this);
    column_layout->setContentsMargins(16, 8, 16, 8);
    column_layout->setSpacing(8);
    column_layout->addLayout(bar);
    column_layout->addWidget(empty_, 1);
    column_layout->addWidget(split_, 1);
}

/// Filters the rows. If this hides the opened incident, clears the current row, as the user did not choose its
/// neighbour.
void RecoveriesView::filter(const QString& text) {
    const std::uint64_t before = opened();
    sorted_.setFilterFixedString(text);
    if (before != opened()) rows_->setCurrentIndex({});
}

/// Gives the bar the width that the other columns leave, but at least a readable one.
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
    // Restore the opened row, which a model reset clears.
    const int row = incidents_.row_of(opened);
    const int shown = row < 0 ? -1 : sorted_.row_of(row);
    if (shown >= 0 && !rows_->currentIndex().isValid()) rows_->selectRow(shown);
    if (shown >= 0) kept.current_is(shown);
    const int count = incidents_.rowCount();
    count_->setText(count > 0 ? tr("Incidents: %1").arg(model::count_text(count)) : QString());
    empty_->setText(empty_text());
    empty_->setVisible(count == 0);
    split_->setVisible(count > 0);
    fit_phases();
    show_incident();
}

/// Returns why there is nothing to see.
QString RecoveriesView::empty_text() const {
    if (!client_) return client::no_cluster_text();
    if (client_->status().connection != client::Connection::connected)
        return tr("There is no connection to a cluster; see its state at the lower right.");
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
                           {tr("Whose"), model::whose_fault(one)},
                           {tr("Node"), one.node.value().empty() ? dash : QString::fromStdString(one.node.value())},
                           {tr("What happened"), client::quoted(one.fault).simplified()},
                           {tr("Fault"), model::date_text(one.fault_time)},
                           {tr("Detected"), time(one.detected)},
                           {tr("Decided"), time(one.decided)},
                           {tr("Restored"), time(one.restored)},
                           {tr("Resumed"), time(one.resumed)},
                           {tr("Caught up"), time(one.caught_up)},
                           {tr("Steps again"), model::replayed_text(one)},
                           {tr("Answer"), model::look_of(one, model::colours_of(palette())).text()},
                           {tr("Outcome"), why.isEmpty() ? dash : why}});
}

bool RecoveriesView::eventFilter(QObject* of, QEvent* event) {
    if (of == rows_->viewport() && event->type() == QEvent::Resize) fit_phases();
    return QWidget::eventFilter(of, event);
}

void RecoveriesView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    stack_when_narrow(*split_, width());
}

void RecoveriesView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void RecoveriesView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void RecoveriesView::retranslate() {
    all_->setText(tr("All tasks"));
    all_->setToolTip(tr("Show the incidents of all tasks, not just the selected one"));
    filter_->setPlaceholderText(tr("Show only incidents with this text"));
    filter_->setAccessibleName(tr("Filter of the incidents"));
    rows_->setAccessibleName(tr("Incidents"));
    make_room_for_titles(*rows_);
    fit_phases();
    fields_->setAccessibleName(tr("Times of the selected incident"));
    refresh();
}

}  // namespace divisi::panels
