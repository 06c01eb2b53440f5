// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

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

}  // namespace divisi::mesh::inline forwarding
