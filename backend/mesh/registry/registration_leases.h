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

/// How long a registration counts without a renewal: five renewals, so that lost or late ones take nobody off the
/// table, and short enough that work is not sent for long to a machine that has vanished.
inline constexpr Duration lease_length = std::chrono::seconds(10);
inline constexpr Duration renew_interval = std::chrono::seconds(2);
/// Whoever missed three renewals in a row is silent. One may be late; three are no coincidence.
inline constexpr Duration silent_after = 3 * renew_interval;
/// Self-preservation begins above this share of leases, and not below this number.
inline constexpr std::size_t preserved_percent = 15;
inline constexpr std::size_t least_preserved = 3;
/// A cut that lasts longer is no longer taken for a fault of the registry's own network.
inline constexpr Duration longest_preservation = std::chrono::seconds(60);

/// The leases of all registrations, told apart by kind and name.
///
/// All leases are equally long, so that lists in the order of the last renewals are in the order of the deadlines too:
/// a renewal moves one node to the end of a list, and advance() touches only leases whose state changes.
///
/// **Self-preservation**, after Netflix Eureka's: many leases that lapse at the same time speak for a cut at the
/// registry itself, or for a registry that was held up, and not for so many dead instances. Instances reach each other
/// although the registry does not hear them, so an emptied table would stop work that goes on well. Above a share of
/// leases that lapsed within a lease's length or are silent, nothing expires, and what is overdue turns stale, until
/// enough renewals are back or the longest time has passed. Silent leases count before they lapse, for the first of
/// a cut lapse up to a renewal's interval before the last.
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

    /// Nothing where there is no such lease; until the next call that changes anything.
    const Lease* find(Kind kind, std::string_view name) const;
    /// A new lease, or a renewed one; `now` never goes back.
    void hold(Kind kind, std::string_view name, Incarnation incarnation, TimePoint now);
    void drop(Kind kind, std::string_view name);

    struct Due {
        std::vector<Holder> expired;  ///< dropped here
        std::vector<Holder> stale;    ///< from now on
    };
    Due advance(TimePoint now);

    /// Since when nothing expires; none: leases expire as they should.
    std::optional<TimePoint> preserving_since() const { return preserving_since_; }
    std::size_t size() const { return of_[0].size() + of_[1].size(); }

private:
    using List = std::list<Lease>;
    using Index = std::unordered_map<std::string_view, List::iterator>;  ///< views into the leases

    List& list_of(Lease::State state) { return lists_[static_cast<std::size_t>(state)]; }
    Index& index(Kind kind) { return of_[static_cast<std::size_t>(kind)]; }
    bool too_many_missing() const;
    void expire_front(List& list, Due& due);

    std::array<List, 3> lists_;     ///< by state, each by the time of the last renewal
    std::array<Index, 2> of_;       ///< by kind
    std::deque<TimePoint> lapsed_;  ///< within the last lease length
    std::optional<TimePoint> preserving_since_;
};

}  // namespace divisi::mesh::inline registry
