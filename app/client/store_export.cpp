// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/store_export.h"

#include "backend/file/atomic_file.h"

namespace divisi::client {

Result<void> export_store(const std::filesystem::path& file, const control::StoreReading& read) {
    const bool csv = control::store_format_of(file) == control::StoreFormat::csv && !read.tables().empty();
    return file::write_file(file, csv ? control::store_csv(read.tables().front()) : control::store_json(read), 0644);
}

}  // namespace divisi::client
