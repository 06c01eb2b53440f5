// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/receipt_book.h"

#include "backend/base/csv.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/message.h"
#include "backend/control/types/receipt.h"

namespace divisi::control::inline protocol {
namespace {

/// Maximum number of receipts asked for in one query. A page of the log fills up earlier if its events are long.
constexpr std::uint32_t most_asked = 1000;

}  // namespace

QueryLog ReceiptBook::next() const {
    QueryLog query;
    query.task = task_;
    query.kind = kind_name(LeaseReclaimed{});
    query.after = last_;
    query.oldest = true;
    query.limit = most_asked;
    return query;
}

std::size_t ReceiptBook::take(const LogPage& answer) {
    const std::size_t before = receipts_.size();
    for (const Event& event : answer.events) {
        if (event.sequence <= last_) continue;
        last_ = event.sequence;
        if (const auto* reclaimed = get_if<LeaseReclaimed>(&event.body)) receipts_.push_back(reclaimed->receipt);
    }
    complete_ = !answer.more || answer.events.empty();
    return receipts_.size() - before;
}

std::string receipts_csv(const std::vector<Receipt>& receipts) {
    std::string text = csv_line(receipt_columns()) + "\r\n";
    for (const Receipt& one : receipts) text += receipt_line(receipt_fields(one)) + "\r\n";
    return text;
}

}  // namespace divisi::control::inline protocol
