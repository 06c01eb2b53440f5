// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "backend/mesh/route/path_chooser.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::mesh::inline route {

/// What goes to `destination` is wrapped in packets that pass these segments, in this order (H.Encaps of RFC 8986,
/// 5.1). A segment is the address of a router.
struct SegmentRoute {
    Ipv6 destination;
    std::vector<Ipv6> segments;
    auto operator<=>(const SegmentRoute&) const = default;
};

/// What the kernel of a device's host is to do for it.
struct Steering {
    std::vector<SegmentRoute> routes;  ///< at a gateway: one a neighbouring gateway, ordered by destination
    std::vector<Ipv6> neighbours;      ///< at a router: who may send it packets with its segment, ascending
    bool operator==(const Steering&) const = default;
};

/// What makes the installed routes the wanted ones; both are ordered by destination.
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
    /// Where the orchestrator is: whatever a device says of itself, this host's packets to it are not steered.
    std::optional<Ipv6> orchestrator = {};
};
/// Whether chunks can go to each neighbour now. Comes with every report.
struct Neighbours {
    std::map<RoutingId, bool> usable;
};
using Event = std::variant<Table, Neighbours>;

}  // namespace steering

/// The routers of a path that was lost are gone around for so long; twice as long each next time, up to the longest,
/// until a path through them has held for the first time again. That is for paths that flap, or never work while
/// another one does. A gateway that was usable by no path since the last time is away itself: its paths are all tried
/// again after the first time.
inline constexpr Duration lost_path_avoided = std::chrono::seconds(30);
inline constexpr Duration longest_avoided = std::chrono::minutes(10);
/// A neighbour that is not usable so long after its path was chosen is not behind that path.
inline constexpr Duration path_trial = std::chrono::seconds(5);

/// Decides by which routers a gateway's packets to the gateways that it is linked with go: the path that the route
/// table makes the best one of those through routers. A path by which the neighbour is not usable is left for one
/// that shares no router with it, where there is one.
class SegmentRoutes {
public:
    /// What is wanted from now on; `now` never goes back.
    const Steering& step(steering::Event event, TimePoint now);
    /// The path to a neighbouring gateway; empty where packets go as the host's own routes have it.
    Path path_to(RoutingId gateway) const;

private:
    struct Avoided {
        Duration length{};  ///< of the last time
        TimePoint since{};
    };
    struct Target {
        PathChooser chooser;
        Path path;
        TimePoint since{};                 ///< when the path was chosen
        bool worked = false;               ///< the neighbour has been usable by it
        std::optional<TimePoint> reached;  ///< when the neighbour was usable last, by whatever path
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
    Topology topology_;  ///< of routers that can be segments, without the links that are steered
    std::map<RoutingId, Ipv6> addresses_;
    std::map<RoutingId, Target> targets_;
    std::vector<Ipv6> linked_;
    Steering wanted_;
    TimePoint now_{};
};

}  // namespace divisi::mesh::inline route
