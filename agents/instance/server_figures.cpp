// SPDX-License-Identifier: Apache-2.0
// Serves an instance's figures to Prometheus, if its node requests it (divisi-node --metrics-instances).
#include "agents/instance/server.h"

namespace divisi::instance {
namespace {

/// Interval of updates; Prometheus scrapes every few seconds.
constexpr Duration figures_interval = std::chrono::seconds(1);

}  // namespace

/// Opens the port for the figures. If that fails, the instance reports it and works without.
void Server::open_figures() {
    if (config_.metrics.empty()) return;
    auto port = FiguresPort::open(config_.metrics, config_.instance);
    if (!port) return post(control::instance::NonFatalError{port.error()});
    figures_ = std::move(*port);
    show_figures();
    loop_.every(figures_interval, [this] { show_figures(); });
}

void Server::show_figures() {
    InstanceFigures shown;
    shown.instance = config_.instance;
    shown.sid = config_.sid;
    shown.connected = orchestrator_.up();
    shown.state = life_->state();
    shown.generation = deploy_.task.value().empty() ? 0 : deploy_.generation;
    shown.resident = resident_bytes();
    shown.data = port_->counters();
    shown.unacknowledged = port_->unacknowledged();
    if (const Engine* running = engine()) shown.work = running->work();
    shown.load = load_;
    shown.snapshots = snapshot_totals_;
    figures_->show(figures_of(shown));
}

}  // namespace divisi::instance
