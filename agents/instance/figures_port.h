// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/metrics/metrics_server.h"

namespace divisi::instance {

/// Serves the figures of an instance on this machine, at a port that the system chooses, for as long as it lives; a
/// file in a folder of the node's says where (metrics/target_file.h).
class FiguresPort {
public:
    /// Fails where it cannot listen or the file cannot be written.
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
