// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::process {

/// Runs a system tool, such as `ip`, until it ends and returns its output. The tool is looked up in /usr/sbin,
/// /usr/bin, /sbin and /bin, regardless of PATH; no shell interprets the arguments. Fails with `not_found` if it is not
/// installed, with `deadline` after `limit`, and otherwise with `failed` and the tool's error output.
Result<std::string> run_tool(const std::string& tool, const std::vector<std::string>& arguments,
                             std::chrono::milliseconds limit = std::chrono::seconds(5));

}  // namespace divisi::process
