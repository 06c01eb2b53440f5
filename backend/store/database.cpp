// SPDX-License-Identifier: Apache-2.0
#include "backend/store/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>

namespace divisi::store {
namespace {

constexpr int busy_timeout_ms = 5000;
/// Limits for SQLite. Our statements have a few hundred bytes and our rows a few MiB; a hostile file cannot ask for
/// more.
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

}  // namespace

Error sqlite_error(const SQLite::Exception& exception, const std::filesystem::path& file) {
    const std::string what = exception.what();
    const int code = exception.getErrorCode();
    const bool refused =
        code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_PERM;
    if (refused && lies_read_only(file))
        return {ErrorCode::failed, "the file system is mounted read-only", file.string(),
                "look for the disk's errors in the system's log and mount it writable again, or use another folder"};
    switch (code) {
        case SQLITE_FULL:
            return {ErrorCode::exhausted, "the disk is full", file.string(),
                    "free some space; nothing was half-written"};
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {ErrorCode::conflict, "another process holds the database", file.string(), "end it, then try again"};
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return {ErrorCode::corrupt, "not a sound database: " + what, file.string(),
                    "move it away and start again, or restore a copy"};
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
            return {ErrorCode::denied, "cannot open the database: " + what, file.string(),
                    "check the folder's permissions"};
        case SQLITE_IOERR:
            return {ErrorCode::failed, "the disk reports an error: " + what, file.string(),
                    "check the disk and its free space"};
        default: return {ErrorCode::failed, what, file.string(), ""};
    }
}

Result<std::unique_ptr<SQLite::Database>> open_database(const std::filesystem::path& file, Durability durability) {
    try {
        auto database = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                                           busy_timeout_ms);
        harden(*database);
        if (durability == Durability::write_once) {
            // MEMORY, because defensive connections ignore journal_mode=OFF, and a journal file would be left behind on
            // a full disk.
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

}  // namespace divisi::store
