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

// Signaling type 4: a service router (SR) tells the gateways (MG) next to it how it stands.

/// One link of the router, as the router sees it.
struct LinkLoad {
    std::uint32_t to = 0;                  ///< routing identifier of the neighbour
    bool usable = false;                   ///< nothing goes there where it is not
    std::uint64_t queued = 0, credit = 0;  ///< bytes: that wait for it, and that it has promised and are not spent
    double bytes_per_s = 0;                ///< in the last whole period, as what follows
    double round_trip_s = 0;               ///< from a chunk's going to the word that it is freed, median; 0: none went
    double loss = 0;                       ///< share of chunks that had to go again
    bool operator==(const LinkLoad&) const = default;
};
/// What the router sees of who is served below a prefix, and on what that runs by the route table.
struct PrefixLoad {
    std::string prefix;
    double service_s = 0;  ///< from a chunk's going towards it to its freeing, median; of several flows the longest
    double load = 0;       ///< share of the time in which something for it was under way here, likewise
    std::uint64_t queued = 0;
    std::string device;      ///< of its node: "cpu", "cuda:0"; empty: no lease says
    double flops_per_s = 0;  ///< of that device, as measured; 0: it is not
    bool operator==(const PrefixLoad&) const = default;
};
struct LoadAdvert {
    std::uint32_t version = 1;
    std::uint32_t sender = 0;    ///< routing identifier
    std::uint64_t sequence = 0;  ///< grows, also over the router's processes
    TimePoint time{};
    std::vector<LinkLoad> links;
    std::vector<PrefixLoad> prefixes;
};

// A message stays within 8 KiB. Of more links those that cannot be used come first, then the longest queues; of more
// prefixes, or longer ones, the longest queues.
inline constexpr std::size_t most_load_links = 64, most_load_prefixes = 32;
inline constexpr std::size_t max_load_bytes = 8u << 10;

/// MESH.md: every 500 ms, and at once when a value moves by a fifth. No sooner than `least_load_interval` after the
/// last, since queues move with every chunk.
inline constexpr Duration load_interval = std::chrono::milliseconds(500);
inline constexpr Duration least_load_interval = std::chrono::milliseconds(100);
/// What is older says nothing of now: two messages were lost.
inline constexpr Duration load_holds = 3 * load_interval;

/// Whether a value of `now` is so far from what was told that gateways should hear of it at once: by a fifth, and by
/// more than the noise of its kind. A link that has come, has gone or cannot be used any more is.
bool has_moved(const LoadAdvert& told, const LoadAdvert& now);
/// Leaves out what goes beyond the bounds above.
void keep_within_bounds(LoadAdvert& advert);

/// At a router: says when its figures are due.
class LoadTeller {
public:
    /// Whether to look at the figures at all.
    bool may_tell(TimePoint now) const { return !at_ || now - *at_ >= least_load_interval; }
    bool due(const LoadAdvert& figures, TimePoint now) const;
    void told(LoadAdvert figures, TimePoint now);

private:
    LoadAdvert told_;
    std::optional<TimePoint> at_;
};

/// At a gateway: the last word of each router next to it.
class LoadBook {
public:
    struct Heard {
        LoadAdvert said;
        TimePoint at{};
    };
    /// Whether links can be used now that could not, or the reverse. `denied` where it names another sender than
    /// `from`, `unsupported` for another version, `invalid_input` for figures that cannot be, `conflict` for a message
    /// that a later one has overtaken; nothing is kept of those.
    Result<bool> take(RoutingId from, LoadAdvert said, TimePoint now);
    /// Drops what is too old to hold, and whether a link that could not be used was among it.
    bool drop_old(TimePoint now);
    /// Its connection is another one.
    void forget(RoutingId router) { heard_.erase(router); }
    /// Null where nothing holds.
    const Heard* of(RoutingId router) const;
    /// What the router said of its link to a neighbour; null likewise.
    const LinkLoad* link(RoutingId router, RoutingId to) const;
    /// Links that cannot be used, by who stands at one of their ends.
    std::set<LinkKey> failed_links() const;

private:
    std::map<RoutingId, Heard> heard_;
};

}  // namespace divisi::mesh::inline signaling
