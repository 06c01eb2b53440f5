// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "agents/instance/engine.h"
#include "backend/control/types/checkpoint_types.h"
#include "backend/frame/data_flow.h"
#include "backend/metrics/figures.h"

namespace divisi::instance {

/// What became of the snapshots that were due or ordered, since the instance began.
struct SnapshotTotals {
    std::int64_t taken = 0, failed = 0;
    std::int64_t step = 0;  ///< of the last that is durable
    Bytes bytes = 0;
    double copy_ms = 0, write_ms = 0;

    void add(const control::SnapshotTaken& told);
};

/// What an instance tells Prometheus. Its `sid` stays the same when another process takes its place; its totals are of
/// this process's play of it.
struct InstanceFigures {
    InstanceId instance;
    Sid sid;
    bool connected = false;  ///< to the orchestrator
    control::InstanceState state = control::InstanceState::starting;
    Generation generation = 0;  ///< 0 before it is deployed
    Bytes resident = 0;         ///< of its process
    frame::DataFlow::Counters data;
    std::size_t unacknowledged = 0;             ///< tensors
    std::optional<Engine::Work> work;           ///< none before its segment is loaded
    std::optional<control::InstanceLoad> load;  ///< the last that it measured; none before it runs
    SnapshotTotals snapshots;
};
metrics::Figures figures_of(const InstanceFigures& instance);

}  // namespace divisi::instance
