// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/state/state.h"
#include "backend/price/node_pool.h"
#include "backend/submit/submission.h"
#include "backend/task/task_spec.h"

namespace divisi::submit {

/// Returns the nodes on which plans would run: the ready nodes of `state` or, if none is ready, the nodes of an
/// embedded cluster on this machine.
///
/// Operators have the rates that the cluster file states for a node. Without stated rates, they have the prices
/// measured on the same device type (store::ProfileStore in the data folder `data`). If there are no profiles, or the
/// store cannot be read, the devices have the default rates. The cluster's links are those of link_prices.h. Links
/// within this machine have the figures last measured (store::LinkStore), or else the default figures.
///
/// The result owns all that it needs. divisictl, the orchestrator and the console all call this function, so that they
/// get the same results.
price::NodePool placement_of(const control::ClusterState& state, const task::PlaceSection& place,
                             const std::filesystem::path& data);

/// Compiles a task's plan again for the nodes of the cluster, if there are any. The task was loaded before the cluster
/// was known. Fails as task::compile() does.
Result<void> plan_for(TaskInput& input, const control::ClusterState& state, const std::filesystem::path& data);

/// Returns a copy of the state that placement_of() reads, for another thread: without tasks and their history.
control::ClusterState nodes_and_links(const control::ClusterState& state);
/// Returns a text that changes if the nodes or links used by placement_of() change.
std::string nodes_signature(const control::ClusterState& state);
/// Returns a text that changes if new measurements of this machine are stored (by divisictl profile, or for a cluster's
/// links).
std::string prices_signature(const std::filesystem::path& data);

}  // namespace divisi::submit
