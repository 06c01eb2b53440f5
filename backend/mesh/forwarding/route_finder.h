// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "backend/mesh/base/topology.h"
#include "backend/mesh/forwarding/breaker_set.h"
#include "backend/mesh/forwarding/neighbour_links.h"
#include "backend/mesh/forwarding/relay_context.h"
#include "backend/mesh/forwarding/relay_flow.h"
#include "backend/mesh/route/avoided_links.h"

namespace divisi::mesh::inline forwarding {

/// Finds the paths to gateways. Records the reasons against a path: refusals, failures and the loads of routers.
class RouteFinder {
public:
    RouteFinder(RelayContext& context, const NeighbourLinks& neighbours) : context_(context), neighbours_(neighbours) {}

    /// Returns the flow's two paths. The paths avoid unusable devices and, unless there is no other path, neighbours
    /// that fail repeatedly.
    std::optional<Paths> paths_for(const RelayFlow& flow);
    /// Returns the two paths to a gateway, as lane frames take them; valid until forget_paths().
    const Paths& lane_paths(RoutingId gateway);
    /// Returns whether a path leads to the gateway now; see Relay::reaches().
    bool reaches(RoutingId gateway);
    /// Returns whether a new flow takes the second of two equally expensive paths, because far fewer bytes wait at its
    /// first router. The flow then keeps this path: following every queue would disturb the order of its tensors and
    /// the queues of both paths.
    bool second_is_shorter(const RelayFlow& flow, const Paths& paths) const;

    /// Drops computed paths. Required before the table changes, and after a change of the avoided devices or links.
    void forget_paths();
    /// Forgets avoided links that the route table does not have.
    void keep_links_of_table() { avoided_links_.keep_only(context_.table.topology()); }
    /// Makes the gateway avoid, for a while, the device or link that refused the flow. The receiver's gateway cannot be
    /// avoided, so the flow pauses instead. The flow may meanwhile have left the refused path for its other path.
    void record_refusal(RelayFlow& flow, const ErrorSpec& refusal);
    /// Records that a chunk has passed the whole path.
    void record_passage(const Path& path) { avoided_links_.passed(path); }
    /// Records a neighbour's failure; does nothing at a router. If the neighbour is ejected, logs and counts this.
    void record_failure(RoutingId neighbour);
    /// Ends the avoidances that are due; returns whether there were any.
    bool end_avoidances();

    BreakerSet& breakers() { return breakers_; }
    const BreakerSet& breakers() const { return breakers_; }
    LoadBook& loads() { return loads_; }
    const LoadBook& loads() const { return loads_; }

private:
    Avoid unusable() const;
    void avoid_neighbour(Avoid& avoid, RoutingId neighbour) const;
    std::optional<std::uint64_t> queue_behind(const Path& path) const;

    RelayContext& context_;
    const NeighbourLinks& neighbours_;
    AvoidedLinks avoided_links_;                  ///< links beyond which flows of this gateway found no path
    std::map<RoutingId, TimePoint> bad_devices_;  ///< devices without room, with the end of the avoidance
    BreakerSet breakers_;
    LoadBook loads_;                         ///< loads of routers; used at a gateway
    std::map<RoutingId, Paths> lane_paths_;  ///< for the current table and neighbours, filled on demand
    std::optional<PathsFrom> paths_from_;    ///< searches paths in the topology of the route table
};

}  // namespace divisi::mesh::inline forwarding
