// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/mesh/registration.h"
#include "backend/mesh/topology.h"

namespace divisi::mesh {

/// What serves a prefix in one MIC.
struct PrefixEntry {
    std::string prefix;
    std::vector<Sid> sids;
    MicId mic;
    RoutingId gateway;
    Health health = Health::pending;
    bool operator==(const PrefixEntry&) const = default;
};

/// Signaling type 2: the whole table, or what changed since the revision before.
struct TableUpdate {
    std::uint64_t revision = 0;
    bool whole = true;
    std::vector<PrefixEntry> entries;  ///< each replaces the one of its prefix and MIC
    struct Removal {
        std::string prefix;
        MicId mic;
    };
    std::vector<Removal> removed;
};

inline constexpr std::size_t most_prefix_entries = 65'536;
inline constexpr std::size_t most_sids_per_entry = 4'096;

/// What a gateway or router knows: where services are, and the next hop to every device.
class RouteTable {
public:
    explicit RouteTable(RoutingId self) : self_(self) {}

    /// All or nothing. A change that was applied before is ignored. `conflict` for a whole table older than the present
    /// one and for a change that others must come before: the next whole table brings it. `invalid_input` for what
    /// cannot be an entry, `exhausted` beyond the limits above.
    Result<void> apply(TableUpdate update);
    std::uint64_t revision() const { return revision_; }

    /// The entries of the longest prefix that `sid` lies below, one a MIC, in the order of their names; empty where
    /// there is none. Valid until the next apply().
    std::span<const PrefixEntry> find(std::string_view sid) const;
    std::size_t size() const { return size_; }

    void set_topology(Topology topology);
    /// Makes several changes and computes the next hops once. What was done before an error stays.
    Result<void> change(const std::function<Result<void>(Topology&)>& changes);
    const Topology& topology() const { return topology_; }

    /// The neighbour that the shortest path to `destination` begins with; none for this device itself, for unknown
    /// devices, and where there is no path.
    std::optional<RoutingId> next_hop(RoutingId destination) const;

private:
    void put(PrefixEntry entry);
    void remove(const TableUpdate::Removal& removal);

    RoutingId self_;
    std::uint64_t revision_ = 0;
    std::map<std::string, std::vector<PrefixEntry>, std::less<>> prefixes_;
    std::size_t size_ = 0;
    Topology topology_;
    std::vector<std::optional<RoutingId>> next_hops_;  ///< by index of the topology
};

}  // namespace divisi::mesh
