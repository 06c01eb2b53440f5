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

/// The pools and the queue that a cluster file describes.
std::vector<Pool> stated_pools(const task::ClusterSpec& spec);
QueueRules stated_queue(const task::ClusterSpec& spec);

/// Whether a node is meant: by MIC/NODE, or by the beginning of one and a star.
bool is_meant(std::string_view pattern, const NodeId& node);
bool is_meant(const std::vector<std::string>& patterns, const NodeId& node);

/// As the cluster file states it, else that of its processor; 0: nobody told.
Bytes memory_of(const NodeInfo& node);

bool is_in(const Pool& pool, const NodeInfo& node);
const Pool* find_pool(const ClusterState& state, const std::string& name);

/// How a node is shared: it is if all pools that it is in say so, and takes as many instances as the least of them.
struct Sharing {
    bool shared = false;
    std::int32_t instances = 0;  ///< 0: as cores and memory allow
};
Sharing sharing_of(const ClusterState& state, const NodeInfo& node);

/// Whether a task may ever run on a node, ready or not.
bool may_run_on(const ClusterState& state, const task::NodeWish& wish, const NodeInfo& node);

bool is_reserved(const ClusterState& state, const Reservation& reservation, const NodeInfo& node);

/// Fails (not_found) for a pool that the cluster does not have, names that none of its nodes has and a device type of
/// none, (exhausted) for more memory than any has, and (invalid_input) where the wish leaves no node. `where` is
/// "[place]" in messages about a task.
Result<void> check_wish(const ClusterState& state, const task::NodeWish& wish);

/// Likewise for names of nodes, of which each must mean one at least.
Result<void> check_names(const ClusterState& state, const std::vector<std::string>& patterns, const std::string& where);
Result<void> check_pool(const ClusterState& state, const std::string& name, const std::string& where);

}  // namespace divisi::control::inline state
