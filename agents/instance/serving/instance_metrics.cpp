// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/instance_metrics.h"

#include <utility>

namespace divisi::instance {

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

}  // namespace divisi::instance
