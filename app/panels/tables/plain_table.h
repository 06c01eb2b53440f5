// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QAction>
#include <QHeaderView>
#include <QTableView>
#include <algorithm>

namespace divisi::panels {

/// Sets up a panel's table: read-only cells, selection of one whole row, and columns that fit their content. The Tab
/// key leaves the table.
inline void make_plain(QTableView& table) {
    table.verticalHeader()->hide();
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setTabKeyNavigation(false);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

/// Lets headers choose the sorting: ascending, then descending, then unsorted. The code that fills the table reads the
/// choice and sorts.
inline void show_sorting(QTableView& table) {
    table.setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    table.horizontalHeader()->setSectionsClickable(true);
    table.horizontalHeader()->setSortIndicatorClearable(true);
    table.horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table.horizontalHeader()->setSortIndicatorShown(true);
}

/// Lets headers sort a table whose model can sort.
inline void sort_by_headers(QTableView& table) {
    show_sorting(table);
    table.setSortingEnabled(true);
}

/// Makes every column at least as wide as its title, whose length depends on the language. A stretching column has at
/// least that width. Columns that the user widened keep their width.
inline void make_room_for_titles(QTableView& table) {
    QHeaderView& header = *table.horizontalHeader();
    int least = header.minimumSectionSize();
    for (int section = 0; section < header.count(); ++section) {
        const int title = header.sectionSizeHint(section);
        const QHeaderView::ResizeMode mode = header.sectionResizeMode(section);
        if (mode == QHeaderView::Stretch) least = std::max(least, title);
        else if (mode == QHeaderView::Interactive && header.sectionSize(section) < title)
            header.resizeSection(section, title);
    }
    header.setMinimumSectionSize(least);
}

/// Adds the action of a button to the table's menu.
inline void offer_in_menu(QTableView& table, QAbstractButton& button) {
    auto* offer = new QAction(&table);
    offer->setData(QVariant::fromValue<QObject*>(&button));
    QObject::connect(offer, &QAction::triggered, &button, &QAbstractButton::click);
    table.addAction(offer);
}

/// Makes the Delete key in the table press the button, if it is enabled.
inline void drop_by_key(QTableView& table, QAbstractButton& button) {
    table.setProperty("drop", QVariant::fromValue<QObject*>(&button));
}

/// Returns the button of drop_by_key(); null if the table has none.
inline QAbstractButton* drop_button(const QTableView& table) {
    return qobject_cast<QAbstractButton*>(table.property("drop").value<QObject*>());
}

/// Updates the texts and states of the menu's actions from their buttons.
inline void update_offers(const QTableView& table) {
    for (QAction* offer : table.actions()) {
        const auto* button = qobject_cast<QAbstractButton*>(offer->data().value<QObject*>());
        if (!button) continue;
        offer->setText(button->text());
        offer->setToolTip(button->toolTip());
        offer->setEnabled(button->isEnabled());
        offer->setVisible(!button->isHidden());
    }
}

}  // namespace divisi::panels
