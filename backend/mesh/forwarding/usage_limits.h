// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>

#include "backend/mesh/base/device.h"
#include "backend/mesh/base/token_bucket.h"

namespace divisi::mesh::inline forwarding {

// Limits on the resources of a device that one neighbour or instance may use, so that none takes the share of others.

/// Limits on the frames from one end's lane, mostly acknowledgements and freed slots. An instance that receives 10 GB/s
/// in tensors of 1 MiB sends 20,000 such frames a second, and more with smaller tensors. An instance's burst is smaller
/// than the queue of a lane's socket, so one instance cannot fill the queue. A neighbour sends for several instances
/// over two paths, plus RSVP. Excess frames are dropped, because ends and neighbours repeat important frames.
inline constexpr double instance_lane_per_s = 50'000, instance_lane_at_once = 8'000;
inline constexpr double neighbour_lane_per_s = 200'000, neighbour_lane_at_once = 20'000;
/// Limit on PATHs for new flows, because each such PATH makes a device search for two paths. If the device behind a
/// neighbour restarts, all its flows arrive at once. Flows that must wait are requested again after a short time.
inline constexpr double new_flows_per_s = 2'000, new_flows_at_once = 4'096;

/// Limit on flows at one device; a plan has a few edges, and a cluster has a few hundred tasks.
inline constexpr std::size_t most_flows = 16'384;
/// All flows whose SIDs are not in the route table may together use at most 1/unnamed_part of the flow limit and of the
/// buffer.
inline constexpr std::uint64_t unnamed_part = 4;

/// Returns how much of `all` one of several users may still take. Each other user can then still get a quarter of its
/// equal share.
inline std::uint64_t left_beside(std::uint64_t all, std::uint64_t taken, std::span<const std::uint64_t> by_others) {
    const std::uint64_t kept_each = all / (4 * (by_others.size() + 1));
    std::uint64_t kept = 0;
    for (const std::uint64_t other : by_others) kept += kept_each - std::min(kept_each, other);
    return all - std::min(all, taken + kept);
}

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
