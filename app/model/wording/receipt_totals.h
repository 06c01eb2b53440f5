// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/types/lease_types.h"

namespace divisi::model {

/// A figure summed over receipts. The figure may be missing in some of the receipts.
struct Figure {
    std::int64_t sum = 0;
    std::size_t known = 0, unknown = 0;

    void add(const std::optional<std::int64_t>& value);
    bool operator==(const Figure&) const = default;
};

/// The total consumption of several leases.
struct ReceiptSum {
    std::size_t receipts = 0, presumed = 0;
    Figure cpu_ms, gpu_ms, energy_mj, bytes_sent, bytes_received;

    void add(const control::Receipt& receipt);
    bool operator==(const ReceiptSum&) const = default;
};

/// Totals by submitter and, within each, by task.
struct ReceiptTotals {
    struct Submitter {
        ReceiptSum all;
        std::map<std::string, ReceiptSum> tasks;
    };
    std::map<std::string, Submitter> submitters;

    void add(const control::Receipt& receipt);
};

/// Returns whether task, instance, node or consumer contains this text, ignoring case.
bool lease_has(const control::Lease& lease, const QString& text);

// Format a lease figure: a dash if unmeasured, with "≥" if part of a sum is unmeasured.
QString seconds_text(const std::optional<std::int64_t>& milliseconds);
QString bytes_text(const std::optional<std::int64_t>& bytes);
QString seconds_text(const Figure& milliseconds);
QString bytes_text(const Figure& bytes);

}  // namespace divisi::model
