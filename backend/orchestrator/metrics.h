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

/// What divisid tells of itself, as Prometheus reads it: names `divisi_*`, in base units.
class Metrics {
public:
    Metrics();
    ~Metrics();

    /// A round of the event loop took so long, its waiting not counted: nobody was answered meanwhile.
    void round(Duration busy);
    /// So many events were made durable; all so far took so much of a processor.
    void logged(std::size_t events, Duration cpu);
    /// So many messages were denied since the orchestrator began.
    void denied(std::uint64_t messages);
    /// What the cluster is now, in place of what it was: see figures_of().
    void show(metrics::Figures figures) { cluster_.show(std::move(figures)); }
    void look_at(const link::FailedHandshakes& counted);

    /// The text format, version 0.0.4. Any thread.
    std::string text() const;

private:
    struct Families;
    std::unique_ptr<Families> families_;  ///< what this process counts
    metrics::Board cluster_;
};

/// Counts tasks, nodes and alerts.
metrics::Figures figures_of(const control::ClusterState& state);
/// Adds the signaling messages that came, or were sent, by their type.
void add_signals(metrics::Figures& figures, const control::SignalBook& signal_messages);

}  // namespace divisi::orchestrator
