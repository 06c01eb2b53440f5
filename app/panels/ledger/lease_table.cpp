// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/ledger/lease_table.h"

#include <algorithm>

#include "app/model/tracking/selection.h"
#include "app/model/wording/receipt_totals.h"
#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"

namespace divisi::panels {

namespace {

QString text_of(const std::string& text) { return QString::fromStdString(text); }

TimePoint since_of(const control::LeaseView& view) { return std::max({view.granted, view.activated, view.finished}); }

}  // namespace

/// Returns the row of a lease. Bytes and memory come from the instance's frequent reports. Processor time comes from
/// the node's reports, and changes only when the orchestrator makes it durable.
LeaseTable::Row LeaseTable::row_of(const control::LeaseView& view, const client::ClusterData& data) {
    Row row{view, view.usage};
    const auto loads = data.loads.find(view.lease.instance);
    if (loads == data.loads.end() || loads->second.empty()) return row;
    const control::InstanceLoad& load = loads->second.back().load;
    control::Usage said;
    said.bytes_sent = load.bytes_sent;
    said.bytes_received = load.bytes_received;
    if (load.resident > 0) said.peak_memory = load.resident;
    control::merge(row.usage, said);
    return row;
}

void LeaseTable::show(const client::ClusterData& data, const QString& filter) {
    std::vector<Row> rows;
    held_ = 0;
    for (const auto& [number, view] : data.state.leases) {
        if (!view.open()) continue;
        ++held_;
        if (model::lease_has(view.lease, filter)) rows.push_back(row_of(view, data));
    }
    const auto number = [](const Row& row) { return row.view.lease.number; };
    const bool same = std::ranges::equal(rows, rows_, {}, number, number);
    if (!same) beginResetModel();
    rows_ = std::move(rows);
    if (!same) endResetModel();
    else if (!rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

int LeaseTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int LeaseTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

/// Returns the sort key of a cell; invalid: sort by its text.
QVariant LeaseTable::key_of(const Row& row, int column) {
    const auto figure = [](const auto& told) { return told ? QVariant(static_cast<qlonglong>(*told)) : QVariant(); };
    switch (column) {
        case number: return QVariant::fromValue<qulonglong>(row.view.lease.number);
        case since: return QVariant::fromValue<qlonglong>(since_of(row.view).time_since_epoch().count());
        case cpu: return figure(row.usage.cpu_ms);
        case memory: return figure(row.usage.peak_memory);
        case sent: return figure(row.usage.bytes_sent);
        case received: return figure(row.usage.bytes_received);
        default: return {};
    }
}

QString LeaseTable::tip(const Row& row, int column) const {
    const bool measured = row.view.measured != TimePoint();
    if (column == cpu && !row.usage.cpu_ms)
        return tr("Its node has not reported yet; figures are recorded every minute.");
    if (column == cpu && measured) return tr("As measured at %1").arg(model::clock_text(row.view.measured));
    if (column == memory) return tr("Maximum so far");
    const QString activated = model::clock_text(row.view.activated);
    if (column == state && !row.view.activated_by.empty())
        return tr("Activated at %1 by the first data that carried the lease, added by %2")
            .arg(activated, text_of(row.view.activated_by));
    if (column == state && row.view.activated != TimePoint())
        return tr("Activated at %1 by the orchestrator").arg(activated);
    if (column == number && row.view.lease.share > 1)
        return tr("Taken over: the current task is number %1 to hold this lease").arg(row.view.lease.share);
    return {};
}

QVariant LeaseTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const control::Lease& lease = row.view.lease;
    const int column = index.column();
    if (role == Qt::ForegroundRole && column == state) return model::look_of(row.view.state, *colours_).colour;
    if (role == Qt::TextAlignmentRole && (column == number || column >= cpu))
        return int{Qt::AlignRight | Qt::AlignVCenter};
    if (role == model::SortedRows::key_role) return key_of(row, column);
    if (role == model::time_role) return model::time_key(since_of(row.view));
    if (role == model::about_role) return QVariant::fromValue(model::things_of(lease.instance, lease.node, lease.task));
    if (role == Qt::ToolTipRole)
        if (const QString text = tip(row, column); !text.isEmpty()) return text;
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    switch (column) {
        case number: return QString::number(lease.number);
        case task: return text_of(lease.task.value());
        case instance: return text_of(lease.instance.value());
        case node: return text_of(lease.node.value());
        case consumer: return text_of(lease.consumer);
        case device: return tr("%1, threads: %2").arg(text_of(lease.terms.device)).arg(lease.terms.threads);
        case state: return model::look_of(row.view.state, *colours_).text();
        case since: return model::clock_text(since_of(row.view));
        case cpu: return model::seconds_text(row.usage.cpu_ms);
        case memory: return model::bytes_text(row.usage.peak_memory);
        case sent: return model::bytes_text(row.usage.bytes_sent);
        case received: return model::bytes_text(row.usage.bytes_received);
        default: return {};
    }
}

QVariant LeaseTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && (section == number || section >= cpu))
        return int{Qt::AlignRight | Qt::AlignVCenter};
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case number: return tr("Lease");
        case task: return tr("Task");
        case instance: return tr("Instance");
        case node: return tr("Node");
        case consumer: return tr("Submitter");
        case device: return tr("Device");
        case state: return tr("State");
        case since: return tr("Since");
        case cpu: return tr("CPU so far");
        case memory: return tr("Memory");
        case sent: return tr("Sent");
        case received: return tr("Received");
        default: return {};
    }
}

}  // namespace divisi::panels

#include "moc_lease_table.cpp"
