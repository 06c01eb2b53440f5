// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <QMenu>
#include <QTableView>
#include <QVariant>
#include <vector>

#include "app/model/selection.h"
#include "app/model/sorted_rows.h"
#include "backend/base/clock.h"

namespace divisi::panels {

/// A cell as it reads, and what it is sorted by where that is not how it reads: 10 is after 9.
struct RowCell {
    QString text;
    QVariant key = {};
    QColor colour = {};  ///< none: that of all text
    bool operator==(const RowCell&) const = default;
};
/// A row; `id` says whose it is, also after it was filled anew.
struct TableRow {
    QString id;
    std::vector<RowCell> cells;
    TimePoint time{};                         ///< when that was of which it tells; TimePoint{}: not known
    std::vector<model::Selected> about = {};  ///< what of the cluster it is about, the nearest first
    bool operator==(const TableRow&) const = default;
};

/// Rows of texts. What is told anew and is the same stays as it is, so that who reads or has chosen a row goes on.
class RowModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// `figures`: columns that are aligned to the right.
    explicit RowModel(int columns, std::vector<int> figures = {}, QObject* parent = nullptr);

    void set_header(const QStringList& names);
    void set_rows(std::vector<TableRow> rows);
    /// Other columns, with their rows.
    void reset(const QStringList& names, std::vector<int> figures, std::vector<TableRow> rows);
    const std::vector<TableRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// What a cell is sorted by; who it is.
    static constexpr int key_role = Qt::UserRole, id_role = Qt::UserRole + 1;

private:
    QStringList header_;
    std::vector<int> figures_;
    std::vector<TableRow> rows_;
};

/// A plain table of a RowModel, or of another model with its roles, that is sorted by its headers, shows only rows with
/// a text, and is copied as tab-separated values: Ctrl+C takes the chosen rows, or all that are shown where none is.
/// Only visible rows are made. Where the current row goes, or a text hides it, none is current: nobody chose another.
class RowTable : public QTableView {
    Q_OBJECT
public:
    RowTable(const char* name, QAbstractItemModel& model, QWidget* parent);

    void set_filter(const QString& text);
    /// Whose row is the current one; empty: none is.
    QString current() const;
    /// Makes the row of `id` the current one; false where it is not shown.
    bool choose(const QString& id);
    int shown() const { return sorted_.rowCount(); }
    QString text(int row, int column) const { return sorted_.index(row, column).data().toString(); }
    /// Column names, then a line for each row.
    QString as_tsv() const;
    void copy() const;

Q_SIGNALS:
    /// Another row is current, or none.
    void currentRowChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void rowsAboutToBeRemoved(const QModelIndex& parent, int start, int end) override;

private:
    model::SortedRows sorted_;
};

/// Which rows of a table.
enum class Rows {
    chosen,  ///< all where none is
    all,
};
/// Column names, unless the table hides them, then a line for each row that is not hidden; columns as they stand on
/// screen.
QString as_tsv(const QTableView& table, Rows rows);
/// What a cell says: its text, or where a widget says it, its accessible text.
QString cell_text(const QModelIndex& cell);
/// Copying them stands at the end of the menu of each table.
void offer_copies(QMenu& menu, QTableView& table);
/// What pressing a header does, for the keyboard: a menu of the columns, of a table whose headers sort.
void offer_sorting(QMenu& menu, QTableView& table);

/// Cells without what would break a line of tab-separated values.
QString tsv_line(const QStringList& cells);

}  // namespace divisi::panels
