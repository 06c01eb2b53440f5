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

/// A link between two gateways or routers as plans count it, in one direction: measured by the two, else what the
/// cluster file states of exactly these names (one way before back), else the default of a host's sockets or, between
/// two hosts, of a network.
KnownLink link_between(const control::ClusterState& state, const control::MeshMember& from,
                       const control::MeshMember& to);

/// Of large tensors, with all that handling them takes; 0: unlimited.
double bytes_per_s(const price::LinkModel& link);

/// One link of a path.
struct Hop {
    std::string from, to;  ///< empty: an instance
    price::LinkModel link;
};
/// How many paths a link between two devices is part of.
using HopUses = std::map<std::pair<std::string, std::string>, std::size_t>;
/// Links in a row as one. Latencies add up, and so does the time that each but the slowest needs for a message of its
/// own; messages and bytes pass at the pace of the link that is slowest for them, as devices forward while they take:
/// piece by piece, so that the first piece needs all others' time too (LinkModel::relayed_s_per_byte).
/// Of links that are equally narrow the one that most paths share is the narrowest, and of those the last, where what
/// several send comes together.
price::MeshPath joined(const std::vector<Hop>& hops, const HopUses& uses = {});

/// Whether two nodes are of one MIC and reach its gateway at the same prices, each way.
bool enter_alike(const control::ClusterState& state, const control::NodeInfo& a, const control::NodeInfo& b);

/// The paths between MICs from instance to instance, by the places of two nodes in `ends`, which has one of those that
/// enter alike: of the two that the gateways have by the route table while everything is up the one that the policy in
/// force gives most tensors. MICs that no gateways lead between have none.
price::MeshPaths mesh_paths(const control::ClusterState& state, const std::vector<const control::NodeInfo*>& ends);

/// Every link of the mesh, each way, ordered by names.
std::vector<HostLink> device_links(const control::ClusterState& state);

}  // namespace divisi::submit
