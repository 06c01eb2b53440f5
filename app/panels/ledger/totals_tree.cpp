// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/ledger/totals_tree.h"

#include <QHeaderView>
#include <algorithm>
#include <map>

#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/text.h"

namespace divisi::panels {

namespace {

enum Column : int { who, receipts, presumed, cpu, gpu, sent, received, column_count };

constexpr int key_role = model::SortedRows::key_role;

/// A row that sorts by the key of a cell, or by its text if there is no key.
class Row : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = std::max(0, treeWidget()->sortColumn());
        const auto key = [column](const QTreeWidgetItem& row) {
            const QVariant said = row.data(column, key_role);
            return said.isValid() ? said : QVariant(row.text(column));
        };
        return model::sorts_before(key(*this), key(other));
    }
};

QVariant key_of(std::size_t count) { return QVariant::fromValue<qlonglong>(static_cast<qlonglong>(count)); }
/// Returns the sort key of a figure; invalid if it was never measured.
QVariant key_of(const model::Figure& figure) {
    return figure.known == 0 ? QVariant() : QVariant::fromValue<qlonglong>(figure.sum);
}

void fill(QTreeWidgetItem& row, const QString& name, const model::ReceiptSum& sum) {
    const auto put = [&row](Column column, const QString& text, const QVariant& key) {
        row.setText(column, text);
        row.setData(column, key_role, key);
        if (column != who) row.setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    };
    put(who, name, {});
    put(receipts, model::count_text(static_cast<std::int64_t>(sum.receipts)), key_of(sum.receipts));
    put(presumed, model::count_text(static_cast<std::int64_t>(sum.presumed)), key_of(sum.presumed));
    put(cpu, model::seconds_text(sum.cpu_ms), key_of(sum.cpu_ms));
    put(gpu, model::seconds_text(sum.gpu_ms), key_of(sum.gpu_ms));
    put(sent, model::bytes_text(sum.bytes_sent), key_of(sum.bytes_sent));
    put(received, model::bytes_text(sum.bytes_received), key_of(sum.bytes_received));
}

/// Refills the child rows of a row. Child rows that were not filled again are deleted by the destructor.
class Filling {
public:
    /// `open`: new rows are expanded.
    Filling(QTreeWidgetItem& parent, bool open) : parent_(parent), open_(open) {
        for (int i = 0; i < parent.childCount(); ++i) before_.emplace(parent.child(i)->text(who), parent.child(i));
    }
    Filling(const Filling&) = delete;
    Filling& operator=(const Filling&) = delete;
    ~Filling() {
        for (const auto& [name, row] : before_) delete row;
    }
    QTreeWidgetItem& take(const QString& name, const model::ReceiptSum& sum) {
        const auto found = before_.extract(name);
        QTreeWidgetItem* row = found ? found.mapped() : new Row(&parent_);
        if (!found && open_) row->setExpanded(true);
        fill(*row, name, sum);
        return *row;
    }

private:
    QTreeWidgetItem& parent_;
    bool open_;
    std::map<QString, QTreeWidgetItem*> before_;
};

}  // namespace

TotalsTree::TotalsTree(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("totalsTree"));
    setColumnCount(column_count + 1);  // the last column is empty and takes the remaining width
    setUniformRowHeights(true);
    header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    header()->setStretchLastSection(true);
    header()->setSectionsClickable(true);
    header()->setSortIndicatorClearable(true);
    header()->setSortIndicator(-1, Qt::AscendingOrder);
    header()->setSortIndicatorShown(true);
    connect(header(), &QHeaderView::sortIndicatorChanged, this, &TotalsTree::sort);
}

void TotalsTree::show_totals(const model::ReceiptTotals& totals) {
    {
        Filling submitters(*invisibleRootItem(), true);
        for (const auto& [name, submitter] : totals.submitters) {
            Filling tasks(submitters.take(QString::fromStdString(name), submitter.all), false);
            for (const auto& [task, sum] : submitter.tasks) tasks.take(QString::fromStdString(task), sum);
        }
    }
    sort();
}

void TotalsTree::sort() {
    const int pressed = header()->sortIndicatorSection();
    if (pressed < 0 || pressed >= column_count) return sortItems(who, Qt::AscendingOrder);
    sortItems(pressed, header()->sortIndicatorOrder());
}

void TotalsTree::retranslate() {
    setAccessibleName(tr("Consumption by submitter and task"));
    setHeaderLabels(
        {tr("Submitter, task"), tr("Receipts"), tr("Presumed"), tr("CPU"), tr("GPU"), tr("Sent"), tr("Received"), {}});
    for (int column = receipts; column < column_count; ++column)
        headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

}  // namespace divisi::panels

#include "moc_totals_tree.cpp"
