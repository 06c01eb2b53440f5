// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace divisi::metrics {

// Processes whose port the system chooses say in a file each where they serve their metrics, as Prometheus's
// file_sd_configs read it: a folder of them is a scrape job.

/// The file of the process that plays `name`, as "gpt-1/stage-1/0#2".
std::filesystem::path target_file(const std::filesystem::path& folder, const std::string& name);
/// What stands in it; `url` as MetricsServer::url() has it.
std::string target_text(const std::string& url);

/// Removes what processes that were killed have left in the folder.
void remove_targets(const std::filesystem::path& folder);

}  // namespace divisi::metrics
