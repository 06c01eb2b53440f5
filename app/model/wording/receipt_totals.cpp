// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/receipt_totals.h"

#include <QLocale>

#include "app/model/wording/text.h"

namespace divisi::model {

namespace {

QString unknown_figure() { return QStringLiteral("\u2013"); }

QString seconds_of(std::int64_t milliseconds) {
    return QLocale().toString(static_cast<double>(milliseconds) / 1000, 'f', 1) + QStringLiteral("\u202fs");
}

QString sum_text(const Figure& figure, const QString& text) {
    if (figure.known == 0) return unknown_figure();
    return figure.unknown > 0 ? QStringLiteral("\u2265 ") + text : text;
}

}  // namespace

void Figure::add(const std::optional<std::int64_t>& value) {
    sum += value.value_or(0);
    ++(value ? known : unknown);
}

void ReceiptSum::add(const control::Receipt& receipt) {
    ++receipts;
    presumed += receipt.presumed ? 1 : 0;
    cpu_ms.add(receipt.usage.cpu_ms);
    gpu_ms.add(receipt.usage.gpu_ms);
    energy_mj.add(receipt.usage.energy_mj);
    bytes_sent.add(receipt.usage.bytes_sent);
    bytes_received.add(receipt.usage.bytes_received);
}

void ReceiptTotals::add(const control::Receipt& receipt) {
    Submitter& submitter = submitters[receipt.lease.consumer];
    submitter.all.add(receipt);
    submitter.tasks[receipt.lease.task.value()].add(receipt);
}

bool lease_has(const control::Lease& lease, const QString& text) {
    if (text.isEmpty()) return true;
    for (const std::string& field : {lease.task.value(), lease.instance.value(), lease.node.value(), lease.consumer})
        if (QString::fromStdString(field).contains(text, Qt::CaseInsensitive)) return true;
    return false;
}

QString seconds_text(const std::optional<std::int64_t>& milliseconds) {
    return milliseconds ? seconds_of(*milliseconds) : unknown_figure();
}
QString bytes_text(const std::optional<std::int64_t>& bytes) {
    return bytes ? bytes_text(static_cast<Bytes>(*bytes)) : unknown_figure();
}
QString seconds_text(const Figure& milliseconds) { return sum_text(milliseconds, seconds_of(milliseconds.sum)); }
QString bytes_text(const Figure& bytes) { return sum_text(bytes, bytes_text(static_cast<Bytes>(bytes.sum))); }

}  // namespace divisi::model
