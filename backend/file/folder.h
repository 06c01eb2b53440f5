// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "backend/base/result.h"

namespace divisi::file {

/// Makes new names in the folder survive a power cut. It is no error if the file system cannot sync folders.
Result<void> sync_folder(const std::filesystem::path& folder);

/// Creates the folder and its parents, and tests that `room` bytes can be written there. A file system that is full or
/// mounted read-only may accept the folder and still refuse the bytes.
Result<void> make_writable(const std::filesystem::path& folder, std::int64_t room);

/// Lists the paths in the folder, in no particular order. If reading fails, returns the paths found so far and sets
/// `failure` to the reason. Never throws, even if entries vanish meanwhile. Entries may be removed while the caller
/// iterates over the result.
std::vector<std::filesystem::path> list_folder(const std::filesystem::path& folder, std::error_code& failure);

/// Returns whether the path still leads to the open file, and not to another file or nowhere.
bool leads_to(const std::filesystem::path& path, int fd);

}  // namespace divisi::file
