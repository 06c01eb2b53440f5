// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agents/node/blob_service.h"
#include "backend/control/types/machine_types.h"
#include "backend/metrics/figures.h"
#include "backend/process/nvml.h"

namespace divisi::node {

/// What a node agent tells Prometheus.
struct NodeFigures {
    std::string node;
    bool connected = false;  ///< to the orchestrator
    control::MachineFigures machine;
    std::size_t instances = 0;                  ///< processes that play one
    std::size_t kept = 0;                       ///< processes that wait for their next instance
    std::optional<BlobService::Holding> blobs;  ///< none before the store was looked at
    std::vector<process::GpuFigures> gpus;      ///< of the machine, where its driver tells
};
metrics::Figures figures_of(const NodeFigures& node);

}  // namespace divisi::node
