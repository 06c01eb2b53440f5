// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/text_table.h"

#include "app/panels/plain_table.h"

namespace divisi::panels {

namespace {

/// Of a column, in pixels.
constexpr int widest = 280;
/// Two columns of tables beside each other are read from this width on.
constexpr int side_by_side = 720;

}  // namespace

QTableWidget* make_text_table(const char* name, int columns, QWidget* parent) {
    auto* table = new QTableWidget(0, columns, parent);
    table->setObjectName(QString::fromLatin1(name));
    make_plain(*table);
    table->verticalHeader()->setDefaultSectionSize(24);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setMaximumSectionSize(widest);
    return table;
}

void set_rows(QTableWidget& table, std::size_t rows) {
    if (table.rowCount() != static_cast<int>(rows)) table.setRowCount(static_cast<int>(rows));
}

void fill_row(QTableWidget& table, int row, const QStringList& texts) {
    for (int column = 0; column < texts.size(); ++column) {
        QTableWidgetItem* item = table.item(row, column);
        if (!item) table.setItem(row, column, item = new QTableWidgetItem);
        if (item->text() != texts[column]) item->setText(texts[column]);
        item->setForeground(QBrush());
        item->setToolTip(texts[column]);
    }
}

void show_only(QTableWidget& table, const QString& text) {
    const QString wanted = text.trimmed();
    for (int row = 0; row < table.rowCount(); ++row) {
        bool has = wanted.isEmpty();
        for (int column = 0; column < table.columnCount() && !has; ++column)
            has = table.item(row, column) && table.item(row, column)->text().contains(wanted, Qt::CaseInsensitive);
        table.setRowHidden(row, !has);
    }
}

QLineEdit* make_filter(const char* name, QWidget* parent) {
    auto* filter = new QLineEdit(parent);
    filter->setObjectName(QString::fromLatin1(name));
    filter->setClearButtonEnabled(true);
    filter->setMinimumWidth(60);
    return filter;
}

void stack_when_narrow(QSplitter& split, int width) {
    split.setOrientation(width < side_by_side ? Qt::Vertical : Qt::Horizontal);
}

void make_fields(QTableWidget& fields) {
    make_plain(fields);
    fields.setAlternatingRowColors(false);
    fields.horizontalHeader()->hide();
    fields.horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    fields.verticalHeader()->setMinimumSectionSize(22);
    fields.verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

void show_fields(QTableWidget& fields, const std::vector<std::pair<QString, QString>>& rows) {
    set_rows(fields, rows.size());
    int row = 0;
    for (const auto& [name, value] : rows) fill_row(fields, row++, {name, value});
}

}  // namespace divisi::panels
