// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/control/state/state.h"
#include "backend/task/cluster_file.h"

namespace divisi::control::inline state {

/// What a cluster file says of a node, over what its agent tells. 0: nothing.
struct StatedNode {
    std::int32_t cores = 0;
    Bytes memory = 0;                         ///< of it alone
    double flops_per_s = 0, bytes_per_s = 0;  ///< of its GPUs, else of a thread of its processor
    bool secure = false;
};

std::map<NodeId, StatedNode> stated_nodes(const task::ClusterSpec& spec);

/// What a cluster file says of the links between nodes.
std::vector<StatedLink> stated_links(const task::ClusterSpec& spec);

/// An agent has no say in whether its node is secure, nor in anything else that only a cluster file states.
void apply_stated(NodeInfo& node, const StatedNode& stated);

/// The cluster of a file as if all of its nodes were ready: for plans while it does not run. Nodes with one address,
/// or on ipc, share a host.
ClusterState as_if_ready(const task::ClusterSpec& spec);

}  // namespace divisi::control::inline state
