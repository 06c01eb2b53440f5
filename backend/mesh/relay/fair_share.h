// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "backend/mesh/base/token_bucket.h"

namespace divisi::mesh::inline relay {

// What one neighbour, or one instance, may ask of a device, so that none of them takes the others' part.

/// What comes by a lane from one end, acknowledgements and freed slots above all: an instance that takes 10 GB/s in
/// tensors of 1 MiB says 20,000 of them a second, and in smaller ones more. What may come at once is less than the
/// queue of a lane's socket holds, so that one end does not fill it. A neighbour speaks for several instances, by two
/// paths, and adds RSVP. What is beyond is dropped: ends and neighbours repeat what matters.
inline constexpr double instance_lane_per_s = 50'000, instance_lane_at_once = 8'000;
inline constexpr double neighbour_lane_per_s = 200'000, neighbour_lane_at_once = 20'000;
/// PATHs for new flows: each makes a device look for two paths. A neighbour's neighbour that begins anew brings all its
/// flows at once; those that wait are asked for again after a moment.
inline constexpr double new_flows_per_s = 2'000, new_flows_at_once = 4'096;

/// Flows with SIDs that the table does not have, all together, get one such part of the flows and of the buffer.
inline constexpr std::uint64_t unnamed_part = 4;

/// What one of several may still take of `all`, while each of the others can get a quarter of its equal part.
inline std::uint64_t left_beside(std::uint64_t all, std::uint64_t taken, std::span<const std::uint64_t> by_others) {
    const std::uint64_t kept_each = all / (4 * (by_others.size() + 1));
    std::uint64_t kept = 0;
    for (const std::uint64_t other : by_others) kept += kept_each - std::min(kept_each, other);
    return all - std::min(all, taken + kept);
}

}  // namespace divisi::mesh::inline relay
