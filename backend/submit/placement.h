// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/state/state.h"
#include "backend/price/node_pool.h"
#include "backend/submit/submission.h"
#include "backend/task/task_spec.h"

namespace divisi::submit {

/// Where plans would run: on the nodes of `state` that are ready or, without any, on this machine as an embedded
/// cluster runs them. Operators have the rates that the cluster file states of a node, else the prices that were
/// measured on the same device type (store::ProfileStore in the data folder `data`), else the default rates, also
/// where the store cannot be read. Links are the cluster's (link_prices.h); those of this machine by itself
/// are as last measured (store::LinkStore), else default. What is returned owns what it needs. divisictl, the
/// orchestrator and the console call this one, and so say the same.
price::NodePool placement_of(const control::ClusterState& state, const task::PlaceSection& place,
                             const std::filesystem::path& data);

/// Plans a task that was loaded before its cluster was known for the cluster's nodes, where it has any. Fails as
/// task::compile() does.
Result<void> plan_for(TaskInput& input, const control::ClusterState& state, const std::filesystem::path& data);

/// What of a cluster's state placement_of() reads, for another thread: without tasks and their history.
control::ClusterState nodes_and_links(const control::ClusterState& state);
/// Changes when the nodes or links of the cluster that placement_of() counts on change.
std::string nodes_signature(const control::ClusterState& state);
/// Changes when somebody stores what was measured on this machine (divisictl profile, a cluster's links).
std::string prices_signature(const std::filesystem::path& data);

}  // namespace divisi::submit
