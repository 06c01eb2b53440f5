// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace divisi::metrics {

// Files for Prometheus's file_sd_configs: a process whose port the system chooses writes its metrics URL into such a
// file. A folder of these files is one scrape job.

/// Returns the path of the target file of the instance `name`, such as "gpt-1/stage-1/0#2".
std::filesystem::path target_file(const std::filesystem::path& folder, const std::string& name);
/// Returns the file's content; `url` as MetricsServer::url() returns it.
std::string target_text(const std::string& url);

/// Removes files that killed processes left in the folder.
void remove_targets(const std::filesystem::path& folder);

}  // namespace divisi::metrics
