// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "backend/store/backup_manifest.h"

namespace divisi::store {

// A backup is a folder with a copy of what divisid stores (data_folder.h), including the keys, and with a manifest. A
// backup is created completely or not at all, and so is the data folder restored from it.

struct BackupOrder {
    std::filesystem::path data;            ///< divisid's data folder; divisid may be running
    std::filesystem::path folder;          ///< absolute path, must not exist; written as FOLDER.new until complete
    std::string program;                   ///< version of divisid
    TimePoint now{};                       ///< time that the manifest states
    std::function<bool()> stop = nullptr;  ///< polled between pages of the log; true cancels
};

/// Copies the log in its current state, by SQLite's backup interface. Also copies its tasks' skeletons, the prices
/// and the keys. The backup is durable on return; after an error, no file of it remains. Fails with `conflict` if the
/// folder or FOLDER.new exists, with `corrupt` if the log is damaged.
Result<BackupManifest> make_backup(const BackupOrder& order);

/// Compares every file with the manifest. Fails with `corrupt` and the name of the first file that is missing or
/// differs.
Result<BackupManifest> verify_backup(const std::filesystem::path& folder);

/// Restores a backup into a data folder after comparing every file. `data` may exist if it is empty; otherwise fails
/// with `conflict`. Also fails as parse_manifest() and verify_backup() do. After an error, `data` is unchanged.
Result<BackupManifest> restore_backup(const std::filesystem::path& folder, const std::filesystem::path& data);

}  // namespace divisi::store
