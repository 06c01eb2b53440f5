// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "app/client/client.h"

namespace divisi::topology {

using SteadyTime = std::chrono::steady_clock::time_point;

/// When the nodes were last heard of: by what they say of their machines and by the reports of what runs there, at the
/// newest. One where an instance stands still, on purpose or not, is not silent as long as it tells of its machine; the
/// instance has an age of its own. A node is missing that has told nothing and where nothing runs that has.
std::map<NodeId, SteadyTime> nodes_heard(const client::ClusterData& cluster);
/// What a node's machine does, as the node said last; null where it has not, or longer ago than
/// control::node_machine_age.
const control::MachineFigures* machine_of(const client::ClusterData& cluster, const NodeId& node, SteadyTime now);
/// Longer than the cluster itself waits for a peer: whatever it still says of it, nobody knows.
bool is_silent(const std::optional<SteadyTime>& heard, SteadyTime now);
/// When the instance last reported; none where it has not, or need not any more.
std::optional<SteadyTime> instance_heard(const client::ClusterData& cluster, const control::InstanceView& instance);

}  // namespace divisi::topology
