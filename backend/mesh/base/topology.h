// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/base/result.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline base {

/// A gateway or router as the registry describes it.
struct Device {
    RoutingId id;
    std::string name;
    DeviceRole role = DeviceRole::router;
    MicId mic;             ///< of a gateway; empty for routers
    std::string endpoint;  ///< where neighbours connect to
    std::string key;       ///< public key, on CURVE
    bool up = true;
    double load = 0;  ///< seconds that a chunk waits inside the device
};

/// What telemetry says about a link.
struct LinkFigures {
    double latency_s = 0;
    double bytes_per_s = 0;
    double loss = 0;  ///< share of chunks that have to be sent again, below 1
};

/// A link between two neighbours, usable both ways.
struct Link {
    RoutingId a, b;
    double latency_s = 0;
    double bytes_per_s = 0;
    double loss = 0;
    bool up = true;
};

/// A link by its ends, the lower id first.
using LinkKey = std::pair<RoutingId, RoutingId>;
inline LinkKey link_key(RoutingId a, RoutingId b) { return a < b ? LinkKey{a, b} : LinkKey{b, a}; }

/// First and last device included.
using Path = std::vector<RoutingId>;

inline constexpr std::size_t most_links = 1U << 18;
/// Of a device's name, endpoint, key or MIC.
inline constexpr std::size_t most_text_bytes = 1024;
/// What costs are counted for: the largest chunk of a tensor.
inline constexpr double cost_chunk_bytes = 1 << 20;

/// The gateways and routers of a mesh and the links between them. Devices and links are ordered by id, so that all
/// holders of one topology compute the same from it.
class Topology {
public:
    /// A neighbour and the link to it, as indexes into devices() and links().
    struct Edge {
        std::uint32_t device = 0;
        std::uint32_t link = 0;
    };

    /// Replaces everything, or nothing: `invalid_input` for an id that is 0 or used twice, a gateway without MIC or a
    /// second one of its MIC, a link twice, to itself or to an unknown device, and impossible figures; `exhausted`
    /// beyond the limits above.
    Result<void> set(std::vector<Device> devices, std::vector<Link> links);

    /// `not_found` for unknown devices and links, `invalid_input` for impossible figures.
    Result<void> set_up(RoutingId device, bool up);
    Result<void> set_up(LinkKey link, bool up);
    Result<void> set_load(RoutingId device, double seconds);
    Result<void> set_figures(LinkKey link, LinkFigures figures);

    /// Ordered by id.
    const std::vector<Device>& devices() const { return devices_; }
    /// Ordered by their ends, each with a < b.
    const std::vector<Link>& links() const { return links_; }
    const Device* device(RoutingId id) const;
    /// The gateway of a MIC, up or not.
    const Device* gateway_of(const MicId& mic) const;
    const Link* link(RoutingId a, RoutingId b) const;
    /// Whom the device can reach in one hop: both of them and the link are up. Ascending.
    std::vector<RoutingId> neighbours(RoutingId id) const;

    // By index, for algorithms.
    std::optional<std::size_t> index(RoutingId id) const;
    /// To all neighbours, up or not, ordered by their ids.
    std::span<const Edge> edges(std::size_t device) const { return edges_[device]; }
    /// Nanoseconds that a chunk of 1 MiB needs over the link: (latency + chunk / bandwidth) / (1 - loss). Whole
    /// numbers, so that equal costs are equal on every machine; at least 1.
    std::int64_t link_cost(std::size_t link) const { return link_costs_[link]; }
    /// Nanoseconds that the device adds to a path through it.
    std::int64_t transit_cost(std::size_t device) const { return transit_costs_[device]; }

private:
    std::optional<std::size_t> link_index(LinkKey key) const;

    std::vector<Device> devices_;
    std::vector<Link> links_;
    std::vector<std::vector<Edge>> edges_;
    std::vector<std::int64_t> link_costs_, transit_costs_;
    std::map<MicId, std::size_t> gateways_;
};

/// What paths must not pass. A device at a path's end is used all the same: only `up` cuts it off.
struct Avoid {
    std::set<RoutingId> devices;
    std::set<LinkKey> links;
    bool operator==(const Avoid&) const = default;
};

/// Nanoseconds of a chunk along the path. None for a path that cannot be used now: something on it is down, unknown or
/// no router between its ends.
std::optional<std::int64_t> path_cost(const Topology& topology, const Path& path);
/// Whether the path keeps clear of `avoid`.
bool avoids(const Path& path, const Avoid& avoid);

/// The path with the lowest cost; among equal ones the first by the ids along it. Only routers forward.
std::optional<Path> shortest_path(const Topology& topology, RoutingId from, RoutingId to, const Avoid& avoid = {});

/// The next device on the shortest path from `from` to each device, by index; none where there is no path, and for
/// `from` itself. Costs one search for all of them.
std::vector<std::optional<RoutingId>> next_hops(const Topology& topology, RoutingId from);

/// Routers and links that both paths use; their ends do not count.
std::size_t shared_parts(const Path& a, const Path& b);

/// The path that shares least with `primary`, and the cheapest of those; empty where there is no other path.
Path backup_of(const Topology& topology, const Path& primary, const Avoid& avoid = {});

struct Paths {
    Path primary;
    Path backup;  ///< empty where there is no other path
    bool operator==(const Paths&) const = default;
};

/// Two paths that share as few routers and links as any two do, none where that is possible. The primary is the
/// shortest path, unless that one shares more with every other path than two others share; those two then have the
/// lowest sum of costs (Suurballe 1974, in the form of Bhandari 1999).
std::optional<Paths> two_paths(const Topology& topology, RoutingId from, RoutingId to, const Avoid& avoid = {});

}  // namespace divisi::mesh::inline base
