// SPDX-License-Identifier: Apache-2.0
#include "backend/store/migrations.h"

#include <string>

#include "backend/store/database.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

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
