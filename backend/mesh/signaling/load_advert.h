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
    bool usable = false;                   ///< false: nothing is sent there
    std::uint64_t queued = 0, credit = 0;  ///< bytes waiting for the link; unspent bytes promised by the neighbour
    double bytes_per_s = 0;                ///< in the last full period, like the fields below
    double round_trip_s = 0;  ///< median from sending a chunk to the notice that it is freed; 0: none was sent
    double loss = 0;          ///< share of chunks that had to be sent again
    bool operator==(const LinkLoad&) const = default;
};
/// A router's view of the instances below a prefix, and the device that the route table names for them.
struct PrefixLoad {
    std::string prefix;
    double service_s = 0;  ///< median from sending a chunk there to its freeing; the longest of several flows
    /// share of the time in which something for the prefix is in transit here; the highest of several flows
    double load = 0;
    std::uint64_t queued = 0;
    std::string device;      ///< of its node: "cpu", "cuda:0"; empty: no lease says
    double flops_per_s = 0;  ///< measured speed of that device; 0: not measured
    bool operator==(const PrefixLoad&) const = default;
};
struct LoadAdvert {
    std::uint32_t version = 1;
    std::uint32_t sender = 0;    ///< routing identifier of the router
    std::uint64_t sequence = 0;  ///< increases, also across the router's restarts
    TimePoint time{};
    std::vector<LinkLoad> links;
    std::vector<PrefixLoad> prefixes;
};

// A message stays within 8 KiB. If there are too many links, unusable ones are kept first, then those with the longest
// queues. If prefixes are too many or too long, those with the longest queues are kept.
inline constexpr std::size_t most_load_links = 64, most_load_prefixes = 32;
inline constexpr std::size_t max_load_bytes = 8u << 10;

/// MESH.md: every 500 ms, and at once if a value moves by a fifth. Not before `least_load_interval` has passed since
/// the last message, because queues change with every chunk.
inline constexpr Duration load_interval = std::chrono::milliseconds(500);
inline constexpr Duration least_load_interval = std::chrono::milliseconds(100);
/// Age limit of figures; older ones are outdated, because two messages were lost.
inline constexpr Duration load_holds = 3 * load_interval;

/// Returns whether a value has changed so much that gateways should be notified at once: by a fifth, and by more than
/// the noise of its kind. A link that was added, was removed or became unusable counts as well.
bool has_moved(const LoadAdvert& told, const LoadAdvert& now);
/// Removes what exceeds the limits above.
void keep_within_bounds(LoadAdvert& advert);

/// Decides when a router's figures must be sent.
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
    /// Takes a message; returns whether links became usable or unusable. Fails with `denied` if it names another sender
    /// than `from`, with `unsupported` for another version, and with `invalid_input` for impossible figures. Fails with
    /// `conflict` if a later message has overtaken it. After an error nothing is kept.
    Result<bool> take(RoutingId from, LoadAdvert said, TimePoint now);
    /// Drops outdated messages; returns whether one of them had an unusable link.
    bool drop_old(TimePoint now);
    /// Forgets a router whose connection has changed.
    void forget(RoutingId router) { heard_.erase(router); }
    /// Returns the router's latest message; null if there is none in force.
    const Heard* of(RoutingId router) const;
    /// Returns the router's figures of its link to a neighbour; null if there are none in force.
    const LinkLoad* link(RoutingId router, RoutingId to) const;
    /// Returns the links that a router at one of their ends reports as unusable.
    std::set<LinkKey> failed_links() const;

private:
    std::map<RoutingId, Heard> heard_;
};

}  // namespace divisi::mesh::inline signaling
