// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "backend/base/result.h"
#include "backend/metrics/figures.h"

namespace divisi::metrics {

/// Answers GET /metrics over HTTP, on this machine only: the text is not encrypted, and no key is required.
class MetricsServer {
public:
    /// Starts the server. `address` is a loopback address and a port, such as 127.0.0.1:9464 or [::1]:9464; with port 0
    /// the system chooses one. `text` is called on a server thread. Fails with invalid_input, or with conflict if the
    /// port is taken.
    static Result<std::unique_ptr<MetricsServer>> start(const std::string& address, std::function<std::string()> text);
    ~MetricsServer();

    /// Returns the URL that the server answers at.
    const std::string& url() const { return url_; }

private:
    struct Http;
    MetricsServer() = default;

    std::string url_;
    std::unique_ptr<Http> http_;
};

inline constexpr const char* option_help =
    "serve metrics for Prometheus at http://ADDRESS:PORT/metrics; only on loopback, such as 127.0.0.1:9464";

/// Serves `board`, which must outlive the server, for a program's option --metrics. Returns null if `address` is empty.
/// Fails as MetricsServer::start() does.
Result<std::unique_ptr<MetricsServer>> serve(const Board& board, const std::string& address);

// Files for Prometheus's file_sd_configs: a process whose port the system chooses writes its metrics URL into such a
// file. A folder of these files is one scrape job.

/// Returns the path of the target file of the instance `name`, such as "gpt-1/stage-1/0#2".
std::filesystem::path target_file(const std::filesystem::path& folder, const std::string& name);
/// Returns the file's content; `url` as MetricsServer::url() returns it.
std::string target_text(const std::string& url);

/// Removes files that killed processes left in the folder.
void remove_targets(const std::filesystem::path& folder);

}  // namespace divisi::metrics
