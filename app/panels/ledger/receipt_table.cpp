// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/ledger/receipt_table.h"

#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"

namespace divisi::panels {

namespace {

bool is_figure(int column) { return column == ReceiptTable::number || column >= ReceiptTable::cpu; }

/// Returns the sort key of a cell; invalid: sort by its text.
QVariant sort_key_of(const control::Receipt& receipt, int column) {
    const auto figure = [](const auto& told) { return told ? QVariant(static_cast<qlonglong>(*told)) : QVariant(); };
    switch (column) {
        case ReceiptTable::number: return QVariant::fromValue<qulonglong>(receipt.number);
        case ReceiptTable::reclaimed:
            return QVariant::fromValue<qlonglong>(receipt.reclaimed.time_since_epoch().count());
        case ReceiptTable::cpu: return figure(receipt.usage.cpu_ms);
        case ReceiptTable::gpu: return figure(receipt.usage.gpu_ms);
        case ReceiptTable::memory: return figure(receipt.usage.peak_memory);
        case ReceiptTable::sent: return figure(receipt.usage.bytes_sent);
        case ReceiptTable::received: return figure(receipt.usage.bytes_received);
        default: return {};
    }
}

}  // namespace

void ReceiptTable::take(const control::LogPage& page) {
    const std::size_t before = all().size();
    if (book_.take(page) == 0) return;
    const std::vector<std::size_t> passed = passing(before);
    count(passed);
    if (passed.empty()) return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(passed.size()) - 1);
    shown_.insert(shown_.end(), passed.begin(), passed.end());
    endInsertRows();
}

void ReceiptTable::clear() {
    beginResetModel();
    book_ = control::ReceiptBook();
    shown_.clear();
    totals_ = {};
    endResetModel();
}

void ReceiptTable::set_filter(const QString& filter) {
    beginResetModel();
    filter_ = filter;
    shown_ = passing(0);
    totals_ = {};
    count(shown_);
    endResetModel();
}

std::vector<std::size_t> ReceiptTable::passing(std::size_t from) const {
    std::vector<std::size_t> passed;
    for (std::size_t i = from; i < all().size(); ++i)
        if (model::lease_has(all()[i].lease, filter_)) passed.push_back(i);
    return passed;
}

void ReceiptTable::count(const std::vector<std::size_t>& receipts) {
    for (const std::size_t one : receipts) totals_.add(all()[one]);
}

std::vector<control::Receipt> ReceiptTable::shown() const {
    std::vector<control::Receipt> receipts;
    receipts.reserve(shown_.size());
    for (const std::size_t one : shown_) receipts.push_back(all()[one]);
    return receipts;
}

int ReceiptTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int ReceiptTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant ReceiptTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const control::Receipt& receipt = at(index.row());
    const int column = index.column();
    if (role == Qt::ForegroundRole && column == how && receipt.presumed) return colours_->warning;
    if (role == Qt::TextAlignmentRole && is_figure(column)) return int{Qt::AlignRight | Qt::AlignVCenter};
    if (role == model::SortedRows::key_role) return sort_key_of(receipt, column);
    if (role == model::time_role) return model::time_key(receipt.reclaimed);
    if (role == model::about_role)
        return QVariant::fromValue(model::things_of({}, receipt.lease.node, receipt.lease.task));
    if (role == Qt::ToolTipRole && column == how)
        return receipt.presumed ? tr("The node of the lease never confirmed the reclaim")
                                : tr("Confirmed by the node "
                                     "of the lease");
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const control::Usage& usage = receipt.usage;
    switch (column) {
        case number: return QString::number(receipt.number);
        case task: return QString::fromStdString(receipt.lease.task.value());
        case node: return QString::fromStdString(receipt.lease.node.value());
        case consumer: return QString::fromStdString(receipt.lease.consumer);
        case reclaimed: return model::date_text(receipt.reclaimed);
        case how:
            return receipt.presumed ? QStringLiteral("\u26a0 ") + tr("presumed")
                                    : QStringLiteral("\u2713 ") + tr("confirmed");
        case cpu: return model::seconds_text(usage.cpu_ms);
        case gpu: return model::seconds_text(usage.gpu_ms);
        case memory: return model::bytes_text(usage.peak_memory);
        case sent: return model::bytes_text(usage.bytes_sent);
        case received: return model::bytes_text(usage.bytes_received);
        default: return {};
    }
}

QVariant ReceiptTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && is_figure(section)) return int{Qt::AlignRight | Qt::AlignVCenter};
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case number: return tr("Receipt");
        case task: return tr("Task");
        case node: return tr("Node");
        case consumer: return tr("Submitter");
        case reclaimed: return tr("Reclaimed");
        case how: return tr("How");
        case cpu: return tr("CPU");
        case gpu: return tr("GPU");
        case memory: return tr("Memory");
        case sent: return tr("Sent");
        case received: return tr("Received");
        default: return {};
    }
}

}  // namespace divisi::panels

#include "moc_receipt_table.cpp"
