// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <memory>
#include <string>

#include "backend/base/result.h"

namespace divisi::store {

/// Purpose of a database, which determines its settings. FULL is for data that must survive a power cut, NORMAL for
/// telemetry. Tensors, which are written once and then only read, get new files with 64 KiB pages.
enum class Durability { full, normal, write_once };

/// Opens or creates a database with our settings: WAL (for write_once, a journal in memory), busy timeout, DEFENSIVE,
/// lowered limits. Fails with `corrupt`, `conflict` (locked) or `exhausted` (disk full), naming the file.
Result<std::unique_ptr<SQLite::Database>> open_database(const std::filesystem::path& file, Durability durability);
Result<std::unique_ptr<SQLite::Database>> open_read_only(const std::filesystem::path& file);

/// Converts SQLite's exception to an error that tells the user what to do.
Error sqlite_error(const SQLite::Exception& exception, const std::filesystem::path& file);

}  // namespace divisi::store
