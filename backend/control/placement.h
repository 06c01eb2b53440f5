// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/control/plan_summary.h"
#include "backend/control/state.h"

namespace divisi::control {

/// What nodes and hosts are in use for.
struct NodeUse {
    std::map<NodeId, std::int32_t> tasks;   ///< that run there, or wait for it with their files on it
    std::map<std::string, double> threads;  ///< of running instances, by host
    std::map<NodeId, Bytes> memory_free;    ///< of its host, as it last reported
};

/// What a cluster's state tells of it: the instances of tasks that are not over, a thread each.
NodeUse use_of(const ClusterState& state);

/// Nodes that report less do not get an instance while others can: a process takes 200 MB before its model is there.
inline constexpr Bytes scarce_memory = Bytes{512} << 20;

/// The ready nodes in the order in which the stages of a plan take them, each once, at most `most` of them: the fewest
/// tasks first, then hosts with `threads` cores to spare, then those with memory, then by name. Equal states give equal
/// orders; what is planned (submit/node_pool.h) and what runs uses this one.
std::vector<NodeId> nodes_in_turn(const ClusterState& state, const NodeUse& use, double threads, std::size_t most);

/// One node per instance: stages in order, then the data instance if it stands alone. Stages go round the nodes in
/// turn unless the task file places them. Fails when none is ready (unavailable), or a wanted one is not (not_found).
Result<std::vector<NodeId>> place_plan(const ClusterState& state, const PlanSummary& plan, const NodeUse& use);
inline Result<std::vector<NodeId>> place_plan(const ClusterState& state, const PlanSummary& plan) {
    return place_plan(state, plan, use_of(state));
}

/// What the host of a node that joins is called: by its name, unless a node of another machine that is there has that
/// name; then with the beginning of its machine's identity. Nodes of one machine get one name.
std::string host_label(const ClusterState& state, const NodeInfo& node);

}  // namespace divisi::control
