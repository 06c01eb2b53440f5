// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/state/state.h"
#include "backend/task/cluster_file.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline state {

/// Return the pools and the queue rules that a cluster file describes.
std::vector<Pool> stated_pools(const task::ClusterSpec& spec);
QueueRules stated_queue(const task::ClusterSpec& spec);

/// Return whether a pattern matches the node. A pattern is MIC/NODE, or its beginning followed by a star.
bool is_meant(std::string_view pattern, const NodeId& node);
bool is_meant(const std::vector<std::string>& patterns, const NodeId& node);

/// Returns a node's memory as the cluster file states it, otherwise the memory of its processor; 0: unknown.
Bytes memory_of(const NodeInfo& node);

bool is_in(const Pool& pool, const NodeInfo& node);
const Pool* find_pool(const ClusterState& state, const std::string& name);

/// Describes how a node is shared. The node is shared if it is in a pool and all its pools are shared. A shared node
/// takes as many instances as the smallest limit of its pools allows.
struct Sharing {
    bool shared = false;
    std::int32_t instances = 0;  ///< maximum number of instances; 0: limited only by cores and memory
};
Sharing sharing_of(const ClusterState& state, const NodeInfo& node);

/// Returns whether a task may run on a node at all, even if the node is not ready now.
bool may_run_on(const ClusterState& state, const task::NodeWish& wish, const NodeInfo& node);

bool is_reserved(const ClusterState& state, const Reservation& reservation, const NodeInfo& node);

/// Checks a task's requirements on nodes. Fails (not_found) for an unknown pool, node name or device type. Fails
/// (exhausted) if no node has the memory, and (invalid_input) if no node meets all requirements. `where` of an
/// error names the field in [place] of the task file.
Result<void> check_wish(const ClusterState& state, const task::NodeWish& wish);

/// Check names of nodes or of a pool. Fail (not_found) if a pattern matches no node, or the pool is unknown.
Result<void> check_names(const ClusterState& state, const std::vector<std::string>& patterns, const std::string& where);
Result<void> check_pool(const ClusterState& state, const std::string& name, const std::string& where);

}  // namespace divisi::control::inline state
