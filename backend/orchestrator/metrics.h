// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "backend/base/clock.h"
#include "backend/control/protocol/signal_book.h"
#include "backend/control/state/state.h"
#include "backend/link/handshakes.h"
#include "backend/metrics/figures.h"

namespace divisi::orchestrator {

/// The metrics of divisid, in the format of Prometheus: names `divisi_*`, values in base units.
class Metrics {
public:
    Metrics();
    ~Metrics();

    /// Records how long a round of the event loop was busy, without waiting times. No peer is answered during this
    /// time.
    void round(Duration busy);
    /// Records that `events` more events are durable. `cpu`: CPU time that all events so far have used.
    void logged(std::size_t events, Duration cpu);
    /// Sets the number of messages denied since the orchestrator's start.
    void denied(std::uint64_t messages);
    /// Replaces the figures of the cluster: see figures_of().
    void show(metrics::Figures figures) { cluster_.show(std::move(figures)); }
    void look_at(const link::FailedHandshakes& counted);

    /// Returns all figures in text format version 0.0.4. Thread-safe.
    std::string text() const;

private:
    struct Families;
    std::unique_ptr<Families> families_;  ///< counters of this process
    metrics::Board cluster_;
};

/// Returns the numbers of tasks, nodes and alerts.
metrics::Figures figures_of(const control::ClusterState& state);
/// Adds the number of signaling messages received or sent, by type.
void add_signals(metrics::Figures& figures, const control::SignalBook& signal_messages);

}  // namespace divisi::orchestrator
