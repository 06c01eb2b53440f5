// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/types/lease_types.h"

namespace divisi::control::inline types {

// A receipt as text: a line of CSV. What is signed is that line up to its last comma, so that whoever has the export
// and the public key checks it with any Ed25519, and no program of ours.

/// What becomes receipts' signatures and hashes: libsodium in divisid.
struct ReceiptSeal {
    std::string public_key;                                  ///< 64 hexadecimal digits
    std::function<std::string(std::string_view)> sign = {};  ///< Ed25519, 128 hexadecimal digits
    std::function<std::string(std::string_view)> hash = {};  ///< BLAKE2b-256, 64 hexadecimal digits
};

/// Names of the columns. A change of them, or of what they mean, is a new format.
const std::vector<std::string>& receipt_columns();
/// "divisi-receipt-2". In the first a lease had one receipt; since then it has one for each task that held it, and all
/// but the last say in their reason who took it over.
std::string receipt_format(std::uint32_t format);
inline constexpr std::uint32_t newest_receipt_format = 2;
/// The reason in the receipt of a share after which the lease goes on.
std::string taken_over_by(const InstanceId& successor, const std::string& reason);

/// One text a column. Times are UTC with milliseconds, durations in milliseconds, energy in millijoules; what is not
/// known is empty.
std::vector<std::string> receipt_fields(const Receipt& receipt);
/// The line without its signature and the comma before it.
std::string signed_text(const std::vector<std::string>& fields);
/// The whole line, without a line break; the next receipt names its hash.
std::string receipt_line(const std::vector<std::string>& fields);

/// Checks an export, receipt by receipt in its order.
class ReceiptCheck {
public:
    using Verify = std::function<bool(std::string_view text, const std::string& signature)>;
    using Hash = std::function<std::string(std::string_view)>;

    /// `part`: receipts may be missing, as in the export of one task.
    ReceiptCheck(Verify verify, Hash hash, bool part)
        : verify_(std::move(verify)), hash_(std::move(hash)), part_(part) {}

    /// What is wrong with the next receipt: signature, number, or that it does not follow the one before. `where` is
    /// for messages: "receipts.csv, row 3".
    Result<void> take(const std::vector<std::string>& fields, const std::string& where);
    std::uint64_t count() const { return count_; }
    std::uint64_t last() const { return last_; }

private:
    Verify verify_;
    Hash hash_;
    bool part_;
    std::uint64_t count_ = 0, last_ = 0;
    std::string last_hash_;
    /// The last receipt of each lease, and its reason.
    struct Last {
        std::uint64_t receipt = 0;
        std::string reason;
    };
    std::map<std::uint64_t, Last> leases_;
};

}  // namespace divisi::control::inline types
