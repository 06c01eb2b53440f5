// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "app/client/client.h"

namespace divisi::topology {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Returns when each node was last heard from: the newest report of its machine or of its instances. A node whose
/// instance is paused is not silent as long as it reports on its machine; the instance has its own age. Nodes without
/// any report are missing.
std::map<NodeId, SteadyTime> nodes_heard(const client::ClusterData& cluster);
/// Returns the last machine figures of a node; null if there are none, or if they are older than
/// control::node_machine_age.
const control::MachineFigures* machine_of(const client::ClusterData& cluster, const NodeId& node, SteadyTime now);
/// Returns whether nothing was heard for longer than the cluster itself waits for a peer. Its reported state is then
/// unreliable.
bool is_silent(const std::optional<SteadyTime>& heard, SteadyTime now);
/// Returns when the instance last reported; empty if it has not, or no longer has to.
std::optional<SteadyTime> instance_heard(const client::ClusterData& cluster, const control::InstanceView& instance);

}  // namespace divisi::topology
