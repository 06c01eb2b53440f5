// SPDX-License-Identifier: Apache-2.0
#include "agents/node/node_figures.h"

#include "backend/base/version.h"
#include "backend/metrics/cluster_figures.h"

namespace divisi::node {
namespace {

void add_gpu(metrics::Figures& figures, const std::string& node, const process::GpuFigures& gpu) {
    const metrics::Labels labels{{"node", node}, {"gpu", gpu.uuid}, {"model", gpu.model}};
    const auto gauge = [&](const char* name, const char* help, const auto& value) {
        if (value) figures.gauge(name, help, labels, static_cast<double>(*value));
    };
    gauge("divisi_node_gpu_busy_ratio", "Share of the last second, or of less time, in which a kernel ran on the GPU.",
          gpu.busy_share);
    gauge("divisi_node_gpu_memory_bytes", "Memory of the GPU.", gpu.memory);
    gauge("divisi_node_gpu_memory_used_bytes", "Memory of the GPU that is in use.", gpu.used);
    gauge("divisi_node_gpu_temperature_celsius", "Temperature of the GPU.", gpu.temperature_c);
    gauge("divisi_node_gpu_power_watts", "Power that the GPU's board uses.", gpu.power_w);
    if (gpu.energy_mj)
        figures.total("divisi_node_gpu_energy_joules_total",
                      "Energy that the GPU has used since its driver was loaded.", labels,
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
    gauge("divisi_node_instances", "Processes of the node that run an instance.", node.instances);
    gauge("divisi_node_kept_processes", "Processes of the node that wait for their next instance.", node.kept);
    for (const process::GpuFigures& gpu : node.gpus) add_gpu(figures, node.node, gpu);
    if (!node.blobs) return figures;
    gauge("divisi_node_blobs", "Files in the node's blob store, including incomplete ones.", node.blobs->blobs);
    gauge("divisi_node_blob_bytes", "Bytes on the disk of the files in the node's blob store.", node.blobs->bytes);
    return figures;
}

}  // namespace divisi::node
