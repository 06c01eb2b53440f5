// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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
    MicId mic;             ///< set for a gateway; empty for routers
    std::string endpoint;  ///< address that neighbours connect to
    std::string key;       ///< public key, on CURVE
    bool up = true;
    double load = 0;  ///< seconds that a chunk waits in the device
};

/// Figures of a link from telemetry.
struct LinkFigures {
    double latency_s = 0;
    double bytes_per_s = 0;
    double loss = 0;  ///< share of chunks that must be sent again; below 1
};

/// A link between two neighbours, usable in both directions.
struct Link {
    RoutingId a, b;
    double latency_s = 0;
    double bytes_per_s = 0;
    double loss = 0;
    bool up = true;
};

/// Identifies a link by its ends, the lower id first.
using LinkKey = std::pair<RoutingId, RoutingId>;
inline LinkKey link_key(RoutingId a, RoutingId b) { return a < b ? LinkKey{a, b} : LinkKey{b, a}; }

/// The devices of a path, including first and last.
using Path = std::vector<RoutingId>;

inline constexpr std::size_t most_links = 1U << 18;
/// Limit on a device's name, endpoint, key or MIC.
inline constexpr std::size_t most_text_bytes = 1024;
/// The chunk size that costs are computed for: the largest chunk of a tensor.
inline constexpr double cost_chunk_bytes = 1 << 20;

/// The gateways and routers of a mesh, and the links between them. Devices and links are ordered by id, so all holders
/// of a topology compute the same results.
class Topology {
public:
    /// A neighbour and the link to it, as indexes into devices() and links().
    struct Edge {
        std::uint32_t device = 0;
        std::uint32_t link = 0;
    };

    /// Replaces the whole topology; changes nothing on failure. Fails with `invalid_input` in these cases:
    /// - An id is 0 or used twice.
    /// - A gateway has no MIC, or its MIC already has one.
    /// - A link is repeated, or leads to itself or to an unknown device.
    /// - A figure is impossible.
    /// Fails with `exhausted` beyond the limits above.
    Result<void> set(std::vector<Device> devices, std::vector<Link> links);

    /// Set the state or figures of a device or link. Fail with `not_found` if it is unknown, and with `invalid_input`
    /// for impossible figures.
    Result<void> set_up(RoutingId device, bool up);
    Result<void> set_up(LinkKey link, bool up);
    Result<void> set_load(RoutingId device, double seconds);
    Result<void> set_figures(LinkKey link, LinkFigures figures);

    /// Returns the devices, ordered by id.
    const std::vector<Device>& devices() const { return devices_; }
    /// Returns the links, ordered by their ends, each with a < b.
    const std::vector<Link>& links() const { return links_; }
    const Device* device(RoutingId id) const;
    /// Returns the gateway of a MIC, whether up or not.
    const Device* gateway_of(const MicId& mic) const;
    const Link* link(RoutingId a, RoutingId b) const;
    /// Returns the devices that are up and reachable over one link that is up, in ascending order.
    std::vector<RoutingId> neighbours(RoutingId id) const;

    // Access by index, for algorithms.
    std::optional<std::size_t> index(RoutingId id) const;
    /// Returns the links to all neighbours, up or not, ordered by the neighbours' ids.
    std::span<const Edge> edges(std::size_t device) const { return edges_[device]; }
    /// Returns the nanoseconds that a chunk of 1 MiB needs over the link: (latency + chunk / bandwidth) / (1 - loss).
    /// Costs are integers, so that equal costs are equal on every machine; at least 1.
    std::int64_t link_cost(std::size_t link) const { return link_costs_[link]; }
    /// Returns the nanoseconds that the device adds to a path through it.
    std::int64_t transit_cost(std::size_t device) const { return transit_costs_[device]; }

private:
    std::optional<std::size_t> link_index(LinkKey key) const;

    std::vector<Device> devices_;
    std::vector<Link> links_;
    std::vector<std::vector<Edge>> edges_;
    std::vector<std::int64_t> link_costs_, transit_costs_;
    std::map<MicId, std::size_t> gateways_;
};

/// Devices and links that paths must avoid. A path may still begin or end at such a device, unless the device is down.
struct Avoid {
    std::set<RoutingId> devices;
    std::set<LinkKey> links;
    bool operator==(const Avoid&) const = default;
};

/// Returns the time that a chunk takes along the path, in nanoseconds. Returns nothing if the path cannot be used now:
/// a part of it is down or unknown, or an inner device is not a router.
std::optional<std::int64_t> path_cost(const Topology& topology, const Path& path);
/// Returns whether the path contains no part of `avoid`.
bool avoids(const Path& path, const Avoid& avoid);

/// Returns the path with the lowest cost; among paths of equal cost, the first in the order of the ids along the path.
/// Only routers forward.
std::optional<Path> shortest_path(const Topology& topology, RoutingId from, RoutingId to, const Avoid& avoid = {});

/// Returns, by index, the next device on the shortest path from `from` to each device. Empty if there is no path, and
/// for `from` itself. One search serves all devices.
std::vector<std::optional<RoutingId>> next_hops(const Topology& topology, RoutingId from);

/// Counts the routers and links that both paths use, without the paths' ends.
std::size_t shared_parts(const Path& a, const Path& b);

/// Returns the path that shares the fewest routers and links with `primary`, and among equal ones the cheapest; empty
/// if there is no other path.
Path backup_of(const Topology& topology, const Path& primary, const Avoid& avoid = {});

struct Paths {
    Path primary;
    Path backup;  ///< empty if there is no other path
    bool operator==(const Paths&) const = default;
};

/// Returns two paths that share as few routers and links as possible, ideally none. The primary is the shortest path,
/// unless another pair shares fewer of them than the shortest path and its best backup. In that case, the result is the
/// pair with the lowest sum of costs among the pairs that share least (Suurballe 1974, in the form of Bhandari 1999).
std::optional<Paths> two_paths(const Topology& topology, RoutingId from, RoutingId to, const Avoid& avoid = {});

/// Computes the two_paths() from one device to many others, with the same `avoid`. All of them start with the same
/// shortest-path search, which runs only once. The topology must outlive this object and must not change meanwhile.
class PathsFrom {
public:
    PathsFrom(const Topology& topology, RoutingId from, Avoid avoid = {});
    ~PathsFrom();

    const Avoid& avoid() const { return avoid_; }
    /// Returns the two paths; nothing if there is no path.
    std::optional<Paths> to(RoutingId device) const;

private:
    struct Known;

    Avoid avoid_;
    std::unique_ptr<const Known> known_;
};

}  // namespace divisi::mesh::inline base
