// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "agents/instance/serving/instance_figures.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/metrics/metrics_server.h"

namespace divisi::instance {

/// Serves an instance's figures on this machine for as long as this object exists. The system chooses the port; a file
/// in a folder of the node names the port (metrics/metrics_server.h).
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

/// Serves an instance's figures to Prometheus, if its node requests it, and stores the last load and the snapshot
/// totals between updates. Only the loop's thread uses it.
class InstanceMetrics {
public:
    /// Opens the port. Without an open port, show() does nothing.
    Result<void> open(const std::filesystem::path& folder, const InstanceId& instance);
    void add(const control::SnapshotTaken& told) { snapshots_.add(told); }
    void set_load(const control::InstanceLoad& load) { load_ = load; }
    /// Shows these figures with the last load and the totals of snapshots.
    void show(InstanceFigures figures);
    /// Returns the figures with the last load and the totals of snapshots.
    InstanceFigures completed(InstanceFigures figures) const;

private:
    std::unique_ptr<FiguresPort> port_;          ///< port for Prometheus; null if it was not requested
    std::optional<control::InstanceLoad> load_;  ///< the last measurement
    SnapshotTotals snapshots_;
};

}  // namespace divisi::instance
