// SPDX-License-Identifier: Apache-2.0
#include "backend/store/receipt_export.h"

#include "backend/base/csv.h"
#include "backend/file/atomic_file.h"
#include "backend/store/error_texts.h"
#include "backend/store/receipt_key.h"

namespace divisi::store {

Error no_export(const std::string& where) { return make_error(error_text("no-export-of-receipts"), where); }

Result<ReceiptRows> receipt_rows(std::string_view csv, const std::string& where) {
    DIVISI_ASSIGN(ReceiptRows rows, parse_csv(csv, where));
    if (rows.empty() || rows.front() != control::receipt_columns()) return no_export(where);
    rows.erase(rows.begin());
    return rows;
}

Result<std::string> read_public_key(const std::string& given) {
    std::error_code ignored;
    if (!std::filesystem::exists(given, ignored)) return public_key_of(given, given);
    DIVISI_ASSIGN(const std::string text, file::read_text(given, "public key", "check the path"));
    return public_key_of(text, given);
}

control::ReceiptCheck receipt_check(const std::string& public_key, bool part) {
    return {[public_key](std::string_view line, const std::string& signature) {
                return verify_signature(line, signature, public_key);
            },
            receipt_hash, part};
}

}  // namespace divisi::store
