// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <set>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline registry {

/// A freed identifier rests this long before somebody else gets it. The whole table goes to the routers every 30 s:
/// after two of them, of which one may be lost, no router knows the identifier by its former owner.
inline constexpr Duration routing_id_quarantine = std::chrono::seconds(60);
inline constexpr std::size_t most_routing_ids = 65535;  ///< 16 bits, without 0

/// Hands out routing identifiers, the lowest free one first. Where nothing else is said, a call takes O(log n).
class RoutingIds {
public:
    /// `exhausted` while every identifier is in use or rests. `now` never goes back.
    Result<RoutingId> allocate(TimePoint now);
    /// An identifier that its owner has already, such as a device that outlived the registry. Whether it was free;
    /// one that rests after its use counts as free. O(n) where it rests, or lies above all that were ever in use.
    bool take(RoutingId id);
    /// `id` was allocated or taken and not freed since.
    void free(RoutingId id, TimePoint now);
    std::size_t in_use() const { return used_up_to_ - free_.size() - resting_.size(); }

private:
    struct Resting {
        std::uint16_t id = 0;
        TimePoint until{};
    };
    std::uint16_t used_up_to_ = 0;  ///< all identifiers above have never been allocated
    std::set<std::uint16_t> free_;
    std::deque<Resting> resting_;  ///< oldest first
};

}  // namespace divisi::mesh::inline registry
