// SPDX-License-Identifier: Apache-2.0
#include "agents/node/node_figures.h"

#include "backend/base/version.h"
#include "backend/metrics/machine_figures.h"

namespace divisi::node {

namespace {

void add_gpu(metrics::Figures& figures, const std::string& node, const process::GpuFigures& gpu) {
    const metrics::Labels labels{{"node", node}, {"gpu", gpu.uuid}, {"model", gpu.model}};
    const auto gauge = [&](const char* name, const char* help, const auto& value) {
        if (value) figures.gauge(name, help, labels, static_cast<double>(*value));
    };
    gauge("divisi_node_gpu_busy_ratio", "The part of the last second or less in which some kernel ran on the GPU.",
          gpu.busy_share);
    gauge("divisi_node_gpu_memory_bytes", "Memory of the GPU.", gpu.memory);
    gauge("divisi_node_gpu_memory_used_bytes", "Of it, what is in use.", gpu.used);
    gauge("divisi_node_gpu_temperature_celsius", "Temperature of the GPU.", gpu.temperature_c);
    gauge("divisi_node_gpu_power_watts", "What the GPU's board takes.", gpu.power_w);
    if (gpu.energy_mj)
        figures.total("divisi_node_gpu_energy_joules_total", "What it took since its driver was loaded.", labels,
                      static_cast<double>(*gpu.energy_mj) / 1000);
}

}  // namespace

metrics::Figures figures_of(const NodeFigures& node) {
    metrics::Figures figures;
    metrics::add_build(figures, "divisi-node", version);
    metrics::add_machine(figures, node.node, node.machine);
    const auto gauge = [&](const char* name, const char* help, auto value) {
        figures.gauge(name, help, {{"node", node.node}}, static_cast<double>(value));
    };
    gauge("divisi_node_connected", "1 while the node is connected to the orchestrator, else 0.",
          node.connected ? 1 : 0);
    gauge("divisi_node_instances", "Processes of the node that play an instance.", node.instances);
    gauge("divisi_node_kept_processes", "Processes of the node that wait for their next instance.", node.kept);
    for (const process::GpuFigures& gpu : node.gpus) add_gpu(figures, node.node, gpu);
    if (!node.blobs) return figures;
    gauge("divisi_node_blobs", "Files in the node's blob store, whole or begun.", node.blobs->blobs);
    gauge("divisi_node_blob_bytes", "Bytes of them on the disk.", node.blobs->bytes);
    return figures;
}

}  // namespace divisi::node
