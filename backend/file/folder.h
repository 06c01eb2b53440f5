// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "backend/base/result.h"

namespace divisi::file {

/// Syncs the folder, so that new names in the folder survive a power cut. If the file system cannot sync folders, the
/// call succeeds without effect.
Result<void> sync_folder(const std::filesystem::path& folder);

/// Creates the folder and its parents, and checks that `room` bytes can be written there. The check is needed because a
/// full or read-only file system may still contain the folder.
Result<void> make_writable(const std::filesystem::path& folder, std::int64_t room);

/// Lists the paths in the folder, in no particular order. If reading fails, returns the paths found before the failure
/// and sets `failure` to the reason. Never throws, even if entries disappear during the scan. Entries may be removed
/// while the caller iterates over the result.
std::vector<std::filesystem::path> list_folder(const std::filesystem::path& folder, std::error_code& failure);

/// Returns whether the path still names the open file `fd`. Returns false if the path names another file or no file.
bool leads_to(const std::filesystem::path& path, int fd);

}  // namespace divisi::file
