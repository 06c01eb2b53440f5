// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "backend/base/result.h"

namespace divisi::file {

/// Makes a name in the folder survive a power cut. File systems that cannot do this for folders are no error.
Result<void> sync_folder(const std::filesystem::path& folder);

/// Makes the folder, with those above it, and proves that `room` bytes can be written there: a file system that is
/// mounted read-only or full takes the folder and refuses the bytes.
Result<void> make_writable(const std::filesystem::path& folder, std::int64_t room);

/// The paths in the folder, in no order; those found so far where reading it fails, with the reason in `failure`.
/// Nothing throws, also when entries vanish meanwhile; entries may be removed while the result is gone through.
std::vector<std::filesystem::path> list_folder(const std::filesystem::path& folder, std::error_code& failure);

/// Whether the path still leads to the open file, and not to another one or nowhere.
bool leads_to(const std::filesystem::path& path, int fd);

}  // namespace divisi::file
