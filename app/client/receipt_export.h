// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/types/receipt.h"

namespace divisi::client {

/// Writes the same file as `divisictl receipts --csv`, completely or not at all.
Result<void> export_receipts(const std::filesystem::path& file, const std::vector<control::Receipt>& receipts);

/// Verifies receipts against a public key, a few at a time, so that the window remains responsive. Each receipt must be
/// unchanged since it was signed and must continue the chain from the previous receipt.
class ReceiptVerification {
public:
    /// Verifies the receipts of a CSV export.
    static Result<ReceiptVerification> of_file(const std::filesystem::path& file, const std::string& public_key);
    ReceiptVerification(const std::vector<control::Receipt>& receipts, const std::string& public_key);

    /// Checks up to `most` further receipts. Returns false when all receipts are checked or one is invalid.
    bool go_on(std::size_t most);
    std::size_t done() const { return done_; }
    std::size_t total() const { return rows_.size(); }

    /// Returns the error of the first invalid receipt.
    const std::optional<Error>& problem() const { return problem_; }
    /// Returns the number of the last valid receipt.
    std::uint64_t last() const { return check_.last(); }
    /// Returns how many receipt numbers up to the last one have no receipt in the verified receipts.
    std::uint64_t missing() const { return check_.last() - check_.count(); }

private:
    using Rows = std::vector<std::vector<std::string>>;
    ReceiptVerification(Rows rows, std::string where, const std::string& public_key);

    Rows rows_;
    std::string where_;  ///< file named in error messages; empty: the receipts come from the cluster, and messages name
                         ///< the receipt
    control::ReceiptCheck check_;
    std::size_t done_ = 0;
    std::optional<Error> problem_;
};

}  // namespace divisi::client
