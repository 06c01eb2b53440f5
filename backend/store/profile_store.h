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

/// Measured prices of operators, by device type and threads: each distinct operator once, so that any cut is
/// composed from them and none is measured anew. SQLite, readable with the sqlite3 shell (tables device,
/// operator; times in seconds). Not thread-safe.
class ProfileStore {
public:
    /// Makes the file where there is none, and adds to an older one the columns that it lacks. Fails (unsupported) on
    /// one that a later version wrote.
    static Result<std::unique_ptr<ProfileStore>> open(const std::filesystem::path& file);
    ~ProfileStore();

    /// What was measured of a device with this many threads; an empty profile where nothing was. Its
    /// `device_type` is filled in, its rates are zero where they were not measured. Fails (corrupt) on
    /// numbers that no measurement gives.
    Result<price::DeviceProfile> load(const std::string& device_type, std::int64_t threads);

    /// The same with the default rates where none were measured: what a plan is priced by. `device` is cpu, cuda
    /// or cuda:<n>.
    Result<price::DeviceProfile> complete(const std::string& device, const std::string& device_type,
                                          std::int64_t threads);

    /// Adds operators, replacing those measured before; rates that are zero leave the stored ones, and the number of
    /// crowded cores, as they are.
    /// All or nothing, durable when it returns. Fails (invalid_input) as price::check_profile() does.
    Result<void> save(const price::DeviceProfile& profile, std::int64_t threads);

private:
    ProfileStore() = default;
    std::filesystem::path file_;
    std::unique_ptr<SQLite::Database> database_;
};

}  // namespace divisi::store
