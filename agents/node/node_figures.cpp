// SPDX-License-Identifier: Apache-2.0
#include "agents/node/node_figures.h"

#include "backend/base/version.h"
#include "backend/metrics/machine_figures.h"

namespace divisi::node {

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
    if (!node.blobs) return figures;
    gauge("divisi_node_blobs", "Files in the node's blob store, whole or begun.", node.blobs->blobs);
    gauge("divisi_node_blob_bytes", "Bytes of them on the disk.", node.blobs->bytes);
    return figures;
}

}  // namespace divisi::node
