// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "app/model/colours.h"
#include "app/model/receipt_totals.h"
#include "backend/control/protocol/receipt_book.h"

namespace divisi::panels {

/// Signed receipts, by their numbers, and their totals. Follows the cluster's log by its answers.
class ReceiptTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { number, task, node, consumer, reclaimed, how, cpu, gpu, memory, sent, received, column_count };

    using QAbstractTableModel::QAbstractTableModel;

    /// What to ask the log next.
    control::QueryLog next() const { return book_.next(); }
    void take(const control::LogPage& page);
    /// Another cluster: all is asked anew.
    void clear();
    /// Only those of which model::lease_has() this text.
    void set_filter(const QString& filter);
    void set_colours(const model::Colours& colours) { colours_ = &colours; }

    bool complete() const { return book_.complete(); }
    /// Whatever the filter.
    const std::vector<control::Receipt>& all() const { return book_.receipts(); }
    std::vector<control::Receipt> shown() const;
    /// Of those that are shown.
    const model::ReceiptTotals& totals() const { return totals_; }
    const control::Receipt& at(int row) const { return all()[shown_[static_cast<std::size_t>(row)]]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// Of the receipts from this one on, those that the filter lets pass.
    std::vector<std::size_t> passing(std::size_t from) const;
    void count(const std::vector<std::size_t>& receipts);

    control::ReceiptBook book_;
    std::vector<std::size_t> shown_;  ///< indices into all()
    QString filter_;
    model::ReceiptTotals totals_;
    const model::Colours* colours_ = &model::dark_colours();
};

}  // namespace divisi::panels
