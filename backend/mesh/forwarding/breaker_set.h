// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "backend/mesh/forwarding/relay_events.h"

namespace divisi::mesh::inline forwarding {

/// The circuit breakers of all neighbours that have failed. `now` must never decrease.
class BreakerSet {
public:
    /// Sets the configuration of all breakers, from the next failure on.
    void set(const BreakerConfig& config);
    /// Records a failure. If the breaker opens now, returns for how long the neighbour is avoided.
    std::optional<Duration> record_failure(RoutingId neighbour, TimePoint now);
    /// Records a success of a flow; returns whether the breaker closes now.
    bool record_success(RoutingId neighbour, const FlowKey& flow, TimePoint now);
    /// Returns the neighbours that are usable (`usable` returns true) but whose breaker does not admit the flow now.
    /// The flow becomes the trying flow of half-open breakers that have none.
    std::vector<RoutingId> refuse(const FlowKey& flow, const std::function<bool(RoutingId)>& usable);
    /// Lets other flows try all neighbours except the next hop that this flow has chosen.
    void let_go(const FlowKey& flow, std::optional<RoutingId> next_hop);
    /// Advances all breakers, and forgets the breakers of devices that are no longer neighbours. Returns whether a flow
    /// may now use a neighbour that it could not use before. `present` returns whether a flow still exists.
    bool tick(TimePoint now, const std::function<bool(RoutingId)>& is_neighbour,
              const std::function<bool(const FlowKey&)>& present);
    /// Returns the breakers that are not closed.
    std::vector<relay::BreakerView> views() const;

private:
    BreakerConfig config_;
    std::map<RoutingId, Breaker> breakers_;
};

}  // namespace divisi::mesh::inline forwarding
