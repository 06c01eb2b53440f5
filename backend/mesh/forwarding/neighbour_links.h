// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "backend/mesh/base/device.h"
#include "backend/mesh/forwarding/meter.h"
#include "backend/mesh/route/hops.h"

namespace divisi::mesh::inline forwarding {

/// The neighbours of a device, each with the state of its connection and the measurements of its link. `now` must never
/// decrease.
class NeighbourLinks {
public:
    struct Link {
        bool up = false;
        bool failed = false;
        std::uint64_t sent = 0;  ///< bytes of chunks sent to the neighbour
        /// link_there: figures of the link to the neighbour, as this device measured them; link_here: figures of the
        /// link from the neighbour, as the neighbour reports them
        PathFigures link_there, link_here;
        TimePoint heard{};
        Meter meter;
        Quality quality;
        std::uint64_t chunks = 0, again = 0;  ///< in this period: chunks sent to the neighbour, and chunks taken back
        double loss = 0;                      ///< share of chunks taken back, in the last full period

        bool is_usable() const { return up && !failed; }
    };

    /// Return the link to a neighbour; null if the device is not a neighbour.
    Link* find(RoutingId neighbour);
    const Link* find(RoutingId neighbour) const;
    bool is_usable(RoutingId neighbour) const;

    /// Records a new connection; returns whether the neighbour had failed before.
    bool connect(RoutingId neighbour, TimePoint now);
    /// Records the end of the connection, also if the neighbour is not known yet.
    void disconnect(RoutingId neighbour);
    void erase(RoutingId neighbour) { links_.erase(neighbour); }
    /// Records a sign of life; returns whether it makes a failed neighbour usable again.
    bool record_life(RoutingId neighbour, TimePoint now);
    /// Marks the neighbour as failed; returns false if it had already failed, or has no connection.
    bool try_fail(RoutingId neighbour);

    /// Returns the connected neighbours if it is time for a beat, that is, once per interval; otherwise none.
    std::vector<RoutingId> take_beats(TimePoint now, Duration interval);

    void count_sent(RoutingId neighbour, std::uint64_t bytes);
    /// Counts chunks that were taken back, to be sent again.
    void count_again(RoutingId neighbour, std::uint64_t chunks);
    void count_delivered(RoutingId neighbour, std::uint64_t bytes, Duration took);
    /// Ends the period of measurement: computes the quality and loss of each link.
    void measure(TimePoint now);

    // Iterators over the neighbours in the order of their ids, as pairs of id and link.
    auto begin() const { return links_.begin(); }
    auto end() const { return links_.end(); }

private:
    std::map<RoutingId, Link> links_;
    TimePoint last_beat_{};
};

}  // namespace divisi::mesh::inline forwarding
