// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/base/result.h"

namespace divisi::process {

/// Returns the absolute path; unchanged if the working folder is gone, in which case std::filesystem::absolute throws.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Returns a command's exit status after an error: 2 if the user must change a file, a value or a name, otherwise 1.
int exit_status(const Error& error);

}  // namespace divisi::process
