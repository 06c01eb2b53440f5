// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

/// A client's copy of the receipts in the log, oldest first, kept by asking again and again (QueryLog).
class ReceiptBook {
public:
    /// `task`: only of this one; empty: all.
    explicit ReceiptBook(std::string task = {}) : task_(std::move(task)) {}

    /// What to ask next.
    QueryLog next() const;
    /// Takes the answer to next(). How many receipts came by it.
    std::size_t take(const LogPage& answer);

    /// Whether the last answer reached the end of the log; false before the first.
    bool complete() const { return complete_; }
    const std::vector<Receipt>& receipts() const { return receipts_; }

private:
    std::string task_;
    std::uint64_t last_ = 0;  ///< sequence number of the last receipt's event
    bool complete_ = false;
    std::vector<Receipt> receipts_;
};

/// The export of receipts: names of the columns and a line each, with CR LF as RFC 4180 has it. What is signed is a
/// line without that.
std::string receipts_csv(const std::vector<Receipt>& receipts);

}  // namespace divisi::control::inline protocol
