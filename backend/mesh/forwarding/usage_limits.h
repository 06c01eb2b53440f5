// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "backend/mesh/base/device.h"
#include "backend/mesh/forwarding/fair_share.h"

namespace divisi::mesh::inline forwarding {

/// Limits what neighbours and instances may use of a device: lane frames, flows, and the buffer. All flows that the
/// route table does not name may together use only 1/unnamed_part of the flows and of the buffer, because a sender can
/// invent names. `now` must never decrease.
class UsageLimits {
public:
    /// `buffer`: bytes of chunks that all neighbours together may have buffered at the device.
    explicit UsageLimits(std::uint64_t buffer) : buffer_(buffer) {}

    /// Adds a neighbour; a known neighbour keeps its counts.
    void add_neighbour(RoutingId neighbour) { shares_.try_emplace(neighbour); }
    void erase_neighbour(RoutingId neighbour) { shares_.erase(neighbour); }
    /// Forgets the lanes of instances whose SID is not present.
    void keep_instances(const std::function<bool(std::uint64_t sid)>& present);

    /// Charges a lane frame or message of a neighbour; returns whether it is within the limit.
    bool try_lane(RoutingId neighbour, TimePoint now);
    /// Charges a lane frame of an instance, given its SID; SID 0 is the common limit of all unknown SIDs.
    bool try_instance_lane(std::uint64_t sid, TimePoint now);
    /// Returns whether a neighbour may open one more flow in addition to `present` flows, and charges its rate limit.
    bool try_new_flow(RoutingId neighbour, bool named, std::size_t present, TimePoint now);

    /// Counts a new flow that the route table does not name; -1 counts the end of such a flow.
    void count_unnamed_flow(std::int64_t flows) { unnamed_flows_ += static_cast<std::uint64_t>(flows); }
    /// Replaces the counts of flows that the route table does not name, because the table has changed.
    void set_unnamed(std::uint64_t flows, std::uint64_t promised);
    /// Counts flows and promised bytes of a neighbour; negative numbers reduce the counts.
    void count_promise(RoutingId neighbour, bool named, std::int64_t flows, std::int64_t bytes);
    void count_in(std::uint64_t bytes) { held_ += bytes; }
    void count_out(std::uint64_t bytes) { held_ -= bytes; }

    /// Returns the bytes that may still be promised to the neighbour. Chunks of expired promises count as used, because
    /// they take memory too.
    std::uint64_t buffer_left_for(RoutingId neighbour, bool named) const;
    /// Returns the bytes of buffered chunks.
    std::uint64_t held() const { return held_; }
    std::uint64_t promised() const { return promised_; }

private:
    struct Share {
        std::uint64_t promised = 0, flows = 0;
        TokenBucket lane{neighbour_lane_per_s, neighbour_lane_at_once};
        TokenBucket new_flows{new_flows_per_s, new_flows_at_once};
    };

    std::uint64_t buffer_;
    std::map<RoutingId, Share> shares_;
    std::map<std::uint64_t, TokenBucket> instance_lanes_;  ///< rate limit of each instance's lane, by SID, for SIDs of
                                                           ///< this MIC
    std::uint64_t held_ = 0, promised_ = 0;
    std::uint64_t unnamed_promised_ = 0, unnamed_flows_ = 0;
};

}  // namespace divisi::mesh::inline forwarding
