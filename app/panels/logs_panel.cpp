// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/logs_panel.h"

#include <QEvent>
#include <QHeaderView>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/model/event_text.h"
#include "app/model/states.h"

namespace divisi::panels {

LogsPanel::LogsPanel(client::Client* client, QWidget* parent)
    : QWidget(parent), client_(client), filter_(new QLineEdit(this)), table_(new QTableWidget(0, 4, this)) {
    table_->setObjectName(QStringLiteral("logTable"));
    filter_->setObjectName(QStringLiteral("logFilter"));
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(24);
    table_->setShowGrid(false);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setTabKeyNavigation(false);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(3, QHeaderView::Stretch);
    table_->horizontalHeader()->setHighlightSections(false);
    filter_->setClearButtonEnabled(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(8);
    column->addWidget(filter_);
    column->addWidget(table_, 1);
    connect(filter_, &QLineEdit::textChanged, this, &LogsPanel::filter);
    if (client_) connect(client_, &client::Client::dataChanged, this, &LogsPanel::refresh);
    retranslate();
}

void LogsPanel::refresh() {
    if (!client_ || !isVisible()) return;
    const auto& recent = client_->data().state.recent;
    if (!recent.empty() && recent.back().sequence < last_) {  // another cluster
        table_->setRowCount(0);
        last_ = 0;
    }
    const QScrollBar* bar = table_->verticalScrollBar();
    const bool at_end = bar->value() >= bar->maximum() - 1;
    for (const control::Event& event : recent) {
        if (event.sequence <= last_) continue;
        append(event);
        last_ = event.sequence;
    }
    while (table_->rowCount() > static_cast<int>(control::recent_limit)) table_->removeRow(0);
    if (at_end) table_->scrollToBottom();
}

void LogsPanel::append(const control::Event& event) {
    const int row = table_->rowCount();
    table_->insertRow(row);
    const QString texts[] = {
        model::clock_text(event.time), QString::fromStdString(control::task_of(event.body).value()),
        model::event_text(control::kind_name(event.body)), QString::fromStdString(control::describe(event.body))};
    for (int column = 0; column < 4; ++column) {
        auto* item = new QTableWidgetItem(texts[column]);
        item->setToolTip(texts[column]);
        table_->setItem(row, column, item);
    }
    const model::Colours& colours = model::colours_of(palette());
    if (const auto* note = std::get_if<control::Noted>(&event.body)) {
        if (note->severity == Severity::warning) table_->item(row, 3)->setForeground(colours.warning);
        if (note->severity == Severity::error) table_->item(row, 3)->setForeground(colours.bad);
    }
    const QString wanted = filter_->text().trimmed();
    bool fits = wanted.isEmpty();
    for (const QString& text : texts) fits = fits || text.contains(wanted, Qt::CaseInsensitive);
    table_->setRowHidden(row, !fits);
}

void LogsPanel::filter() {
    const QString wanted = filter_->text().trimmed();
    for (int row = 0; row < table_->rowCount(); ++row) {
        bool fits = wanted.isEmpty();
        for (int column = 0; column < 4; ++column)
            fits = fits || table_->item(row, column)->text().contains(wanted, Qt::CaseInsensitive);
        table_->setRowHidden(row, !fits);
    }
}

void LogsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void LogsPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void LogsPanel::retranslate() {
    filter_->setPlaceholderText(tr("Show only lines with this text"));
    filter_->setAccessibleName(tr("Filter of the log"));
    table_->setHorizontalHeaderLabels({tr("Time"), tr("Task"), tr("Event"), tr("What happened")});
    table_->setAccessibleName(tr("Log of the cluster"));
    table_->setRowCount(0);  // the words of events too
    last_ = 0;
    refresh();
}

}  // namespace divisi::panels
