// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>
#include <QTableView>
#include <QTableWidget>
#include <utility>
#include <vector>

namespace divisi::topology {

/// The look of the tables of messages and services: whole rows are read and chosen one at a time, Tab leaves the table.
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

/// A header that is pressed sorts by its column, the other way round the next time, and then not at all.
inline void sort_by_headers(QTableView& table) {
    table.setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    table.horizontalHeader()->setSortIndicatorClearable(true);
    table.horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table.setSortingEnabled(true);
}

/// No column is narrower than its title, which is longer in one language than in another. Where a hand has made it
/// wider it stays so.
inline void make_room_for_titles(QTableView& table) {
    QHeaderView& header = *table.horizontalHeader();
    for (int section = 0; section < header.count(); ++section) {
        const int title = header.sectionSizeHint(section);
        if (header.sectionSize(section) < title) header.resizeSection(section, title);
    }
}

/// A table of two columns, for names and values of what is opened.
inline void make_fields(QTableWidget& fields) {
    make_plain(fields);
    fields.horizontalHeader()->hide();
    fields.horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    fields.horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    fields.verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

/// Shows these; what reads the same stays as it is, so that a selection does, too.
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
