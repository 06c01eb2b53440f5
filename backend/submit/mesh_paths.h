// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/state/state.h"
#include "backend/price/cost_model.h"
#include "backend/submit/link_prices.h"

namespace divisi::submit {

/// Returns a link between two gateways or routers with the prices that plans use, in one direction. The figures
/// measured by the two devices take precedence. Then come the figures that the cluster file states for exactly these
/// names, the forward direction before the reverse. The default describes sockets on one host or, between two hosts, a
/// network.
KnownLink link_between(const control::ClusterState& state, const control::MeshMember& from,
                       const control::MeshMember& to);

/// Returns the bandwidth for large tensors, including the cost of serializing them; 0: unlimited.
double bytes_per_s(const price::LinkModel& link);

/// One link of a path.
struct Hop {
    std::string from, to;  ///< names of the two ends; empty for an instance
    price::LinkModel link;
};
/// Number of paths that use each link between two devices.
using HopUses = std::map<std::pair<std::string, std::string>, std::size_t>;
/// Combines consecutive links into one. Latencies are added. Of the times per message, the largest one remains a time
/// per message, and the others are added to the latency. The bandwidth is that of the slowest link.
///
/// Devices forward a message piece by piece while they receive it. The first piece therefore also needs the transfer
/// time on all other links (LinkModel::relayed_s_per_byte).
///
/// Among equally narrow links, the one used by most paths is reported as the narrowest. If several of them are used by
/// equally many paths, the last one is reported, since the traffic of several senders meets there.
price::MeshPath joined(const std::vector<Hop>& hops, const HopUses& uses = {});

/// Returns whether two nodes are in one MIC and reach its gateway at the same prices, in both directions.
bool enter_alike(const control::ClusterState& state, const control::NodeInfo& a, const control::NodeInfo& b);

/// Returns the paths between MICs from instance to instance, keyed by the indices of two nodes in `ends`. `ends` has
/// one node for each group that enter_alike() considers equal. The route table gives gateways two paths while all
/// devices are up; the result is the path that gets most tensors under the current policy. MICs without a path between
/// their gateways have no entry.
price::MeshPaths mesh_paths(const control::ClusterState& state, const std::vector<const control::NodeInfo*>& ends);

/// Returns every link of the mesh in both directions, sorted by name.
std::vector<HostLink> device_links(const control::ClusterState& state);

}  // namespace divisi::submit
