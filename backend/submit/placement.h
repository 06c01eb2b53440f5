// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/state/state.h"
#include "backend/price/node_pool.h"
#include "backend/submit/submission.h"
#include "backend/task/task_spec.h"

namespace divisi::submit {

/// Returns where plans would run: on the ready nodes of `state` or, without any, on this machine as an embedded cluster
/// runs there.
///
/// Operators have the rates that the cluster file states for a node, else the prices measured on the same device type
/// (store::ProfileStore in the data folder `data`). If there are none, or the store cannot be read, they have the
/// default rates. Links are the cluster's (link_prices.h). Links within this machine are as last measured
/// (store::LinkStore), else default.
///
/// The result owns all that it needs. divisictl, the orchestrator and the console all call this function, so that they
/// agree.
price::NodePool placement_of(const control::ClusterState& state, const task::PlaceSection& place,
                             const std::filesystem::path& data);

/// Plans a task for the cluster's nodes, if there are any, after it was loaded without a known cluster. Fails as
/// task::compile() does.
Result<void> plan_for(TaskInput& input, const control::ClusterState& state, const std::filesystem::path& data);

/// Returns a copy of the state that placement_of() reads, for another thread: without tasks and their history.
control::ClusterState nodes_and_links(const control::ClusterState& state);
/// Returns a text that changes if the nodes or links used by placement_of() change.
std::string nodes_signature(const control::ClusterState& state);
/// Returns a text that changes if new measurements of this machine are stored (by divisictl profile, or for a cluster's
/// links).
std::string prices_signature(const std::filesystem::path& data);

}  // namespace divisi::submit
