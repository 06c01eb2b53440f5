// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>
#include <QTableView>
#include <QTableWidget>
#include <utility>
#include <vector>

namespace divisi::topology {

/// Sets up a table of messages or services: read-only cells and selection of one whole row. The Tab key leaves the
/// table.
inline void make_plain(QTableView& table) {
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(24);
    table.setShowGrid(false);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setTabKeyNavigation(false);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

/// Makes headers sort by their column: ascending at the first press, descending at the second, unsorted at the third.
inline void sort_by_headers(QTableView& table) {
    table.setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    table.horizontalHeader()->setSortIndicatorClearable(true);
    table.horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table.setSortingEnabled(true);
}

/// Makes every column at least as wide as its title, whose length depends on the language. Columns that the user
/// widened keep their width.
inline void make_room_for_titles(QTableView& table) {
    QHeaderView& header = *table.horizontalHeader();
    for (int section = 0; section < header.count(); ++section) {
        const int title = header.sectionSizeHint(section);
        if (header.sectionSize(section) < title) header.resizeSection(section, title);
    }
}

/// Sets up a two-column table of names and values.
inline void make_fields(QTableWidget& fields) {
    make_plain(fields);
    fields.horizontalHeader()->hide();
    fields.horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    fields.horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    fields.verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

/// Shows these rows. Unchanged cells are not replaced, so that the selection is kept.
inline void show_fields(QTableWidget& fields, const std::vector<std::pair<QString, QString>>& rows) {
    fields.setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < fields.rowCount(); ++row) {
        const auto& [name, value] = rows[static_cast<std::size_t>(row)];
        for (const auto& [column, text] : {std::pair{0, name}, std::pair{1, value}}) {
            QTableWidgetItem* item = fields.item(row, column);
            if (!item) fields.setItem(row, column, item = new QTableWidgetItem);
            if (item->text() == text) continue;
            item->setText(text);
            item->setToolTip(text);
        }
    }
}

}  // namespace divisi::topology
