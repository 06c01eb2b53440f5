// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/control/state/state.h"
#include "backend/task/cluster_file.h"

namespace divisi::control::inline state {

/// A cluster file's statements about a node, which override the statements of the node's agent. 0: not stated.
struct StatedNode {
    std::int32_t cores = 0;
    Bytes memory = 0;                         ///< limit for this node only, not for its host
    double flops_per_s = 0, bytes_per_s = 0;  ///< rates of the node's GPUs, or of one processor thread
    bool secure = false;
};

std::map<NodeId, StatedNode> stated_nodes(const task::ClusterSpec& spec);

/// Returns the links between nodes that a cluster file states.
std::vector<StatedLink> stated_links(const task::ClusterSpec& spec);

/// Applies the cluster file's statements to a node. Properties that only a file can state, such as whether the node is
/// secure, are taken from the file alone.
void apply_stated(NodeInfo& node, const StatedNode& stated);

/// Returns the cluster of a file as if all its nodes were ready. Tasks can then be planned while the cluster does not
/// run. Nodes with the same address, and nodes on ipc, share a host.
ClusterState assume_all_ready(const task::ClusterSpec& spec);

}  // namespace divisi::control::inline state
