// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <span>

#include "backend/base/result.h"

namespace divisi::store {

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

}  // namespace divisi::store
