// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <filesystem>
#include <string>

#include "backend/base/result.h"

namespace divisi::file {

/// What the system refused, as an error that says what to do: "cannot `doing`: no space left on device". `path` is
/// where it happened, `reason` an errno.
Error system_error(const std::string& doing, const std::filesystem::path& path, int reason = errno);

}  // namespace divisi::file
