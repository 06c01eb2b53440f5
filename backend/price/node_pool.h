// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/price/predict.h"

namespace divisi::price {

/// The nodes that a plan may use, and what connects them. One stage on each, until there are more stages than nodes.
struct NodePool {
    std::vector<PlannedDevice>
        nodes;  ///< empty: nothing is known of them; `memory` is the node's own, for all stages on it together
    std::size_t ready = 0;              ///< the first `ready` nodes take stages; the others must be named
    std::optional<PlannedDevice> data;  ///< empty: loading is with stage 0
    std::vector<std::string> wanted;    ///< node of each stage, as the task has it; "" and beyond the end: any
    std::vector<HostModel> hosts;       ///< what nodes without memory of their own share
    Links links;
    std::string note;       ///< what is wrong with their prices, if anything
    bool complete = false;  ///< there are no other nodes: a name that none of them has is a mistake

    /// The node that a task calls so; -1 where there is none.
    std::int32_t find(const std::string& name) const;
    /// Node of each stage: those named, and ready ones in turn where none is or it is not known.
    std::vector<std::int32_t> order(std::int32_t stages, const std::vector<std::string>& named) const;
    /// Stages on these nodes. Those on one node share its memory evenly, else those on one host share the host's.
    Placement place(const std::vector<std::int32_t>& order) const;
    /// Where data instances run that come after stages on these nodes: all on the node that the task names for data,
    /// else each on the ready node that has the fewest of the plan's instances, the first of several.
    std::vector<PlannedDevice> place_data(const std::vector<std::int32_t>& order, std::int32_t instances) const;
    /// Places `stages` stages on the nodes that the task wants, else on the ready nodes in turn.
    Placement operator()(std::int32_t stages) const { return place(order(stages, wanted)); }
    explicit operator bool() const { return !nodes.empty(); }
    std::vector<std::string> secure_nodes() const;
    /// Whether a gateway or router can take cores from stages: it runs on a host of nodes whose cores are counted.
    bool is_disturbed_by(const PathRelay& relay) const;
    /// Whether any on its paths can.
    bool has_disturbing_relays() const;
    /// Gives the names that no node has yet to nodes without one: what a task says of a cluster that is not known.
    void call_some(const std::vector<std::string>& names);
};

/// Stands for a cluster of which nothing is known: one equal node for each possible stage, each on a host of its own,
/// with default rates and links.
NodePool default_pool(const std::string& device = "cpu", double threads = 1);

}  // namespace divisi::price
