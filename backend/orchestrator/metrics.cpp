// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <utility>

#include "backend/orchestrator/machine_metrics.h"
#include "backend/orchestrator/mesh_metrics.h"

namespace divisi::orchestrator {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

/// From a heartbeat's handling to what a person would notice; peers are given up after seconds.
const Histogram::BucketBoundaries round_bounds_s{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};

const char* activity(const control::TaskView& task) {
    if (task.over()) return "ended";
    return task.phase == control::TaskPhase::queued ? "queued" : "running";
}

}  // namespace

struct Metrics::Families {
    prometheus::Registry registry;
    Histogram& rounds = prometheus::BuildHistogram()
                            .Name("divisi_loop_round_seconds")
                            .Help("What a round of the orchestrator's event loop took, without its waiting.")
                            .Register(registry)
                            .Add({}, round_bounds_s);
    Gauge& longest = prometheus::BuildGauge()
                         .Name("divisi_loop_longest_round_seconds")
                         .Help("The longest round of the orchestrator's event loop since its start.")
                         .Register(registry)
                         .Add({});
    Counter& events = prometheus::BuildCounter()
                          .Name("divisi_events_total")
                          .Help("Events made durable since the orchestrator's start.")
                          .Register(registry)
                          .Add({});
    prometheus::Family<Gauge>& tasks =
        prometheus::BuildGauge().Name("divisi_tasks").Help("Tasks that the orchestrator knows.").Register(registry);
    prometheus::Family<Gauge>& nodes =
        prometheus::BuildGauge().Name("divisi_nodes").Help("Nodes that the orchestrator knows.").Register(registry);
    Counter& denials = prometheus::BuildCounter()
                           .Name("divisi_denied_messages_total")
                           .Help("Messages and roles that the orchestrator denied since its start.")
                           .Register(registry)
                           .Add({});
    prometheus::Family<Counter>& handshakes =
        prometheus::BuildCounter()
            .Name("divisi_failed_handshakes_total")
            .Help("Connections on tcp to the orchestrator that it refused, by why: key or unfinished.")
            .Register(registry);
    link::FailedHandshakes seen;
    prometheus::Family<Gauge>& alerts =
        prometheus::BuildGauge().Name("divisi_alerts").Help("Alerts that stand, by their rule.").Register(registry);
    MeshMetrics mesh{registry};
    MachineMetrics machines{registry};
};

Metrics::Metrics(const std::string& version) : families_(std::make_unique<Families>()) {
    prometheus::BuildGauge()
        .Name("divisi_build_info")
        .Help("The version of divisid; always 1.")
        .Register(families_->registry)
        .Add({{"version", version}})
        .Set(1);
}

Metrics::~Metrics() = default;

void Metrics::round(Duration busy) {
    const double seconds = std::chrono::duration<double>(busy).count();
    families_->rounds.Observe(seconds);
    if (seconds > families_->longest.Value()) families_->longest.Set(seconds);
}

void Metrics::logged(std::size_t events) { families_->events.Increment(static_cast<double>(events)); }

void Metrics::denied(std::uint64_t messages) {
    families_->denials.Increment(static_cast<double>(messages) - families_->denials.Value());
}

void Metrics::look_at(const control::ClusterState& state) {
    std::map<std::string, int> tasks{{"queued", 0}, {"running", 0}, {"ended", 0}}, nodes{{"ready", 0}};
    for (const auto& [id, task] : state.tasks) ++tasks[activity(task)];
    for (const auto& [id, node] : state.nodes) ++nodes[to_string(node.state)];
    std::map<std::string, int> alerts;
    for (int rule = 1; rule <= static_cast<int>(control::AlertRule::loss_not_finite); ++rule)
        alerts[to_string(static_cast<control::AlertRule>(rule))] = 0;
    for (const auto& [number, alert] : state.alerts) alerts[to_string(alert.rule)] += alert.stands() ? 1 : 0;
    for (const auto& [rule, count] : alerts) families_->alerts.Add({{"rule", rule}}).Set(count);
    for (const auto& [name, count] : tasks) families_->tasks.Add({{"activity", name}}).Set(count);
    for (const auto& [name, count] : nodes) families_->nodes.Add({{"state", name}}).Set(count);
}

void Metrics::look_at(const control::DeviceView& device) { families_->mesh.look_at(device); }
void Metrics::look_at(const link::FailedHandshakes& counted) {
    const link::FailedHandshakes before = std::exchange(families_->seen, counted);
    const auto add = [&](const char* why, std::uint64_t count) {
        families_->handshakes.Add({{"why", why}}).Increment(static_cast<double>(count));
    };
    add("key", counted.refused_keys - before.refused_keys);
    add("unfinished", counted.unfinished - before.unfinished);
}
void Metrics::look_at(const control::MicView& mic) { families_->mesh.look_at(mic); }
void Metrics::look_at(const NodeId& node, const control::MachineFigures& machine) {
    families_->machines.look_at(node.value(), machine);
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(families_->registry.Collect()); }

}  // namespace divisi::orchestrator
