// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <utility>

#include "backend/base/version.h"
#include "backend/control/protocol/signal_texts.h"

namespace divisi::orchestrator {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

/// Bounds of the histogram of rounds. The lowest bound is the time to handle a heartbeat. The highest bounds are delays
/// that a person notices. Peers time out only after seconds.
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
                            .Help("Duration of a round of the orchestrator's event loop, without waiting times.")
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
    Counter& log_cpu = prometheus::BuildCounter()
                           .Name("divisi_event_log_cpu_seconds_total")
                           .Help("Processor time for making events durable since the orchestrator's start.")
                           .Register(registry)
                           .Add({});
    Counter& denials = prometheus::BuildCounter()
                           .Name("divisi_denied_messages_total")
                           .Help("Messages and roles that the orchestrator denied since its start.")
                           .Register(registry)
                           .Add({});
    prometheus::Family<Counter>& handshakes =
        prometheus::BuildCounter()
            .Name("divisi_failed_handshakes_total")
            .Help("Connections on tcp that the orchestrator refused, by reason: key or unfinished.")
            .Register(registry);
    link::FailedHandshakes seen;
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::round(Duration busy) {
    const double seconds = std::chrono::duration<double>(busy).count();
    families_->rounds.Observe(seconds);
    if (seconds > families_->longest.Value()) families_->longest.Set(seconds);
}

void Metrics::logged(std::size_t events, Duration cpu) {
    families_->events.Increment(static_cast<double>(events));
    families_->log_cpu.Increment(std::chrono::duration<double>(cpu).count() - families_->log_cpu.Value());
}

void Metrics::denied(std::uint64_t messages) {
    families_->denials.Increment(static_cast<double>(messages) - families_->denials.Value());
}

void Metrics::look_at(const link::FailedHandshakes& counted) {
    const link::FailedHandshakes before = std::exchange(families_->seen, counted);
    const auto add = [&](const char* why, std::uint64_t count) {
        families_->handshakes.Add({{"why", why}}).Increment(static_cast<double>(count));
    };
    add("key", counted.refused_keys - before.refused_keys);
    add("unfinished", counted.unfinished - before.unfinished);
}

std::string Metrics::text() const {
    return prometheus::TextSerializer().Serialize(families_->registry.Collect()) + cluster_.text();
}

/// Lists every possible state, so that a state without members is shown as 0.
metrics::Figures figures_of(const control::ClusterState& state) {
    std::map<std::string, int> tasks{{"queued", 0}, {"running", 0}, {"ended", 0}}, nodes, alerts;
    for (int one = 1; one <= static_cast<int>(control::NodeState::away); ++one)
        nodes[to_string(static_cast<control::NodeState>(one))] = 0;
    for (int rule = 1; rule <= static_cast<int>(control::AlertRule::loss_not_finite); ++rule)
        alerts[to_string(static_cast<control::AlertRule>(rule))] = 0;
    for (const auto& [id, task] : state.tasks) ++tasks[activity(task)];
    for (const auto& [id, node] : state.nodes) ++nodes[to_string(node.state)];
    for (const auto& [number, alert] : state.alerts) alerts[to_string(alert.rule)] += alert.stands() ? 1 : 0;
    metrics::Figures figures;
    metrics::add_build(figures, "divisid", version);
    for (const auto& [name, count] : tasks)
        figures.gauge("divisi_tasks", "Tasks that the orchestrator knows.", {{"activity", name}}, count);
    for (const auto& [name, count] : nodes)
        figures.gauge("divisi_nodes", "Nodes that the orchestrator knows.", {{"state", name}}, count);
    for (const auto& [rule, count] : alerts)
        figures.gauge("divisi_alerts", "Open alerts, by their rule.", {{"rule", rule}}, count);
    return figures;
}

/// Adds a row for every type, even if no message of this type arrived.
void add_signals(metrics::Figures& figures, const control::SignalBook& signal_messages) {
    using control::SignalKind;
    for (const SignalKind kind : {control::registration_signal, SignalKind::routes, control::request_signal,
                                  SignalKind::load, control::report_signal, SignalKind::rsvp}) {
        const int type = control::signaling_type(kind);
        const auto counted = signal_messages.counts().find(kind);
        figures.total("divisi_signaling_messages_total",
                      "Signaling messages that the orchestrator sent or learned of since its start, by type.",
                      {{"type", type == 0 ? "rsvp" : std::to_string(type)}},
                      counted == signal_messages.counts().end() ? 0 : static_cast<double>(counted->second));
    }
}

}  // namespace divisi::orchestrator
