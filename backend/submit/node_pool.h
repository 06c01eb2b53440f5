// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/control/placement/placement.h"
#include "backend/price/node_pool.h"

namespace divisi::submit {

/// Returns the measured, stated or default profile of a device; never null.
using ProfileOf = std::function<std::shared_ptr<const price::DeviceProfile>(const control::Device& device)>;

/// A task's wishes for its placement.
struct PlacementWish {
    std::vector<std::string> stage_nodes;  ///< wanted node of each stage; empty: nodes in the orchestrator's order
    std::string data_node;                 ///< wanted node of the data unit; empty: the node of the first stage
    std::vector<std::string> others;       ///< nodes named elsewhere in the task
    std::string device = "cpu";
    double threads = 1;
    task::NodeWish nodes;  ///< conditions on the nodes that the task may use
};

/// Returns the nodes on which the orchestrator would place a plan now: the ready nodes, in the orchestrator's order
/// (Vacancies::in_turn()). The nodes named by the wish follow, even if they are not ready: a plan may be priced before
/// its nodes are up.
///
/// Nodes of one host share its cores, and its memory unless memory is stated for the node. The links are those of
/// link_prices.h. If there are no nodes, see one_host().
price::NodePool node_pool(const control::ClusterState& state, const PlacementWish& wish, const ProfileOf& profile_of);

/// Returns the nodes of one machine, as an embedded cluster runs them. There are as many nodes as the task may need,
/// with the names from the wish. `machine` has the machine's cores and memory.
price::NodePool one_host(const PlacementWish& wish, const control::Device& machine, const ProfileOf& profile_of,
                         const price::Links& links = price::default_links());

}  // namespace divisi::submit
