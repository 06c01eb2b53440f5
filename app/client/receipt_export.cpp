// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/receipt_export.h"

#include "backend/control/protocol/receipt_book.h"
#include "backend/file/atomic_file.h"
#include "backend/store/receipt_export.h"

namespace divisi::client {

namespace {

std::vector<std::vector<std::string>> rows_of(const std::vector<control::Receipt>& receipts) {
    std::vector<std::vector<std::string>> rows;
    rows.reserve(receipts.size());
    for (const control::Receipt& one : receipts) rows.push_back(control::receipt_fields(one));
    return rows;
}

}  // namespace

Result<void> export_receipts(const std::filesystem::path& file, const std::vector<control::Receipt>& receipts) {
    return file::write_file(file, control::receipts_csv(receipts), 0644);
}

ReceiptVerification::ReceiptVerification(Rows rows, std::string where, const std::string& public_key)
    : rows_(std::move(rows)), where_(std::move(where)), check_(store::receipt_check(public_key, true)) {}

ReceiptVerification::ReceiptVerification(const std::vector<control::Receipt>& receipts, const std::string& public_key)
    : ReceiptVerification(rows_of(receipts), {}, public_key) {}

Result<ReceiptVerification> ReceiptVerification::of_file(const std::filesystem::path& file,
                                                         const std::string& public_key) {
    DIVISI_ASSIGN(const std::string text, file::read_text(file, "export of receipts", "check the path"));
    auto read = store::receipt_rows(text, file.filename().string());
    if (!read.ok() && text.starts_with("{"))
        return Error{ErrorCode::invalid_input, "not an export of receipts as CSV", file.filename().string(),
                     "check JSON lines with 'divisictl receipts verify'"};
    DIVISI_ASSIGN(Rows rows, std::move(read));
    return ReceiptVerification(std::move(rows), file.filename().string(), public_key);
}

bool ReceiptVerification::go_on(std::size_t most) {
    for (; most > 0 && done_ < rows_.size() && !problem_; --most, ++done_) {
        // The first row of a file contains the column names.
        const std::string where = where_.empty() ? std::string() : where_ + ", row " + std::to_string(done_ + 2);
        if (Result<void> taken = check_.take(rows_[done_], where); !taken.ok()) problem_ = taken.error();
    }
    return done_ < rows_.size() && !problem_;
}

}  // namespace divisi::client
