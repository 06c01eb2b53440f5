// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "agents/instance/engine/load_meter.h"
#include "backend/control/types/checkpoint_types.h"
#include "backend/frame/data_flow.h"
#include "backend/metrics/figures.h"

namespace divisi::instance {

/// Totals of due or ordered snapshots since the instance began.
struct SnapshotTotals {
    std::int64_t taken = 0, failed = 0;
    std::int64_t step = 0;  ///< step of the last durable snapshot
    Bytes bytes = 0;
    double copy_ms = 0, write_ms = 0;

    void add(const control::SnapshotTaken& told);
};

/// Figures of an instance for Prometheus. The `sid` stays the same if another process replaces this one. Totals count
/// from the time at which this process began to run the SID.
struct InstanceFigures {
    InstanceId instance;
    Sid sid;
    bool connected = false;  ///< whether the instance is connected to the orchestrator
    control::InstanceState state = control::InstanceState::starting;
    Generation generation = 0;  ///< current generation; 0 before the instance is deployed
    Bytes resident = 0;         ///< resident memory of its process
    frame::DataFlow::Counters data;
    std::size_t unacknowledged = 0;             ///< number of sent tensors without an acknowledgement
    std::optional<EngineWork> work;             ///< work of the engine; none before its segment is loaded
    std::optional<control::InstanceLoad> load;  ///< the last load measurement; none before the instance runs
    SnapshotTotals snapshots;
};
metrics::Figures figures_of(const InstanceFigures& instance);

}  // namespace divisi::instance
