// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "app/model/wording/colours.h"
#include "app/model/wording/receipt_totals.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/receipt_book.h"

namespace divisi::panels {

/// A model of signed receipts, ordered by number, with their totals. The cluster's log answers the questions of next();
/// the answers fill the model.
class ReceiptTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { number, task, node, consumer, reclaimed, how, cpu, gpu, memory, sent, received, column_count };

    using QAbstractTableModel::QAbstractTableModel;

    /// Returns the next question to the log.
    control::QueryLog next() const { return book_.next(); }
    void take(const control::LogPage& page);
    /// Clears the table for a different cluster, so that everything is requested again.
    void clear();
    /// Shows only receipts for which model::lease_has() finds the text.
    void set_filter(const QString& filter);
    void set_colours(const model::Colours& colours) { colours_ = &colours; }

    bool complete() const { return book_.complete(); }
    /// Returns all receipts, regardless of the filter.
    const std::vector<control::Receipt>& all() const { return book_.receipts(); }
    std::vector<control::Receipt> shown() const;
    /// Returns the totals of the shown receipts.
    const model::ReceiptTotals& totals() const { return totals_; }
    const control::Receipt& at(int row) const { return all()[shown_[static_cast<std::size_t>(row)]]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// Returns the indices of the receipts that pass the filter, beginning with the index `from`.
    std::vector<std::size_t> passing(std::size_t from) const;
    void count(const std::vector<std::size_t>& receipts);

    control::ReceiptBook book_;
    std::vector<std::size_t> shown_;  ///< shown receipts, as indices into all()
    QString filter_;
    model::ReceiptTotals totals_;
    const model::Colours* colours_ = &model::dark_colours();
};

}  // namespace divisi::panels
