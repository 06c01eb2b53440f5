// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <set>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline registry {

/// Quarantine of a freed identifier before it is assigned again. Every device usually gets the whole table every 30 s.
/// After two tables, even if one is lost, no device associates the identifier with its former owner.
inline constexpr Duration routing_id_quarantine = std::chrono::seconds(60);
inline constexpr std::size_t most_routing_ids = 65535;  ///< 16 bits, without 0

/// Assigns routing identifiers, the lowest free one first. A call takes O(log n) unless stated otherwise.
class RoutingIds {
public:
    /// Assigns an identifier. Fails with `exhausted` while every identifier is in use or in quarantine. `now` must
    /// never decrease.
    Result<RoutingId> allocate(TimePoint now);
    /// Reserves an identifier that its owner already has, for example a device that outlived the registry. Returns
    /// whether it was free; an identifier in quarantine counts as free. O(n) if it is in quarantine, or above all
    /// identifiers ever in use.
    bool take(RoutingId id);
    /// Frees an identifier that was allocated or taken and not freed since.
    void free(RoutingId id, TimePoint now);
    std::size_t in_use() const { return used_up_to_ - free_.size() - resting_.size(); }

private:
    struct Resting {
        std::uint16_t id = 0;
        TimePoint until{};
    };
    std::uint16_t used_up_to_ = 0;  ///< all identifiers above have never been allocated
    std::set<std::uint16_t> free_;
    std::deque<Resting> resting_;  ///< freed identifiers, the oldest first
};

}  // namespace divisi::mesh::inline registry
