// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/graph/graph.h"
#include "backend/price/predict.h"

namespace divisi::price {

/// The nodes that a plan may use, and their links. Each node gets one stage, unless there are more stages than nodes.
struct NodePool {
    std::vector<PlannedDevice>
        nodes;  ///< empty: no information about nodes; `memory` is the node's memory, shared by all stages on it
    std::size_t ready = 0;              ///< the first `ready` nodes can take stages; other nodes only if named
    std::optional<PlannedDevice> data;  ///< empty: stage 0 loads the data
    std::vector<std::string> wanted;    ///< node of each stage, as the task names it; an empty name or a missing entry
                                        ///< allows any node
    /// hosts of the nodes; nodes without their own memory figure share the memory of the host
    std::vector<HostModel> hosts;
    Links links;
    std::string note;       ///< a problem with the prices of the nodes; empty: none
    bool complete = false;  ///< true: the list is complete, so an unlisted name is a mistake

    /// Returns the node with this name in the task; -1 if there is none.
    std::int32_t find(const std::string& name) const;
    /// Returns the node of each stage: the node that the task names, otherwise the ready node at the stage's position.
    /// The ready nodes repeat if there are more stages.
    std::vector<std::int32_t> order(std::int32_t stages, const std::vector<std::string>& named) const;
    /// Places stages on these nodes. Stages on one node share its memory evenly; otherwise, stages on one host share
    /// the memory of the host.
    Placement place(const std::vector<std::int32_t>& order) const;
    /// Returns the devices of data instances that run beside stages on these nodes. If the task names a node for data,
    /// all of them run there. Otherwise each data instance goes to the ready node that has the fewest instances of the
    /// plan. If several nodes have the fewest, the first of these nodes is chosen.
    std::vector<PlannedDevice> place_data(const std::vector<std::int32_t>& order, std::int32_t instances) const;
    /// Places `stages` stages on the nodes that the task names, otherwise on the ready nodes in order.
    Placement operator()(std::int32_t stages) const { return place(order(stages, wanted)); }
    explicit operator bool() const { return !nodes.empty(); }
    std::vector<std::string> secure_nodes() const;
    /// Returns whether a gateway or router can take cores from stages: its host has nodes, and a known core count.
    bool is_disturbed_by(const PathRelay& relay) const;
    /// Returns whether any relay on the pool's paths can take cores from stages.
    bool has_disturbing_relays() const;
    /// Gives the names that no node has yet to nodes without a name, for a task that names nodes of an unknown cluster.
    void assign_names(const std::vector<std::string>& names);
};

/// Returns a pool for an unknown cluster: one equal node for each possible stage, each on its own host, with default
/// rates and links.
NodePool default_pool(const std::string& device = "cpu", double threads = 1);

/// A task's constraints on where its operators run. Nodes are named as in PlannedDevice::node.
struct CutConstraints {
    struct Pin {
        graph::NodeIndex node = graph::no_node;
        std::string place;  ///< the node that must run the operator
    };
    std::vector<Pin> pins;                           ///< pinned operators, each at most once
    std::vector<graph::NodeIndex> sensitive;         ///< operators that must stay on secure nodes
    std::optional<std::vector<std::string>> secure;  ///< the secure nodes; if not known, all are secure
    std::vector<std::string> stages;                 ///< node of each stage; an empty name or a missing entry allows
                                                     ///< any node

    bool empty() const { return pins.empty() && sensitive.empty() && stages.empty(); }
    bool is_secure(const std::string& place) const {
        if (!secure) return true;
        for (const std::string& name : *secure)
            if (name == place) return true;
        return false;
    }
};

}  // namespace divisi::price
