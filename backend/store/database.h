// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
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

/// Describes a database's schema and its history: the SQL of step i leads from version i to i + 1.
struct Schema {
    const char* what;          ///< kind of database, for messages: "state store of an instance"
    std::int32_t application;  ///< PRAGMA application_id
    std::span<const char* const> steps;
};

/// Brings the database to the newest version, in one transaction. Fails with `unsupported` if the database is newer
/// than this program, and with `invalid_input` if it is another kind of database. Neither failure changes the database.
Result<void> migrate(SQLite::Database& database, const Schema& schema, const std::filesystem::path& file);
/// Makes the same checks for a database that is only read. Also fails with `unsupported` if its version is older.
Result<void> check_schema(SQLite::Database& database, const Schema& schema, const std::filesystem::path& file);

/// Returns a pattern for LIKE ... ESCAPE '\' that finds `text` anywhere, with its wildcards taken literally.
inline std::string like(const std::string& text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

}  // namespace divisi::store
