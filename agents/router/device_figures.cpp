// SPDX-License-Identifier: Apache-2.0
// Shows the figures of a gateway or router to Prometheus (--metrics). They are the same figures as in the device's
// reports, and are shown even while the orchestrator is away.
#include "agents/router/device.h"
#include "backend/base/version.h"
#include "backend/metrics/cluster_figures.h"

namespace divisi::router {

metrics::Figures Device::figures() {
    metrics::Figures shown;
    metrics::add_build(shown, std::string("divisi-") + to_string(config_.info.role), version);
    shown.gauge("divisi_device_connected", "1 while the device is connected to the orchestrator, else 0.",
                {{"device", config_.info.name}}, orchestrator_.up() ? 1 : 0);
    if (port_.started()) add_figures(shown);
    return shown;
}

void Device::add_figures(metrics::Figures& shown) {
    control::DeviceReport report = measure();
    control::DeviceView view;
    view.info = config_.info;
    view.counters = report.counters;
    view.held = report.held;
    view.promised = report.promised;
    view.neighbours = std::move(report.neighbours);
    view.flows = std::move(report.flows);
    view.guard = std::move(report.guard);
    view.dealt = std::move(report.dealt);
    view.cache = report.cache;
    metrics::add_device(shown, view, [this](std::uint32_t id) {
        for (const control::TableDevice& device : table_.devices)
            if (device.id == id) return device.name;
        return std::string();
    });
}

}  // namespace divisi::router
