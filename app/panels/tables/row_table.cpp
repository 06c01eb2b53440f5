// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/tables/row_table.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <algorithm>
#include <set>

#include "app/panels/tables/plain_table.h"

namespace divisi::panels {

namespace {

/// Maximum column width in pixels; longer texts are shown in a tooltip.
constexpr int widest_column = 420;
constexpr int row_height = 24;
/// Number of visible rows used to fit columns: a long table has too many rows to measure.
constexpr int fitted_rows = 100;

}  // namespace

RowModel::RowModel(int columns, std::vector<int> figures, QObject* parent)
    : QAbstractTableModel(parent), header_(QStringList(columns)), figures_(std::move(figures)) {}

void RowModel::set_header(const QStringList& names) {
    header_ = names;
    if (!header_.isEmpty()) Q_EMIT headerDataChanged(Qt::Horizontal, 0, static_cast<int>(header_.size()) - 1);
}

/// Replaces the rows. Rows that remain are not replaced, so that the selection is kept. Obsolete rows are removed one
/// by one, and each new or moved row is put in place. Changed rows are reported as changed.
void RowModel::set_rows(std::vector<TableRow> rows) {
    std::set<QString> stay, had;
    for (const TableRow& row : rows) stay.insert(row.id);
    for (std::size_t i = rows_.size(); i-- > 0;) {
        if (stay.contains(rows_[i].id)) continue;
        beginRemoveRows({}, static_cast<int>(i), static_cast<int>(i));
        rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(i));
        endRemoveRows();
    }
    for (const TableRow& row : rows_) had.insert(row.id);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i < rows_.size() && rows_[i].id == rows[i].id) continue;
        const int to = static_cast<int>(i);
        const auto here = rows_.begin() + to;
        const auto from = had.contains(rows[i].id)
                              ? std::find_if(here, rows_.end(), [&](const auto& row) { return row.id == rows[i].id; })
                              : rows_.end();
        if (from != rows_.end()) {
            const int row = static_cast<int>(from - rows_.begin());
            beginMoveRows({}, row, row, {}, to);
            std::rotate(here, from, from + 1);
            endMoveRows();
        } else {
            beginInsertRows({}, to, to);
            rows_.insert(here, rows[i]);
            endInsertRows();
        }
    }
    if (rows_.size() > rows.size()) {  // remove the surplus rows, which exist if several rows had the same id
        beginRemoveRows({}, static_cast<int>(rows.size()), static_cast<int>(rows_.size()) - 1);
        rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(rows.size()), rows_.end());
        endRemoveRows();
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows_[i] == rows[i]) continue;
        rows_[i] = std::move(rows[i]);
        Q_EMIT dataChanged(index(static_cast<int>(i), 0), index(static_cast<int>(i), columnCount() - 1));
    }
}

void RowModel::reset(const QStringList& names, std::vector<int> figures, std::vector<TableRow> rows) {
    beginResetModel();
    header_ = names;
    figures_ = std::move(figures);
    rows_ = std::move(rows);
    endResetModel();
}

int RowModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RowModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(header_.size());
}

QVariant RowModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const TableRow& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == id_role) return row.id;
    if (role == model::time_role) return model::time_key(row.time);
    if (role == model::about_role) return QVariant::fromValue(row.about);
    const auto column = static_cast<std::size_t>(index.column());
    if (column >= row.cells.size()) return {};
    const RowCell& cell = row.cells[column];
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return cell.text;
    if (role == key_role) return cell.key.isValid() ? cell.key : QVariant(cell.text);
    if (role == Qt::ForegroundRole && cell.colour.isValid()) return cell.colour;
    if (role == Qt::TextAlignmentRole && std::ranges::find(figures_, index.column()) != figures_.end())
        return int{Qt::AlignRight | Qt::AlignVCenter};
    return {};
}

QVariant RowModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::DisplayRole) return header_.value(section);
    if (role == Qt::TextAlignmentRole && std::ranges::find(figures_, section) != figures_.end())
        return int{Qt::AlignRight | Qt::AlignVCenter};
    return {};
}

RowTable::RowTable(const char* name, QAbstractItemModel& model, QWidget* parent) : QTableView(parent), sorted_(model) {
    setObjectName(QString::fromLatin1(name));
    make_plain(*this);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    verticalHeader()->setDefaultSectionSize(row_height);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setMaximumSectionSize(widest_column);
    horizontalHeader()->setResizeContentsPrecision(fitted_rows);
    horizontalHeader()->setStretchLastSection(true);
    setWordWrap(false);
    setModel(&sorted_);
    sort_by_headers(*this);  // unsorted until a header is pressed
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RowTable::currentRowChanged);
    connect(&sorted_, &QAbstractItemModel::modelReset, this, &RowTable::currentRowChanged);
}

void RowTable::set_filter(const QString& text) { sorted_.setFilterFixedString(text.trimmed()); }

QString RowTable::current() const {
    return currentIndex().isValid() ? currentIndex().data(RowModel::id_role).toString() : QString();
}

bool RowTable::choose(const QString& id) {
    for (int row = 0; row < sorted_.rowCount(); ++row) {
        const QModelIndex index = sorted_.index(row, 0);
        if (index.data(RowModel::id_role).toString() != id) continue;
        setCurrentIndex(index);
        scrollTo(index);
        return true;
    }
    return false;
}

QString RowTable::as_tsv() const { return panels::as_tsv(*this, Rows::chosen); }

void RowTable::copy() const { QApplication::clipboard()->setText(as_tsv()); }

void RowTable::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return copy();
    QTableView::keyPressEvent(event);
}

/// If the current row is removed, clears it first; otherwise, Qt would make a neighbouring row current.
void RowTable::rowsAboutToBeRemoved(const QModelIndex& parent, int start, int end) {
    const QModelIndex current = currentIndex();
    if (current.isValid() && current.row() >= start && current.row() <= end) setCurrentIndex({});
    QTableView::rowsAboutToBeRemoved(parent, start, end);
}

QString cell_text(const QModelIndex& cell) {
    const QString text = cell.data().toString();
    return text.isEmpty() ? cell.data(Qt::AccessibleTextRole).toString() : text;
}

QString as_tsv(const QTableView& table, Rows rows) {
    const QAbstractItemModel& model = *table.model();
    const QHeaderView& header = *table.horizontalHeader();
    std::vector<int> columns;
    for (int place = 0; place < header.count(); ++place)
        if (!header.isSectionHidden(header.logicalIndex(place))) columns.push_back(header.logicalIndex(place));
    std::set<int> chosen;
    if (rows == Rows::chosen)
        for (const QModelIndex& index : table.selectionModel()->selectedRows()) chosen.insert(index.row());
    const auto line = [&](auto&& text_of) {
        QStringList cells;
        for (const int column : columns) cells << text_of(column);
        return tsv_line(cells);
    };
    QString text;
    if (!header.isHidden())
        text = line([&](int column) { return model.headerData(column, Qt::Horizontal).toString(); });
    for (int row = 0; row < model.rowCount(); ++row)
        if (!table.isRowHidden(row) && (chosen.empty() || chosen.contains(row)))
            text += line([&](int column) { return cell_text(model.index(row, column)); });
    return text;
}

void offer_copies(QMenu& menu, QTableView& table) {
    if (!menu.isEmpty()) menu.addSeparator();
    const auto offer = [&](const QString& text, bool some, Rows rows) {
        QAction* action = menu.addAction(text);
        action->setEnabled(some);
        QObject::connect(action, &QAction::triggered, &table,
                         [&table, rows] { QApplication::clipboard()->setText(as_tsv(table, rows)); });
    };
    offer(RowTable::tr("&Copy rows"), table.selectionModel()->hasSelection(), Rows::chosen);
    offer(RowTable::tr("Copy &all rows"), table.model()->rowCount() > 0, Rows::all);
}

void offer_sorting(QMenu& menu, QTableView& table) {
    QHeaderView& header = *table.horizontalHeader();
    if (header.isHidden() || !header.isSortIndicatorShown()) return;
    QMenu* sorting = menu.addMenu(RowTable::tr("&Sort by"));
    sorting->setObjectName(QStringLiteral("sortMenu"));
    const int now = header.sortIndicatorSection();
    const bool ascending = header.sortIndicatorOrder() == Qt::AscendingOrder;
    const auto offer = [&](const QString& text, int column, Qt::SortOrder order) {
        QAction* action = sorting->addAction(text);
        action->setCheckable(true);
        action->setChecked(column == now);
        QObject::connect(action, &QAction::triggered, &header,
                         [&header, column, order] { header.setSortIndicator(column, order); });
    };
    for (int place = 0; place < header.count(); ++place) {
        const int column = header.logicalIndex(place);
        if (header.isSectionHidden(column)) continue;
        QString name = table.model()->headerData(column, Qt::Horizontal).toString();
        const bool again = column == now && ascending;
        const QString arrow = ascending ? QStringLiteral(" \u2191") : QStringLiteral(" \u2193");
        const QString sign = column == now ? arrow : QString();
        offer(name.replace(u'&', QStringLiteral("&&")) + sign, column,
              again ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    sorting->addSeparator();
    offer(RowTable::tr("Original order"), -1, Qt::AscendingOrder);
}

QString tsv_line(const QStringList& cells) {
    QStringList clean;
    for (QString cell : cells) clean << cell.replace(u'\t', u' ').replace(u'\n', u' ').remove(u'\r');
    return clean.join(u'\t') + u'\n';
}

}  // namespace divisi::panels

#include "moc_row_table.cpp"
