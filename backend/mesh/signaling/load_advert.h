// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/mesh/base/topology.h"

namespace divisi::mesh::inline signaling {

// Signaling type 4: a service router (SR) reports its load to the gateways (MG) next to it.

/// One link, as seen by its router.
struct LinkLoad {
    std::uint32_t to = 0;                  ///< routing identifier of the neighbour
    bool usable = false;                   ///< whether data is sent over the link
    std::uint64_t queued = 0, credit = 0;  ///< bytes waiting for the link; unspent bytes promised by the neighbour
    double bytes_per_s = 0;                ///< rate in the last full period; the fields below also refer to this period
    double round_trip_s = 0;  ///< median from sending a chunk until it is reported as freed; 0: none was sent
    double loss = 0;          ///< share of chunks that had to be sent again
    bool operator==(const LinkLoad&) const = default;
};
/// A router's figures for the instances below a prefix, and the device that the route table names for them.
struct PrefixLoad {
    std::string prefix;
    double service_s = 0;  ///< median time from sending to freeing a chunk; the longest of several flows
    /// share of the time in which data for the prefix is in transit at the router; the highest of several flows
    double load = 0;
    std::uint64_t queued = 0;
    std::string device;      ///< device of its node: "cpu", "cuda:0"; empty: not in any lease
    double flops_per_s = 0;  ///< speed of that device in the cluster file; 0: not stated
    bool operator==(const PrefixLoad&) const = default;
};
struct LoadAdvert {
    std::uint32_t version = 1;
    std::uint32_t sender = 0;    ///< routing identifier of the router
    std::uint64_t sequence = 0;  ///< increases with every message, also across restarts of the router
    TimePoint time{};
    std::vector<LinkLoad> links;
    std::vector<PrefixLoad> prefixes;
};

// A message stays within 8 KiB. If there are too many links, unusable links are kept first, then the links with the
// longest queues. If prefixes are too many or too long, the prefixes with the longest queues are kept.
inline constexpr std::size_t most_load_links = 64, most_load_prefixes = 32;
inline constexpr std::size_t max_load_bytes = 8u << 10;

/// Intervals of load messages. As the specification MESH.md requires, a message is sent every 500 ms, and immediately
/// if a value changes by a fifth. A message is never sent before `least_load_interval` has passed since the last one,
/// because queues change with every chunk.
inline constexpr Duration load_interval = std::chrono::milliseconds(500);
inline constexpr Duration least_load_interval = std::chrono::milliseconds(100);
/// Age limit of figures. Older figures are outdated, because two messages must have been lost.
inline constexpr Duration load_holds = 3 * load_interval;

/// Returns whether a value has changed so much that gateways should be notified immediately: by a fifth, and by more
/// than the noise of this value. A link that was added, was removed or became unusable counts as well.
bool has_moved(const LoadAdvert& told, const LoadAdvert& now);
/// Removes the links and prefixes that exceed the limits above.
void keep_within_bounds(LoadAdvert& advert);

/// Decides when the figures of a router must be sent.
class LoadReporter {
public:
    /// Returns whether it is worth computing the figures now.
    bool may_tell(TimePoint now) const { return !at_ || now - *at_ >= least_load_interval; }
    bool due(const LoadAdvert& figures, TimePoint now) const;
    void told(LoadAdvert figures, TimePoint now);

private:
    LoadAdvert told_;
    std::optional<TimePoint> at_;
};

/// Holds a gateway's latest message from each router next to it.
class LoadBook {
public:
    struct Heard {
        LoadAdvert said;
        TimePoint at{};
    };
    /// Stores a message; returns whether links became usable or unusable. Fails with `denied` if the message names a
    /// sender other than `from`, with `unsupported` for another version, and with `invalid_input` for impossible
    /// figures. Fails with `conflict` if a later message has overtaken it. After an error, the old message is kept.
    Result<bool> take(RoutingId from, LoadAdvert said, TimePoint now);
    /// Drops outdated messages; returns whether one of them had an unusable link.
    bool drop_old(TimePoint now);
    /// Forgets a router whose connection has changed.
    void forget(RoutingId router) { heard_.erase(router); }
    /// Returns the router's latest message; null if there is no valid one.
    const Heard* of(RoutingId router) const;
    /// Returns the router's figures of its link to a neighbour; null if there are no valid figures.
    const LinkLoad* link(RoutingId router, RoutingId to) const;
    /// Returns the links that a router at one of their ends reports as unusable.
    std::set<LinkKey> failed_links() const;

private:
    std::map<RoutingId, Heard> heard_;
};

}  // namespace divisi::mesh::inline signaling
