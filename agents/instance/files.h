// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/message.h"

namespace divisi::instance {

/// Where a deployed task's file lies on this machine: in the node's blob store (`blobs`) if its client brought it
/// there, else where the task file says. `path` is the task file's. `not_found` when the store lacks it.
Result<std::string> local_path(const control::Deploy& deploy, const std::filesystem::path& blobs,
                               const std::string& purpose, const std::string& path);

}  // namespace divisi::instance
