// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QSplitter>
#include <QStringList>
#include <QTableWidget>
#include <utility>
#include <vector>

#include "app/panels/row_table.h"

namespace divisi::panels {

// Tables of texts that are filled anew while somebody reads them: what reads the same is left as it is.

/// A plain table, columns as wide as what they hold; what is longer than a column may be is its tip.
QTableWidget* make_text_table(const char* name, int columns, QWidget* parent);
void set_rows(QTableWidget& table, std::size_t rows);
/// One row's texts, which are their tips too, since a narrow window cuts them off.
void fill_row(QTableWidget& table, int row, const QStringList& texts);

/// Says of a row, by its first cell, when that was of which it tells and what it is about: its menu leads there.
void mark_row(QTableWidgetItem& first, TimePoint time, const std::vector<model::Selected>& about);

/// Fills a table of show_sorting() with these rows as its pressed header sorts them, or as they come. Who has chosen a
/// row goes on reading it, in its place on screen; where it is gone, none is chosen.
void show_rows(QTableWidget& table, std::vector<TableRow> rows);
/// Whose row is the current one; empty: none is.
QString chosen_id(const QTableWidget& table);
/// -1: it has none.
int row_of(const QTableWidget& table, const QString& id);

/// Hides rows without this text, whatever its case, in a cell. Where it hides the current row none is current: what is
/// done to a row is done to one that is seen.
void show_only(QTableWidget& table, const QString& text);
/// A line to write it in; what it is for is said by its view.
QLineEdit* make_filter(const char* name, QWidget* parent);

/// A list and what is opened of it lie beside each other, one above the other where a dock is narrow.
void stack_when_narrow(QSplitter& split, int width);

/// Names and values of what is opened, in two columns.
void make_fields(QTableWidget& fields);
void show_fields(QTableWidget& fields, const std::vector<std::pair<QString, QString>>& rows);

}  // namespace divisi::panels
