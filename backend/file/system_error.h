// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <filesystem>
#include <string>

#include "backend/base/result.h"

namespace divisi::file {

/// Describes a failed system call as an error such as "cannot `doing`: no space left on device", with what to do next.
/// `path` is where the call failed; `reason` is an errno.
Error system_error(const std::string& doing, const std::filesystem::path& path, int reason = errno);

}  // namespace divisi::file
