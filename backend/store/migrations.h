// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <span>

#include "backend/base/result.h"

namespace divisi::store {

/// What a database holds, and how it came to its schema: the SQL of step i leads from version i to i + 1.
struct Schema {
    const char* what;          ///< for messages: "state store of an instance"
    std::int32_t application;  ///< PRAGMA application_id
    std::span<const char* const> steps;
};

/// Brings the database to the newest version, in one transaction. `unsupported` where it is newer than this program,
/// `invalid_input` where it is a database of something else; both leave it as it is.
Result<void> migrate(SQLite::Database& database, const Schema& schema, const std::filesystem::path& file);
/// The same question of a database that is only read.
Result<void> check_schema(SQLite::Database& database, const Schema& schema, const std::filesystem::path& file);

}  // namespace divisi::store
