// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/control/types/receipt.h"

namespace divisi::store {

// An export of receipts (control::receipts_csv), read back and checked by whoever has the public key.

using ReceiptRows = std::vector<std::vector<std::string>>;

/// The receipts of a CSV export. `where` names it in messages; `invalid_input` where it is none.
Result<ReceiptRows> receipt_rows(std::string_view csv, const std::string& where);
/// Why a file is no export.
Error no_export(const std::string& where);

/// The public key that is given itself, or lies in a file, as 64 hexadecimal digits.
Result<std::string> read_public_key(const std::string& given);

/// Checks receipts against this public key. `part`: receipts may be missing, as in the export of one task.
control::ReceiptCheck receipt_check(const std::string& public_key, bool part);

}  // namespace divisi::store
