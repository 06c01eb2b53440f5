// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/metrics/metrics_server.h"

namespace divisi::instance {

/// Serves an instance's figures on this machine for as long as this object exists. The system chooses the port; a file
/// in a folder of the node names the port (metrics/target_file.h).
class FiguresPort {
public:
    /// Opens the port. Fails if it cannot listen or cannot write the file.
    static Result<std::unique_ptr<FiguresPort>> open(const std::filesystem::path& folder, const InstanceId& instance);
    ~FiguresPort();
    FiguresPort(const FiguresPort&) = delete;
    FiguresPort& operator=(const FiguresPort&) = delete;

    void show(metrics::Figures figures) { board_.show(std::move(figures)); }
    const std::string& url() const { return server_->url(); }

private:
    FiguresPort() = default;

    std::filesystem::path file_;
    metrics::Board board_;
    std::unique_ptr<metrics::MetricsServer> server_;
};

}  // namespace divisi::instance
