// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "backend/mesh/route/path_chooser.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline route {

/// A route for packets to `destination`: the packets are encapsulated to pass these segments in order (H.Encaps of RFC
/// 8986, 5.1). A segment is the address of a router.
struct SegmentRoute {
    Ipv6 destination;
    std::vector<Ipv6> segments;
    auto operator<=>(const SegmentRoute&) const = default;
};

/// The settings that a device needs from its host's kernel.
struct Steering {
    std::vector<SegmentRoute> routes;  ///< routes at a gateway: one per neighbouring gateway, ordered by destination
    std::vector<Ipv6> neighbours;      ///< at a router: devices that may send it packets with its segment, ascending
    bool operator==(const Steering&) const = default;
};

/// The changes from the installed to the wanted routes. changes() requires that both lists are ordered by destination.
struct RouteChanges {
    std::vector<Ipv6> remove;
    std::vector<SegmentRoute> replace, add;
    bool operator==(const RouteChanges&) const = default;
};
RouteChanges changes(const std::vector<SegmentRoute>& installed, const std::vector<SegmentRoute>& wanted);

namespace steering {

/// The route table, and the IPv6 addresses that its devices listen on; a device may have none.
struct Table {
    RoutingId self;
    Topology topology;
    std::map<RoutingId, Ipv6> addresses;
    /// The orchestrator's address: packets from this host to this address are never steered, even if a device claims
    /// the address.
    std::optional<Ipv6> orchestrator = {};
};
/// Reports whether chunks can be sent to each neighbour now. Must occur regularly: it decides whether a path works.
struct Neighbours {
    std::map<RoutingId, bool> usable;
};
using Event = std::variant<Table, Neighbours>;

}  // namespace steering

/// Time for which the routers of a lost path are avoided. It doubles with each loss, up to the longest, and returns to
/// the first value after a path through these routers has worked for lost_path_avoided. This rule handles paths that
/// flap, and a path that never works while another path does. If a gateway was not reachable by any path since the last
/// loss, the gateway itself is unreachable. All paths to the gateway are then tried again after the first value.
inline constexpr Duration lost_path_avoided = std::chrono::seconds(30);
inline constexpr Duration longest_avoided = std::chrono::minutes(10);
/// Time within which a neighbour must become usable over a newly chosen path; otherwise the path does not reach it.
inline constexpr Duration path_trial = std::chrono::seconds(5);

/// Chooses the routers that a gateway's packets to linked gateways pass: the best path through routers according to the
/// route table. If the neighbour is not usable over a path, the packets switch to a path without these routers, if
/// there is one.
class SegmentRoutes {
public:
    /// Processes one event; returns the settings that are wanted from now on. `now` must never decrease.
    const Steering& step(steering::Event event, TimePoint now);
    /// Returns the path to a neighbouring gateway; empty if packets follow the host's own routes.
    Path path_to(RoutingId gateway) const;

private:
    struct Avoided {
        Duration length{};  ///< length of the last avoidance
        TimePoint since{};
    };
    struct Target {
        PathChooser chooser;
        Path path;
        TimePoint since{};                 ///< time at which the path was chosen
        bool worked = false;               ///< whether the neighbour has been usable by this path
        std::optional<TimePoint> reached;  ///< time at which the neighbour was last usable, by any path
        std::map<RoutingId, Avoided> avoided;
    };

    void on(steering::Table& event);
    void on(steering::Neighbours& event);
    void works(Target& target);
    void give_up(Target& target);
    void choose();
    void want();
    std::vector<Ipv6> segments_of(const Path& path) const;

    RoutingId self_;
    Topology topology_;  ///< routers that can be segments, without the links that are steered
    std::map<RoutingId, Ipv6> addresses_;
    std::map<RoutingId, Target> targets_;
    std::vector<Ipv6> linked_;
    Steering wanted_;
    TimePoint now_{};
};

}  // namespace divisi::mesh::inline route
