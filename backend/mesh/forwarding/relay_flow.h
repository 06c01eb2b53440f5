// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "backend/mesh/forwarding/credit.h"
#include "backend/mesh/forwarding/meter.h"
#include "backend/mesh/forwarding/relay_events.h"
#include "backend/mesh/route/hops.h"

namespace divisi::mesh::inline forwarding {

/// The state of one flow at a device: the promises to upstream devices, the credit from downstream devices, and the
/// route.
struct RelayFlow {
    struct Held {
        frame::Chunk chunk;
        RoutingId from;
        std::uint64_t reservation = 0;  ///< incarnation of the promise that the chunk counts for
        TimePoint since{};              ///< time of arrival; once the chunk was sent, time of sending
        bool cached = false;            ///< the chunk's memory belongs to the cache
        std::uint64_t bytes() const { return chunk.payload.size(); }
        /// Returns the bytes that the chunk occupies in the device's buffer.
        std::uint64_t buffered_bytes() const { return cached ? 0 : bytes(); }
    };
    /// This device's promise to an upstream neighbour.
    struct Upstream {
        Promise promise;
        std::uint32_t boot = 0;
        TimePoint refreshed{};
        bool told = false;              ///< whether the first RESV, with both kinds of credit, was sent
        std::optional<TimePoint> full;  ///< time since which no further chunk has fitted
    };
    /// A downstream neighbour's promise to this device.
    struct Downstream {
        Allowance allowance;
        std::uint32_t handle = 0;  ///< number in PATH that distinguishes this request for a promise from this device's
                                   ///< earlier requests
        std::deque<Held> out;      ///< chunks that were sent, but are not known to be freed by the neighbour
        std::uint64_t freed = 0;   ///< freed bytes that do not complete a chunk yet
        PathFigures behind;        ///< the neighbour's figures of the links beyond the neighbour
        TimePoint asked{};         ///< time at which the last PATH was sent
        /// Set if a frame without payload was sent since the last PATH. Such a frame needs no credit. Only this flag
        /// shows that the neighbour may have forgotten the flow, as after a lost PathErr.
        bool doubtful = false;
        TimePoint used{};
    };

    FlowKey key;
    FlowName name;
    FlowSids sids;
    bool named = false;  ///< whether the route table has both SIDs, with the flow's task
    std::map<RoutingId, Upstream> upstream;
    std::map<RoutingId, Downstream> downstream;
    std::deque<Held> queue;
    std::uint64_t queued = 0;
    Exit exit;
    Route route;
    Path path;                        ///< the rest of the route, beginning with this device
    Route backup;                     ///< backup route; shares no router with the route, if such a path exists
    Path backup_path;                 ///< the rest of the backup route, beginning with this device
    std::optional<TimePoint> paused;  ///< end of the pause while the receiver's gateway has no room
    TimePoint had_upstream{};         ///< last time at which the flow had an upstream device
    bool waits_turn = false;
    Meter meter;
    Quality quality;
    bool by_second = false;  ///< started on the second of two equal paths; see RouteFinder::second_is_shorter()
    TimePoint routed{};      ///< time since which the flow has this route; set at its sender's gateway

    /// Returns the neighbour's promise on the flow's present exit; null if there is no promise.
    const Downstream* next() const {
        const auto found = downstream.find(exit.device);
        return found == downstream.end() ? nullptr : &found->second;
    }
    /// Returns whether chunks were sent to the neighbour and are not known to be freed by it.
    bool is_owed_by(RoutingId neighbour) const {
        const auto found = downstream.find(neighbour);
        return found != downstream.end() && !found->second.out.empty();
    }
};

/// Returns the key of the flow that a frame belongs to, with path index 0.
inline FlowKey key_of(const frame::FrameHeader& header) {
    return {header.key.task, header.source.sid, header.destination.sid, 0, class_of(header)};
}

/// RFC 2205, 3.7: reservations are soft state. The holder refreshes at this interval, and a reservation lapses after
/// three missed refreshes.
inline constexpr Duration refresh_interval = std::chrono::seconds(10);
inline constexpr Duration lapse_after = 3 * refresh_interval + std::chrono::seconds(5);

/// RFC 2205, appendix B: admission control failure, requested bandwidth unavailable.
inline constexpr std::uint8_t admission_failure = 1;
inline constexpr std::uint16_t no_buffer = 2;
/// RFC 3209, 7.3: routing problem, no route available toward destination.
inline constexpr std::uint8_t routing_problem = 24;
inline constexpr std::uint16_t no_route = 5;

}  // namespace divisi::mesh::inline forwarding
