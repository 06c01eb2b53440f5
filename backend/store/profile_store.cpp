// SPDX-License-Identifier: Apache-2.0
#include "backend/store/profile_store.h"

#include <cmath>

#include "backend/store/database.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

/// Version of the schema, stored as the file's user_version. Version 1 had neither crowded times nor pass_s nor call_s,
/// and its files have the user_version 0.
constexpr int schema_version = 2;

constexpr const char* profile_schema =
    "CREATE TABLE IF NOT EXISTS device (type TEXT NOT NULL, threads INTEGER NOT NULL, product_flops_per_s REAL NOT"
    " NULL, other_flops_per_s REAL NOT NULL, bytes_per_s REAL NOT NULL, dispatch_s REAL NOT NULL,"
    " crowded_cores REAL NOT NULL DEFAULT 0, pass_s REAL NOT NULL DEFAULT 0, call_s REAL NOT NULL DEFAULT 0,"
    " PRIMARY KEY (type, threads)) STRICT;"
    "CREATE TABLE IF NOT EXISTS operator (type TEXT NOT NULL, threads INTEGER NOT NULL, key TEXT NOT NULL,"
    " forward_s REAL NOT NULL, forward_spread_s REAL NOT NULL, input_gradient_s REAL NOT NULL,"
    " input_gradient_spread_s REAL NOT NULL, weight_gradient_s REAL NOT NULL, weight_gradient_spread_s REAL NOT NULL,"
    " forward_crowded_s REAL NOT NULL DEFAULT 0, input_gradient_crowded_s REAL NOT NULL DEFAULT 0,"
    " weight_gradient_crowded_s REAL NOT NULL DEFAULT 0, PRIMARY KEY (type, threads, key)) STRICT;";

/// Columns to add to a file of version 1.
constexpr const char* new_columns =
    "ALTER TABLE device ADD COLUMN crowded_cores REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE device ADD COLUMN pass_s REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE device ADD COLUMN call_s REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE operator ADD COLUMN forward_crowded_s REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE operator ADD COLUMN input_gradient_crowded_s REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE operator ADD COLUMN weight_gradient_crowded_s REAL NOT NULL DEFAULT 0;";

/// Upgrades the file to the current schema.
Result<void> prepare(SQLite::Database& database, const std::filesystem::path& file) {
    const auto version_now = [&] { return database.execAndGet("PRAGMA user_version").getInt(); };
    if (version_now() == schema_version) return {};
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    const int version = version_now();  // another program may have upgraded the store meanwhile
    if (version > schema_version)
        return make_error(error_text("newer-profile-store"), file.string(),
                          {std::to_string(version), std::to_string(schema_version)});
    const bool first = version < schema_version && database.tableExists("operator");
    database.exec(first ? new_columns : profile_schema);
    database.exec("PRAGMA user_version = " + std::to_string(schema_version));
    transaction.commit();
    return {};
}

Result<void> check(const price::DeviceProfile& profile) {
    // Rates may be missing here, but check_profile() requires them to be positive.
    price::DeviceProfile whole = profile;
    if (whole.rates.product_flops_per_s == 0) whole.rates = price::default_profile("cpu").rates;
    return price::check_profile(whole);
}

}  // namespace

ProfileStore::~ProfileStore() = default;

Result<std::unique_ptr<ProfileStore>> ProfileStore::open(const std::filesystem::path& file) {
    std::unique_ptr<ProfileStore> store(new ProfileStore());
    store->file_ = file;
    DIVISI_ASSIGN(store->database_, open_database(file, Durability::full));
    try {
        DIVISI_TRY(prepare(*store->database_, file));
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file);
    }
    return store;
}

Result<price::DeviceProfile> ProfileStore::load(const std::string& device_type, std::int64_t threads) {
    price::DeviceProfile profile;
    profile.device_type = device_type;
    try {
        SQLite::Statement rates(*database_,
                                "SELECT product_flops_per_s, other_flops_per_s, bytes_per_s, dispatch_s, crowded_cores,"
                                " pass_s, call_s FROM device WHERE type = ? AND threads = ?");
        rates.bind(1, device_type);
        rates.bind(2, threads);
        if (rates.executeStep()) {
            profile.rates = {rates.getColumn(0).getDouble(), rates.getColumn(1).getDouble(),
                             rates.getColumn(2).getDouble(), rates.getColumn(3).getDouble(),
                             rates.getColumn(5).getDouble(), rates.getColumn(6).getDouble()};
            profile.crowded_cores = rates.getColumn(4).getDouble();
        }
        SQLite::Statement operators(
            *database_,
            "SELECT key, forward_s, forward_spread_s, input_gradient_s, input_gradient_spread_s, weight_gradient_s,"
            " weight_gradient_spread_s, forward_crowded_s, input_gradient_crowded_s, weight_gradient_crowded_s"
            " FROM operator WHERE type = ? AND threads = ?");
        operators.bind(1, device_type);
        operators.bind(2, threads);
        while (operators.executeStep()) {
            const auto time = [&](int part) {
                return price::MeasuredTime{operators.getColumn(1 + 2 * part).getDouble(),
                                           operators.getColumn(2 + 2 * part).getDouble(),
                                           operators.getColumn(7 + part).getDouble()};
            };
            profile.operators[operators.getColumn(0).getString()] = {time(0), time(1), time(2)};
        }
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
    if (auto checked = check(profile); !checked)
        return make_error(error_text("profile-not-measured"), file_.string(), {checked.error().what});
    return profile;
}

Result<price::DeviceProfile> ProfileStore::complete(const std::string& device, const std::string& device_type,
                                                    std::int64_t threads) {
    DIVISI_ASSIGN(price::DeviceProfile profile, load(device_type, threads));
    if (profile.rates.product_flops_per_s == 0)
        profile.rates = price::default_profile(device, static_cast<double>(threads)).rates;
    return profile;
}

Result<void> ProfileStore::save(const price::DeviceProfile& profile, std::int64_t threads) {
    DIVISI_TRY(check(profile));
    try {
        SQLite::Transaction transaction(*database_);
        if (profile.rates.product_flops_per_s > 0) {
            SQLite::Statement rates(*database_, "INSERT OR REPLACE INTO device VALUES (?,?,?,?,?,?,?,?,?)");
            rates.bind(1, profile.device_type);
            rates.bind(2, threads);
            rates.bind(3, profile.rates.product_flops_per_s);
            rates.bind(4, profile.rates.other_flops_per_s);
            rates.bind(5, profile.rates.bytes_per_s);
            rates.bind(6, profile.rates.dispatch_s);
            rates.bind(7, profile.crowded_cores);
            rates.bind(8, profile.rates.pass_s);
            rates.bind(9, profile.rates.call_s);
            rates.exec();
        }
        SQLite::Statement insert(*database_, "INSERT OR REPLACE INTO operator VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
        for (const auto& [key, times] : profile.operators) {
            insert.bind(1, profile.device_type);
            insert.bind(2, threads);
            insert.bind(3, key);
            int part = 0;
            for (const price::MeasuredTime* time : {&times.forward, &times.input_gradient, &times.weight_gradient}) {
                insert.bind(4 + 2 * part, time->seconds);
                insert.bind(5 + 2 * part, time->spread);
                insert.bind(10 + part++, time->crowded);
            }
            insert.exec();
            insert.reset();
        }
        transaction.commit();
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, file_);
    }
    return {};
}

}  // namespace divisi::store
