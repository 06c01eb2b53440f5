// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/control/types/receipt.h"

namespace divisi::store {

// Rows of an exported list of receipts (control::receipts_csv). Anyone with the public key can check the receipts.

using ReceiptRows = std::vector<std::vector<std::string>>;

/// Parses the receipts of a CSV export. `where` is the file's name in error messages. Fails with `invalid_input` if the
/// text is not such an export.
Result<ReceiptRows> receipt_rows(std::string_view csv, const std::string& where);
/// Returns the error for a file that is not an export.
Error no_export(const std::string& where);

/// Returns the public key: `given` is either the key, as 64 hexadecimal digits, or a file that contains it.
Result<std::string> read_public_key(const std::string& given);

/// Returns a check of receipts against this public key. `part`: receipts may be missing, as in the export of one task.
control::ReceiptCheck receipt_check(const std::string& public_key, bool part);

}  // namespace divisi::store
