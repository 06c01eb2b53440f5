// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/base/result.h"

namespace divisi::process {

/// The path from the root; as it stands where the working folder is gone. std::filesystem::absolute throws there.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// What a command ends with after an error: 2 where the user has a file, a value or a name to change, else 1.
int exit_status(const Error& error);

}  // namespace divisi::process
