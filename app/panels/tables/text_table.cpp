// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/tables/text_table.h"

#include <QScrollBar>
#include <algorithm>

#include "app/model/wording/sorted_rows.h"
#include "app/panels/tables/plain_table.h"

namespace divisi::panels {

namespace {

/// Maximum column width in pixels.
constexpr int widest = 280;

/// Role of a row's first cell for the row's id.
constexpr int id_role = Qt::UserRole;

QString id_of(const QTableWidget& table, int row) {
    const QTableWidgetItem* item = table.item(row, 0);
    return item ? item->data(id_role).toString() : QString();
}

/// Sorts the rows by the pressed header. Rows with equal cells keep their order.
void sort_as_pressed(std::vector<TableRow>& rows, const QHeaderView& header) {
    if (header.sortIndicatorSection() < 0) return;
    const auto column = static_cast<std::size_t>(header.sortIndicatorSection());
    const bool descending = header.sortIndicatorOrder() == Qt::DescendingOrder;
    const auto key = [column](const TableRow& row) {
        const RowCell& cell = row.cells[column];
        return cell.key.isValid() ? cell.key : QVariant(cell.text);
    };
    std::ranges::stable_sort(rows, [&](const TableRow& one, const TableRow& other) {
        return descending ? model::sorts_before(key(other), key(one)) : model::sorts_before(key(one), key(other));
    });
}

/// Selects the row with this id; selects none if the row was removed.
void choose(QTableWidget& table, const QString& id) {
    const QTableWidgetItem* current = table.item(table.currentRow(), 0);
    if (current ? current->isSelected() && chosen_id(table) == id : id.isEmpty()) return;
    const int row = id.isEmpty() ? -1 : row_of(table, id);
    if (row >= 0) table.selectRow(row);
    else table.setCurrentIndex({});
}

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

void mark_row(QTableWidgetItem& first, TimePoint time, const std::vector<model::Selected>& about) {
    first.setData(model::time_role, model::time_key(time));
    first.setData(model::about_role, about.empty() ? QVariant() : QVariant::fromValue(about));
}

void show_rows(QTableWidget& table, std::vector<TableRow> rows) {
    sort_as_pressed(rows, *table.horizontalHeader());
    const QString chosen = chosen_id(table);
    model::KeptPlace<QTableView> place(table);
    set_rows(table, rows.size());
    int number = 0;
    for (const TableRow& row : rows) {
        QStringList texts;
        for (const RowCell& cell : row.cells) texts << cell.text;
        fill_row(table, number, texts);
        int column = 0;
        for (const RowCell& cell : row.cells) {
            if (cell.colour.isValid()) table.item(number, column)->setForeground(cell.colour);
            ++column;
        }
        table.item(number, 0)->setData(id_role, row.id);
        mark_row(*table.item(number++, 0), row.time, row.about);
    }
    choose(table, chosen);
    place.current_is(table.currentRow());
}

QString chosen_id(const QTableWidget& table) { return id_of(table, table.currentRow()); }

int row_of(const QTableWidget& table, const QString& id) {
    for (int row = 0; row < table.rowCount(); ++row)
        if (id_of(table, row) == id) return row;
    return -1;
}

void show_only(QTableWidget& table, const QString& text) {
    const QString wanted = text.trimmed();
    for (int row = 0; row < table.rowCount(); ++row) {
        bool has = wanted.isEmpty();
        for (int column = 0; column < table.columnCount() && !has; ++column)
            has = cell_text(table.model()->index(row, column)).contains(wanted, Qt::CaseInsensitive);
        table.setRowHidden(row, !has);
    }
    const int current = table.currentRow();
    if (current >= 0 && table.isRowHidden(current)) table.setCurrentIndex({});
}

QLineEdit* make_filter(const QString& name, QWidget* parent) {
    auto* filter = new QLineEdit(parent);
    filter->setObjectName(name);
    filter->setClearButtonEnabled(true);
    filter->setMinimumWidth(60);
    return filter;
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
