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

/// A node agent's figures for Prometheus.
struct NodeFigures {
    std::string node;
    bool connected = false;  ///< whether the node is connected to the orchestrator
    control::MachineFigures machine;
    std::size_t instances = 0;                  ///< processes that run an instance
    std::size_t kept = 0;                       ///< processes that wait for their next instance
    std::optional<BlobService::Holding> blobs;  ///< content of the blob store; none until it was counted
    std::vector<process::GpuFigures> gpus;      ///< GPUs of the machine, if its driver reports them
};
metrics::Figures figures_of(const NodeFigures& node);

}  // namespace divisi::node
