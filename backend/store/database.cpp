// SPDX-License-Identifier: Apache-2.0
#include "backend/store/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

constexpr int busy_timeout_ms = 5000;
/// Limits for SQLite. The statements of Divisi have a few hundred bytes and its rows a few MiB; a hostile file cannot
/// request more.
constexpr int longest_statement = 64 << 10;
constexpr int longest_value = 1 << 30;

void harden(SQLite::Database& database) {
    sqlite3* handle = database.getHandle();
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, longest_statement);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_value);
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
}

/// Returns whether the file is on a read-only file system. SQLite reports this in several ways: a file that cannot be
/// opened, a read-only database, or a disk error.
bool lies_read_only(const std::filesystem::path& file) {
    const std::filesystem::path folder = file.parent_path();
    return ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0 && errno == EROFS;
}

int pragma(SQLite::Database& database, const char* name) {
    return database.execAndGet(std::string("PRAGMA ") + name).getInt();
}

/// Returns the database's schema version; 0 for a new database.
Result<std::size_t> version_of(SQLite::Database& database, const Schema& schema, const std::filesystem::path& file) {
    const int application = pragma(database, "application_id"), version = pragma(database, "user_version");
    const bool fresh = application == 0 && version == 0 && pragma(database, "schema_version") == 0;
    if (!fresh && application != schema.application)
        return make_error(error_text("database-of-other-kind"), file.string(), {schema.what});
    if (version < 0 || static_cast<std::size_t>(version) > schema.steps.size())
        return make_error(error_text("newer-database"), file.string(),
                          {schema.what, std::to_string(version), std::to_string(schema.steps.size())});
    return static_cast<std::size_t>(version);
}

}  // namespace

Error sqlite_error(const SQLite::Exception& exception, const std::filesystem::path& file) {
    const std::string what = exception.what();
    const int code = exception.getErrorCode();
    const bool refused =
        code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_PERM;
    if (refused && lies_read_only(file)) return make_error(error_text("database-on-read-only-disk"), file.string());
    switch (code) {
        case SQLITE_FULL: return make_error(error_text("database-disk-full"), file.string());
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return make_error(error_text("database-held"), file.string());
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return make_error(error_text("database-not-sound"), file.string(), {what});
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM: return make_error(error_text("database-cannot-be-opened"), file.string(), {what});
        case SQLITE_IOERR: return make_error(error_text("database-disk-error"), file.string(), {what});
        default: return make_error(error_text("database-failed"), file.string(), {what});
    }
}

Result<std::unique_ptr<SQLite::Database>> open_database(const std::filesystem::path& file, Durability durability) {
    try {
        auto database = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                                           busy_timeout_ms);
        harden(*database);
        if (durability == Durability::write_once) {
            // Use MEMORY, because defensive connections ignore journal_mode=OFF, and a journal file would remain on a
            // full disk.
            database->exec("PRAGMA page_size=65536; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF");
        } else {
            database->exec("PRAGMA journal_mode=WAL");
            database->exec(durability == Durability::full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
        }
        return database;
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
}

Result<std::unique_ptr<SQLite::Database>> open_read_only(const std::filesystem::path& file) {
    try {
        auto database = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READONLY, busy_timeout_ms);
        harden(*database);
        return database;
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
}

Result<void> migrate(SQLite::Database& database, const Schema& schema, const std::filesystem::path& file) {
    try {
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        DIVISI_ASSIGN(const std::size_t version, version_of(database, schema, file));
        for (std::size_t step = version; step < schema.steps.size(); ++step) database.exec(schema.steps[step]);
        if (version < schema.steps.size()) {
            database.exec("PRAGMA application_id = " + std::to_string(schema.application));
            database.exec("PRAGMA user_version = " + std::to_string(schema.steps.size()));
        }
        transaction.commit();
        return {};
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
}

Result<void> check_schema(SQLite::Database& database, const Schema& schema, const std::filesystem::path& file) {
    try {
        DIVISI_ASSIGN(const std::size_t version, version_of(database, schema, file));
        if (version == schema.steps.size()) return {};
        return make_error(error_text("database-of-other-version"), file.string(),
                          {schema.what, std::to_string(version), std::to_string(schema.steps.size())});
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
}

}  // namespace divisi::store
