// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "backend/base/result.h"
#include "backend/price/cost_model.h"

namespace SQLite {
class Database;
}

namespace divisi::store {

/// Name of the file in a data folder.
inline constexpr const char* profile_file = "profiles.sqlite";

/// Measured prices of operators, by device type and threads. Each distinct operator is stored once, so that the price
/// of any cut is composed of stored prices without a new measurement. SQLite, readable with the sqlite3 shell (tables
/// device, operator; times in seconds). Not thread-safe.
class ProfileStore {
public:
    /// Opens the file; creates it if it is missing, and adds new columns to an older file. Fails (unsupported) if a
    /// later version wrote the file.
    static Result<std::unique_ptr<ProfileStore>> open(const std::filesystem::path& file);
    ~ProfileStore();

    /// Returns the measurements of a device with this many threads; an empty profile if there are none. `device_type`
    /// is always set; unmeasured rates are zero. Fails (corrupt) on numbers that no measurement can give.
    Result<price::DeviceProfile> load(const std::string& device_type, std::int64_t threads);

    /// Returns the profile that a plan is priced by: unmeasured rates have their defaults. `device` is cpu, cuda or
    /// cuda:<n>.
    Result<price::DeviceProfile> complete(const std::string& device, const std::string& device_type,
                                          std::int64_t threads);

    /// Stores operators, replacing earlier measurements. If the rates are zero, the stored rates and number of crowded
    /// cores are kept. All changes are made or none; they are durable on return. Fails (invalid_input) as
    /// price::check_profile() does.
    Result<void> save(const price::DeviceProfile& profile, std::int64_t threads);

private:
    ProfileStore() = default;
    std::filesystem::path file_;
    std::unique_ptr<SQLite::Database> database_;
};

}  // namespace divisi::store
