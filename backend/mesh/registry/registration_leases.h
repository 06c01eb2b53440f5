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

/// How long a registration counts without a renewal. Five renewals fit, so that lost or late ones remove nobody from
/// the table. It is short enough that work is not sent to a vanished machine for long.
inline constexpr Duration lease_length = std::chrono::seconds(10);
inline constexpr Duration renew_interval = std::chrono::seconds(2);
/// A holder that missed three renewals in a row counts as silent: one may be late, three are no coincidence.
inline constexpr Duration silent_after = 3 * renew_interval;
/// Self-preservation begins above this share of leases, but not below this number.
inline constexpr std::size_t preserved_percent = 15;
inline constexpr std::size_t least_preserved = 3;
/// A cut that lasts longer is no longer attributed to the registry's own network.
inline constexpr Duration longest_preservation = std::chrono::seconds(60);

/// The leases of all registrations, identified by kind and name.
///
/// All leases have the same length, so lists ordered by last renewal are also ordered by deadline. A renewal moves one
/// node to the end of a list, and advance() touches only leases whose state changes.
///
/// **Self-preservation**, after Netflix Eureka's: many leases that lapse at the same time rarely mean as many dead
/// instances. The likely cause is a cut at the registry itself, or a paused registry. Instances still reach each other
/// although the registry does not hear them, so an emptied table would stop healthy work.
///
/// Missing leases are those that are silent or stale, or lapsed within the last lease length. Above a share of missing
/// leases nothing expires, and overdue leases turn stale. This ends when enough renewals are back or the longest time
/// has passed. Silent leases count before they lapse, because the first leases of a cut lapse up to a renewal interval
/// before the last.
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

    /// Returns the lease; null if there is none. Valid until the next call that changes anything.
    const Lease* find(Kind kind, std::string_view name) const;
    /// Adds or renews a lease; `now` must never decrease.
    void hold(Kind kind, std::string_view name, Incarnation incarnation, TimePoint now);
    void drop(Kind kind, std::string_view name);

    struct Due {
        std::vector<Holder> expired;  ///< dropped by this call
        std::vector<Holder> stale;    ///< stale since this call
    };
    Due advance(TimePoint now);

    /// Returns since when nothing expires; nothing if leases expire normally.
    std::optional<TimePoint> preserving_since() const { return preserving_since_; }
    std::size_t size() const { return of_[0].size() + of_[1].size(); }

private:
    using List = std::list<Lease>;
    using Index = std::unordered_map<std::string_view, List::iterator>;  ///< keys are views into the leases

    List& list_of(Lease::State state) { return lists_[static_cast<std::size_t>(state)]; }
    Index& index(Kind kind) { return of_[static_cast<std::size_t>(kind)]; }
    bool too_many_missing() const;
    void expire_front(List& list, Due& due);

    std::array<List, 3> lists_;     ///< by state; each ordered by last renewal
    std::array<Index, 2> of_;       ///< by kind
    std::deque<TimePoint> lapsed_;  ///< times of expiry within the last lease length
    std::optional<TimePoint> preserving_since_;
};

}  // namespace divisi::mesh::inline registry
