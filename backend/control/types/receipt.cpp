// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/receipt.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "backend/base/csv.h"
#include "backend/base/text.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline types {
namespace {

std::string utc(TimePoint time) {
    using namespace std::chrono;
    if (time == TimePoint{}) return {};
    const auto since = floor<milliseconds>(time.time_since_epoch());
    const auto day = floor<days>(since);
    const year_month_day date{sys_days(day)};
    const hh_mm_ss clock{since - day};
    char text[40];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return text;
}

std::string figure(const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : ""; }

std::optional<std::uint64_t> whole_number(const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

constexpr std::size_t number_column = 1, lease_column = 3, instance_column = 5, reason_column = 16;
constexpr const char* taken_over = "taken over by ";

/// Returns whether this reason of a receipt says that the instance took the lease over.
bool goes_on_with(const std::string& reason, const std::string& instance) {
    const std::string says = taken_over + instance;
    return reason == says || reason.starts_with(says + "; ");
}

}  // namespace

std::string receipt_format(std::uint32_t format) {
    return "divisi-receipt-" + std::to_string(std::max(format, std::uint32_t{1}));
}

std::string taken_over_by(const InstanceId& successor, const std::string& reason) {
    return taken_over + successor.value() + (reason.empty() ? "" : "; " + reason);
}

const std::vector<std::string>& receipt_columns() {
    static const std::vector<std::string> columns{
        "format",     "receipt",        "cluster",  "lease",    "task",     "instance",  "node",
        "consumer",   "category",       "device",   "threads",  "granted",  "activated", "finished",
        "reclaimed",  "presumed",       "reason",   "cpu_ms",   "gpu_ms",   "energy_mj", "peak_memory",
        "bytes_sent", "bytes_received", "measured", "previous", "signature"};
    return columns;
}

std::vector<std::string> receipt_fields(const Receipt& r) {
    const Lease& lease = r.lease;
    std::vector<std::string> fields{receipt_format(r.format),
                                    std::to_string(r.number),
                                    r.cluster,
                                    std::to_string(lease.number),
                                    lease.task.value(),
                                    lease.instance.value(),
                                    lease.node.value(),
                                    lease.consumer,
                                    to_string(lease.terms.category),
                                    lease.terms.device,
                                    std::to_string(lease.terms.threads),
                                    utc(r.granted),
                                    utc(r.activated),
                                    utc(r.finished),
                                    utc(r.reclaimed),
                                    r.presumed ? "true" : "false",
                                    r.reason,
                                    figure(r.usage.cpu_ms),
                                    figure(r.usage.gpu_ms),
                                    figure(r.usage.energy_mj),
                                    figure(r.usage.peak_memory),
                                    figure(r.usage.bytes_sent),
                                    figure(r.usage.bytes_received),
                                    utc(r.measured),
                                    r.previous,
                                    r.signature};
    for (std::string& field : fields) field = legible(field);  // JSON and terminals accept no other bytes
    return fields;
}

std::string signed_text(const std::vector<std::string>& fields) {
    return csv_line({fields.begin(), std::prev(fields.end())});
}

std::string receipt_line(const std::vector<std::string>& fields) { return csv_line(fields); }

Result<void> ReceiptCheck::take(const std::vector<std::string>& fields, const std::string& where) {
    const std::size_t columns = receipt_columns().size();
    if (fields.size() != columns)
        return make_error(error_text("receipt-columns"), where,
                          {std::to_string(fields.size()), std::to_string(columns)});
    if (fields.front() != receipt_format(1) && fields.front() != receipt_format(newest_receipt_format))
        return make_error(error_text("receipt-format"), where,
                          {legible(fields.front(), 40), receipt_format(1), receipt_format(newest_receipt_format)});
    const auto number = whole_number(fields[number_column]), lease = whole_number(fields[lease_column]);
    if (!number || !lease || *number == 0) return make_error(error_text("receipt-without-number"), where);
    const std::string name = std::to_string(*number);
    if (!verify_(signed_text(fields), fields.back())) return make_error(error_text("receipt-changed"), where, {name});
    if (*number <= last_) return make_error(error_text("receipt-out-of-order"), where, {name, std::to_string(last_)});
    const bool next = *number == last_ + 1;
    if (!next && !part_) {
        const std::string missing = std::to_string(last_ + 1);
        if (*number == last_ + 2) return make_error(error_text("receipt-missing"), where, {missing, name});
        return make_error(error_text("receipts-missing"), where, {missing, std::to_string(*number - 1), name});
    }
    if (next && fields[columns - 2] != last_hash_)
        return make_error(error_text("receipt-chain-broken"), where, {name, std::to_string(last_)});
    const auto [known, first] = leases_.try_emplace(*lease);
    // An export of only some receipts may lack the receipts of intermediate shares.
    const bool goes_on = part_ ? known->second.reason.starts_with(taken_over)
                               : goes_on_with(known->second.reason, fields[instance_column]);
    if (!first && !goes_on)
        return make_error(
            error_text("receipts-of-one-lease"), where,
            {name, std::to_string(known->second.receipt), std::to_string(*lease), fields[instance_column]});
    known->second = {*number, fields[reason_column]};
    last_ = *number;
    last_hash_ = hash_(receipt_line(fields));
    ++count_;
    return {};
}

}  // namespace divisi::control::inline types
