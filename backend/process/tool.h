// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::process {

/// Runs a tool of the system, such as `ip`, to its end and returns what it printed. It is looked for in /usr/sbin,
/// /usr/bin, /sbin and /bin whatever PATH says; no shell sees the arguments. `not_found` where it is not installed,
/// `deadline` after `limit`, else `failed` with what it complained about.
Result<std::string> run_tool(const std::string& tool, const std::vector<std::string>& arguments,
                             std::chrono::milliseconds limit = std::chrono::seconds(5));

}  // namespace divisi::process
