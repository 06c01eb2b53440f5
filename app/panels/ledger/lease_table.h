// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "app/client/client.h"
#include "app/model/wording/colours.h"

namespace divisi::panels {

/// A model of the leases held now, ordered by number.
class LeaseTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        number,
        task,
        instance,
        node,
        consumer,
        device,
        state,
        since,
        cpu,
        memory,
        sent,
        received,
        column_count
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// Shows the leases for which model::lease_has() finds the text.
    void show(const client::ClusterData& data, const QString& filter);
    void set_colours(const model::Colours& colours) { colours_ = &colours; }
    /// Returns the number of held leases, regardless of the filter.
    std::size_t held() const { return held_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        control::LeaseView view;
        control::Usage usage;  ///< the orchestrator's durable figures, updated by later reports of the instance
    };
    static Row row_of(const control::LeaseView& view, const client::ClusterData& data);
    QString tip(const Row& row, int column) const;
    static QVariant key_of(const Row& row, int column);

    std::vector<Row> rows_;
    std::size_t held_ = 0;
    const model::Colours* colours_ = &model::dark_colours();
};

}  // namespace divisi::panels
