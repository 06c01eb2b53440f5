// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QSplitter>
#include <QStringList>
#include <QTableWidget>
#include <utility>
#include <vector>

#include "app/panels/tables/row_table.h"

namespace divisi::panels {

// Tables of texts that are refilled while the user reads them: unchanged cells are left alone.

/// Makes a plain table whose columns fit their content. A text too long for its column is shown in a tooltip.
QTableWidget* make_text_table(const char* name, int columns, QWidget* parent);
void set_rows(QTableWidget& table, std::size_t rows);
/// Fills a row with texts, which are also the tooltips, as a narrow window truncates them.
void fill_row(QTableWidget& table, int row, const QStringList& texts);

/// Stores in a row's first cell the time and the subjects of what the row reports, for the row's menu.
void mark_row(QTableWidgetItem& first, TimePoint time, const std::vector<model::Selected>& about);

/// Fills a table of show_sorting() with these rows, sorted by its pressed header, or unsorted. The chosen row stays
/// chosen, at its position on screen; if it is gone, none is chosen.
void show_rows(QTableWidget& table, std::vector<TableRow> rows);
/// Returns the id of the current row; empty if there is none.
QString chosen_id(const QTableWidget& table);
/// Returns the row of an id; -1 if there is none.
int row_of(const QTableWidget& table, const QString& id);

/// Hides rows without this text in any cell, ignoring case. If this hides the current row, none is current, so that
/// actions apply only to a visible row.
void show_only(QTableWidget& table, const QString& text);
/// Makes a line edit for a filter; its view sets the placeholder.
QLineEdit* make_filter(const char* name, QWidget* parent);

/// Places a list and the details beside each other, or above each other in a narrow dock.
void stack_when_narrow(QSplitter& split, int width);

/// Sets up the details as a two-column table of names and values.
void make_fields(QTableWidget& fields);
void show_fields(QTableWidget& fields, const std::vector<std::pair<QString, QString>>& rows);

}  // namespace divisi::panels
