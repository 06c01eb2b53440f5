// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/base/result.h"

namespace divisi::process {

/// Returns the absolute path; returns the path unchanged if the working folder no longer exists, in which case
/// std::filesystem::absolute throws.
std::filesystem::path absolute_path(const std::filesystem::path& path);

/// Prints an error of a program that cannot start or continue. Returns the program's exit status, 2.
int report_error(const Error& error);

/// Returns a command's exit status after an error: 2 if the user must change a file, a value or a name, otherwise 1.
int exit_status(const Error& error);

}  // namespace divisi::process
