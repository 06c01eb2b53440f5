// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <QMenu>
#include <QTableView>
#include <QVariant>
#include <vector>

#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"
#include "backend/base/clock.h"

namespace divisi::panels {

/// The text of a cell and, unless the cell is sorted by its text, its sort key, such as a number.
struct RowCell {
    QString text;
    QVariant key = {};
    QColor colour = {};  ///< text colour; none: the usual colour
    bool operator==(const RowCell&) const = default;
};
/// A row. Its `id` stays the same when the table is refilled.
struct TableRow {
    QString id;
    std::vector<RowCell> cells;
    TimePoint time{};                         ///< time of the reported event; TimePoint{}: unknown
    std::vector<model::Selected> about = {};  ///< subjects of the row, closest first
    bool operator==(const TableRow&) const = default;
};

/// A model of rows of texts. Unchanged rows stay when the table is refilled, so that the selection and the scroll
/// position are kept.
class RowModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// `figures` are the right-aligned columns.
    explicit RowModel(int columns, std::vector<int> figures = {}, QObject* parent = nullptr);

    void set_header(const QStringList& names);
    void set_rows(std::vector<TableRow> rows);
    /// Replaces the columns together with the rows.
    void reset(const QStringList& names, std::vector<int> figures, std::vector<TableRow> rows);
    const std::vector<TableRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Roles for a cell's sort key and a row's id.
    static constexpr int key_role = Qt::UserRole, id_role = Qt::UserRole + 1;

private:
    QStringList header_;
    std::vector<int> figures_;
    std::vector<TableRow> rows_;
};

/// A plain table of a RowModel, or of another model with the same roles. Headers sort the rows, and a text filters
/// them. Ctrl+C copies the selected rows, or all shown rows if none is selected, as tab-separated values. Only visible
/// rows are laid out. If the current row is removed or filtered out, no row is current, because the user did not choose
/// another row.
class RowTable : public QTableView {
    Q_OBJECT
public:
    RowTable(const char* name, QAbstractItemModel& model, QWidget* parent);

    void set_filter(const QString& text);
    /// Returns the id of the current row; empty if no row is current.
    QString current() const;
    /// Makes the row of `id` current. Returns false if it is not shown.
    bool choose(const QString& id);
    int shown() const { return sorted_.rowCount(); }
    QString text(int row, int column) const { return sorted_.index(row, column).data().toString(); }
    /// Returns the column names, followed by one line per row.
    QString as_tsv() const;
    void copy() const;

Q_SIGNALS:
    /// Another row, or no row, has become current.
    void currentRowChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void rowsAboutToBeRemoved(const QModelIndex& parent, int start, int end) override;

private:
    model::SortedRows sorted_;
};

/// The rows of a table to copy.
enum class Rows {
    chosen,  ///< the selected rows; all rows if none is selected
    all,
};
/// Returns the column names, unless the table hides them, followed by a line for each of `rows` that is not hidden.
/// The columns are in the order on screen.
QString as_tsv(const QTableView& table, Rows rows);
/// Returns the text of a cell or, if a widget covers it, its accessible text.
QString cell_text(const QModelIndex& cell);
/// Adds the copy actions at the end of a table's menu.
void offer_copies(QMenu& menu, QTableView& table);
/// Adds a menu of the columns, with which keyboard users can sort the table as by pressing a header.
void offer_sorting(QMenu& menu, QTableView& table);

/// Joins cells into a line of tab-separated values. Tabs and line breaks within a cell become spaces.
QString tsv_line(const QStringList& cells);

}  // namespace divisi::panels
