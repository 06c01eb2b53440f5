// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"

namespace divisi::mesh::inline registry {

/// Time for which a registration counts without a renewal. Five renewals fit into this time, so a lost or late renewal
/// removes no instance from the table. The time is short enough that work is not sent to a vanished machine for long.
inline constexpr Duration lease_length = std::chrono::seconds(10);
inline constexpr Duration renew_interval = std::chrono::seconds(2);
/// Time without a renewal after which a holder counts as silent. One missing renewal may only be late, but it is
/// unlikely that three in a row are only late.
inline constexpr Duration silent_after = 3 * renew_interval;
/// Self-preservation begins if at least `least_preserved` leases and more than this percentage of all are missing.
inline constexpr std::size_t preserved_percent = 15;
inline constexpr std::size_t least_preserved = 3;
/// Limit on self-preservation. A longer network failure is not attributed to the registry's own network.
inline constexpr Duration longest_preservation = std::chrono::seconds(60);

/// The leases of all registrations, identified by kind and name.
///
/// All leases have the same length, so lists ordered by last renewal are also ordered by deadline. A renewal moves one
/// node to the end of a list, and advance() touches only leases whose state changes.
///
/// **Self-preservation**, after Netflix Eureka's: if many leases expire at the same time, it is unlikely that as many
/// instances are dead. More likely, the registry itself was cut off or paused. The instances still reach each other
/// even if the registry does not hear them, so emptying the table would stop healthy work.
///
/// A lease counts as missing if it is silent or stale, or lapsed within the last lease length. While too many leases
/// are missing, no lease expires, and overdue leases become stale. Self-preservation ends when enough renewals are
/// back or the longest time has passed. Silent leases count before they lapse, because after a network failure the
/// first leases lapse up to one renewal interval before the last.
class RegistrationLeases {
public:
    enum class Kind : std::uint8_t { service = 0, device = 1 };
    struct Holder {
        Kind kind = Kind::service;
        std::string name;
        auto operator<=>(const Holder&) const = default;
    };
    struct Lease {
        Holder holder;
        Incarnation incarnation = 0;
        TimePoint renewed{};
        enum class State : std::uint8_t { fresh, silent, stale } state = State::fresh;
    };

    /// Returns the lease; null if there is no such lease. Valid until the next call that changes anything.
    const Lease* find(Kind kind, std::string_view name) const;
    /// Adds or renews a lease; `now` must never decrease.
    void hold(Kind kind, std::string_view name, Incarnation incarnation, TimePoint now);
    void drop(Kind kind, std::string_view name);

    struct Due {
        std::vector<Holder> expired;  ///< holders dropped by this call
        std::vector<Holder> stale;    ///< holders that became stale in this call
    };
    Due advance(TimePoint now);

    /// Returns the time since which no lease expires; nothing if leases expire normally.
    std::optional<TimePoint> preserving_since() const { return preserving_since_; }
    std::size_t size() const { return of_[0].size() + of_[1].size(); }

private:
    using List = std::list<Lease>;
    using Index = std::unordered_map<std::string_view, List::iterator>;  ///< keys are views into the leases

    List& list_of(Lease::State state) { return lists_[static_cast<std::size_t>(state)]; }
    Index& index(Kind kind) { return of_[static_cast<std::size_t>(kind)]; }
    bool too_many_missing() const;
    void expire_front(List& list, Due& due);

    std::array<List, 3> lists_;     ///< leases by state; each list is ordered by last renewal
    std::array<Index, 2> of_;       ///< indexes by kind of holder
    std::deque<TimePoint> lapsed_;  ///< times of expiry within the last lease length
    std::optional<TimePoint> preserving_since_;
};

}  // namespace divisi::mesh::inline registry
