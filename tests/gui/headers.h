// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <algorithm>

namespace divisi::testing {

inline void press_section(QHeaderView& header, int column) {
    const QPoint at(header.sectionViewportPosition(column) + std::min(header.sectionSize(column) / 2, 16),
                    header.height() / 2);
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, at);
    QCoreApplication::processEvents();
}

/// Clicks a header section with the mouse, scrolled into view.
inline void press_header(QTableView& table, int column) {
    table.scrollTo(table.model()->index(0, column));
    press_section(*table.horizontalHeader(), column);
}

inline void press_header(QTreeView& tree, int column) {
    tree.scrollTo(tree.model()->index(0, column));
    press_section(*tree.header(), column);
}

/// Returns the texts of a column in the order on screen.
inline QStringList shown_column(const QTableView& table, int column) {
    QStringList texts;
    for (int row = 0; row < table.model()->rowCount(); ++row)
        if (!table.isRowHidden(row)) texts << table.model()->index(row, column).data().toString();
    return texts;
}

/// Replaces the filter's text by typing.
inline void write_filter(QLineEdit& filter, const char* text) {
    filter.setFocus();
    filter.selectAll();
    QTest::keyClicks(&filter, QString::fromLatin1(text));
    QCoreApplication::processEvents();
}

}  // namespace divisi::testing
