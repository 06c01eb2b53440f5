// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/instance_metrics.h"

#include <utility>

#include "backend/file/atomic_file.h"
#include "backend/metrics/metrics_server.h"

namespace divisi::instance {
namespace {

constexpr const char* any_port = "127.0.0.1:0";
constexpr mode_t readable_by_all = 0644;  ///< needed because Prometheus runs as another user

}  // namespace

Result<void> InstanceMetrics::open(const std::filesystem::path& folder, const InstanceId& instance) {
    DIVISI_ASSIGN(port_, FiguresPort::open(folder, instance));
    return {};
}

InstanceFigures InstanceMetrics::completed(InstanceFigures figures) const {
    figures.load = load_;
    figures.snapshots = snapshots_;
    return figures;
}

void InstanceMetrics::show(InstanceFigures figures) {
    if (port_) port_->show(figures_of(completed(std::move(figures))));
}

Result<std::unique_ptr<FiguresPort>> FiguresPort::open(const std::filesystem::path& folder,
                                                       const InstanceId& instance) {
    std::unique_ptr<FiguresPort> port(new FiguresPort());
    DIVISI_ASSIGN(port->server_, metrics::serve(port->board_, any_port));
    port->file_ = metrics::target_file(folder, instance.value());
    DIVISI_TRY(file::write_file(port->file_, metrics::target_text(port->url()), readable_by_all));
    return port;
}

/// Removes the file, so that no reader tries a port on which nothing listens.
FiguresPort::~FiguresPort() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
}

}  // namespace divisi::instance
