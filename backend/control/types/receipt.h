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

// A receipt as text is one line of CSV. The signature covers that line up to its last comma. Anyone with the export and
// the public key can check the signature with any Ed25519 tool, without Divisi.

/// The functions that sign and hash receipts. In divisid they use libsodium.
struct ReceiptSeal {
    std::string public_key;                                  ///< 64 hexadecimal digits
    std::function<std::string(std::string_view)> sign = {};  ///< returns an Ed25519 signature, 128 hexadecimal digits
    std::function<std::string(std::string_view)> hash = {};  ///< returns a BLAKE2b-256 hash, 64 hexadecimal digits
};

/// Returns the column names. A change of the names or of their meaning is a new format.
const std::vector<std::string>& receipt_columns();
/// Returns the name of a format: "divisi-receipt-2". In format 1 a lease had one receipt. In format 2 a lease has one
/// receipt for each task that held it. The reason in every receipt except the last names the next holder.
std::string receipt_format(std::uint32_t format);
inline constexpr std::uint32_t newest_receipt_format = 2;
/// Returns the reason for a receipt whose lease continues with `successor`.
std::string taken_over_by(const InstanceId& successor, const std::string& reason);

/// Returns one text for each column. Times are UTC with milliseconds, durations are in milliseconds, energy is in
/// millijoules. Unknown values are empty.
std::vector<std::string> receipt_fields(const Receipt& receipt);
/// Returns the line without its signature and the comma before it.
std::string signed_text(const std::vector<std::string>& fields);
/// Returns the whole line without a line break. The next receipt contains the hash of this text.
std::string receipt_line(const std::vector<std::string>& fields);

/// Checks an export of receipts, one receipt after the other.
class ReceiptCheck {
public:
    using Verify = std::function<bool(std::string_view text, const std::string& signature)>;
    using Hash = std::function<std::string(std::string_view)>;

    /// `part`: whether receipts may be missing, as in the export of one task.
    ReceiptCheck(Verify verify, Hash hash, bool part)
        : verify_(std::move(verify)), hash_(std::move(hash)), part_(part) {}

    /// Checks the next receipt: its signature, its number, and that it follows the previous receipt. `where` names the
    /// receipt in errors: "receipts.csv, row 3".
    Result<void> take(const std::vector<std::string>& fields, const std::string& where);
    std::uint64_t count() const { return count_; }
    std::uint64_t last() const { return last_; }

private:
    Verify verify_;
    Hash hash_;
    bool part_;
    std::uint64_t count_ = 0, last_ = 0;
    std::string last_hash_;
    /// The last receipt of a lease and its reason.
    struct Last {
        std::uint64_t receipt = 0;
        std::string reason;
    };
    std::map<std::uint64_t, Last> leases_;
};

}  // namespace divisi::control::inline types
