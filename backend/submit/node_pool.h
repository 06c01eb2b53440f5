// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/control/placement/placement.h"
#include "backend/price/node_pool.h"

namespace divisi::submit {

/// The measured, stated or default profile of a device; never null.
using ProfileOf = std::function<std::shared_ptr<const price::DeviceProfile>(const control::Device& device)>;

/// What a task asks of its placement.
struct PlacementWish {
    std::vector<std::string> stage_nodes;  ///< wanted node of each stage; empty: in turn, as the orchestrator does
    std::string data_node;                 ///< empty: with the first stage
    std::vector<std::string> others;       ///< nodes that it names elsewhere
    std::string device = "cpu";
    double threads = 1;
    task::NodeWish nodes;  ///< which nodes it may have
};

/// The nodes that the orchestrator would put a plan on now: the ready ones, in its order (Vacancies::in_turn()), then
/// those that the wish names and that are not ready, since the price of a plan may be asked for before its nodes are
/// up. Nodes of one host share its cores, and its memory where nothing is stated of theirs. Links are those of
/// link_prices.h. Without any node, see one_host().
price::NodePool node_pool(const control::ClusterState& state, const PlacementWish& wish, const ProfileOf& profile_of);

/// As many nodes as may be needed on one machine, as the embedded cluster runs them, called as the wish has it.
/// `machine` has the machine's cores and memory.
price::NodePool one_host(const PlacementWish& wish, const control::Device& machine, const ProfileOf& profile_of,
                         const price::Links& links = price::default_links());

}  // namespace divisi::submit
