// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/state.h"
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
    std::string from, to;
    price::LinkModel link;
};
/// Links in a row as one. Latencies add up, and so does the time that each but the slowest needs for a message of its
/// own; messages and bytes pass at the pace of the link that is slowest for them, as devices forward while they take.
price::MeshPath joined(const std::vector<Hop>& hops);

/// The paths between MICs, by their place in `mics`, of each of which one node is given: those that the gateways choose
/// by the route table while everything is up, from instance to instance. MICs that no gateways lead between have none.
price::MeshPaths mesh_paths(const control::ClusterState& state, const std::vector<const control::NodeInfo*>& mics);

/// Every link of the mesh, each way, ordered by names.
std::vector<HostLink> device_links(const control::ClusterState& state);

}  // namespace divisi::submit
