// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QAction>
#include <QHeaderView>
#include <QTableView>
#include <algorithm>

namespace divisi::panels {

/// The look of all tables of the panels: whole rows are read and chosen one at a time, columns are as wide as what they
/// hold, Tab leaves the table.
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

/// A header that is pressed says to sort by its column, the other way round the next time, and then not at all. Whoever
/// fills the table hears of it and does.
inline void show_sorting(QTableView& table) {
    table.setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    table.horizontalHeader()->setSectionsClickable(true);
    table.horizontalHeader()->setSortIndicatorClearable(true);
    table.horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table.horizontalHeader()->setSortIndicatorShown(true);
}

/// Of a table whose model sorts.
inline void sort_by_headers(QTableView& table) {
    show_sorting(table);
    table.setSortingEnabled(true);
}

/// No column is narrower than its title, which is longer in one language than in another; one that takes what is left
/// has that much at least. Where a hand has made it wider it stays so.
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

/// What a button does to the chosen row stands in the menu of the table, too.
inline void offer_in_menu(QTableView& table, QAbstractButton& button) {
    auto* offer = new QAction(&table);
    offer->setData(QVariant::fromValue<QObject*>(&button));
    QObject::connect(offer, &QAction::triggered, &button, &QAbstractButton::click);
    table.addAction(offer);
}

/// Delete in the table presses that button, where it can be pressed.
inline void drop_by_key(QTableView& table, QAbstractButton& button) {
    table.setProperty("drop", QVariant::fromValue<QObject*>(&button));
}

/// The button of drop_by_key(); null where the table has none.
inline QAbstractButton* drop_button(const QTableView& table) {
    return qobject_cast<QAbstractButton*>(table.property("drop").value<QObject*>());
}

/// What is offered is called, and allowed, as its buttons are now.
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
