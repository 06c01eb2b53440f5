// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/types/lease_types.h"

namespace divisi::control::inline protocol {

/// A client's copy of the receipts in the log, oldest first, filled by repeated queries (QueryLog).
class ReceiptBook {
public:
    /// `task`: the task whose receipts are copied; empty: the receipts of all tasks.
    explicit ReceiptBook(std::string task = {}) : task_(std::move(task)) {}

    /// Returns the next query to send.
    QueryLog next() const;
    /// Adds the receipts of the answer to next(). Returns how many receipts were added.
    std::size_t take(const LogPage& answer);

    /// Returns whether the last answer reached the end of the log; false before the first answer.
    bool complete() const { return complete_; }
    const std::vector<Receipt>& receipts() const { return receipts_; }

private:
    std::string task_;
    std::uint64_t last_ = 0;  ///< sequence number of the last receipt's event
    bool complete_ = false;
    std::vector<Receipt> receipts_;
};

/// Returns the export of receipts: a header line, then a line for each receipt, with CR LF as in RFC 4180. A signature
/// covers its line without CR LF.
std::string receipts_csv(const std::vector<Receipt>& receipts);

}  // namespace divisi::control::inline protocol
