// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <filesystem>
#include <string>

#include "backend/base/result.h"

namespace divisi::file {

/// Converts a failed system call to an error such as "cannot `doing`: no space left on device", including what to do
/// next. `path` is where the call failed; `reason` is an errno.
Error system_error(const std::string& doing, const std::filesystem::path& path, int reason = errno);

}  // namespace divisi::file
