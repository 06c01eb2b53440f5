// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/types/receipt.h"

namespace divisi::client {

/// Writes what `divisictl receipts --csv` writes: whole, or not at all.
Result<void> export_receipts(const std::filesystem::path& file, const std::vector<control::Receipt>& receipts);

/// Checks receipts against a public key, some at a time, so that the window stays alive: that each is what was signed,
/// and follows on the one before.
class ReceiptVerification {
public:
    /// Of a CSV export.
    static Result<ReceiptVerification> of_file(const std::filesystem::path& file, const std::string& public_key);
    ReceiptVerification(const std::vector<control::Receipt>& receipts, const std::string& public_key);

    /// The next receipts; false when there is nothing more to do.
    bool go_on(std::size_t most);
    std::size_t done() const { return done_; }
    std::size_t total() const { return rows_.size(); }

    /// What is wrong with the first receipt that is wrong.
    const std::optional<Error>& problem() const { return problem_; }
    /// Of those that were right.
    std::uint64_t last() const { return check_.last(); }
    /// How many numbers up to the last have no receipt here.
    std::uint64_t missing() const { return check_.last() - check_.count(); }

private:
    using Rows = std::vector<std::vector<std::string>>;
    ReceiptVerification(Rows rows, std::string where, const std::string& public_key);

    Rows rows_;
    std::string where_;  ///< for messages; empty: receipts of the cluster, which name themselves
    control::ReceiptCheck check_;
    std::size_t done_ = 0;
    std::optional<Error> problem_;
};

}  // namespace divisi::client
