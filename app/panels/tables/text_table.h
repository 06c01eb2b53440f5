// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QStringList>
#include <QTableWidget>
#include <utility>
#include <vector>

#include "app/panels/tables/row_table.h"

namespace divisi::panels {

// Functions for tables of texts that are refilled while the user reads them. Unchanged cells are not replaced.

/// Makes a plain table whose columns fit their content. A text too long for its column is shown in a tooltip.
QTableWidget* make_text_table(const char* name, int columns, QWidget* parent);
void set_rows(QTableWidget& table, std::size_t rows);
/// Fills a row with texts. The texts are also set as tooltips, because a narrow window truncates them.
void fill_row(QTableWidget& table, int row, const QStringList& texts);

/// Stores in a row's first cell the time and the subjects of the reported event, for the menu of the row.
void mark_row(QTableWidgetItem& first, TimePoint time, const std::vector<model::Selected>& about);

/// Fills a table, for which show_sorting() was called, with these rows, sorted by the pressed header, if any. The
/// chosen row stays chosen and keeps its position on screen. If the chosen row was removed, no row is chosen.
void show_rows(QTableWidget& table, std::vector<TableRow> rows);
/// Returns the id of the current row; empty if no row is current.
QString chosen_id(const QTableWidget& table);
/// Returns the row with an id; -1 if there is none.
int row_of(const QTableWidget& table, const QString& id);

/// Hides rows without this text in any cell, ignoring case. If this hides the current row, no row is current, so that
/// actions apply only to a visible row.
void show_only(QTableWidget& table, const QString& text);
/// Makes a line edit for a filter. The view must set its placeholder text.
QLineEdit* make_filter(const QString& name, QWidget* parent);

/// Sets up a table with two columns, names and values, for the details of a row.
void make_fields(QTableWidget& fields);
void show_fields(QTableWidget& fields, const std::vector<std::pair<QString, QString>>& rows);

}  // namespace divisi::panels
