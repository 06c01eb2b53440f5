// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "backend/store/backup_manifest.h"

namespace divisi::store {

// A backup is a folder with a copy of what divisid keeps (data_folder.h), keys included, and a manifest. It appears
// whole or not at all, and so does the data folder that is made of it.

struct BackupOrder {
    std::filesystem::path data;            ///< divisid's; it may be at work
    std::filesystem::path folder;          ///< from the root, not there yet; FOLDER.new beside it until it is whole
    std::string program;                   ///< version of divisid
    TimePoint now{};                       ///< for the manifest
    std::function<bool()> stop = nullptr;  ///< asked between pages of the log: give up
};

/// Copies the log as of one moment, by SQLite's backup interface, and the skeletons of all its tasks. Durable when it
/// returns; after an error nothing is left. `conflict` where the folder or FOLDER.new is there, `corrupt` where the
/// log is damaged.
Result<BackupManifest> make_backup(const BackupOrder& order);

/// Compares every file with the manifest. `corrupt`, naming the file, for the first that is missing or differs.
Result<BackupManifest> verify_backup(const std::filesystem::path& folder);

/// Makes a data folder of a backup, whose every file is compared. `data` may be there if it is empty, else `conflict`;
/// refused as parse_manifest() and verify_backup() do; `data` is then as it was.
Result<BackupManifest> restore_backup(const std::filesystem::path& folder, const std::filesystem::path& data);

}  // namespace divisi::store
