// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "app/client/client.h"

namespace divisi::topology {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Returns the time of the last message from each node: the newest report of its machine or of its instances. A node
/// with a paused instance is not silent as long as the node reports about its machine; the age of the instance is
/// separate. Nodes without any report are missing.
std::map<NodeId, SteadyTime> nodes_heard(const client::ClusterData& cluster);
/// Returns the last machine figures of a node; null if there are none, or if they are older than
/// control::node_machine_age.
const control::MachineFigures* machine_of(const client::ClusterData& cluster, const NodeId& node, SteadyTime now);
/// Returns whether the silence has lasted longer than the cluster itself waits for a peer. The last reported state is
/// then unreliable.
bool is_silent(const std::optional<SteadyTime>& heard, SteadyTime now);
/// Returns the time of the instance's last report; empty if the instance has not reported yet, or has ended.
std::optional<SteadyTime> instance_heard(const client::ClusterData& cluster, const control::InstanceView& instance);

}  // namespace divisi::topology
