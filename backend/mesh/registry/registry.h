// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "backend/mesh/registry/registration_leases.h"
#include "backend/mesh/registry/registry_table.h"
#include "backend/mesh/registry/routing_ids.h"

namespace divisi::mesh::inline registry {

inline constexpr std::size_t most_services = 131'072;
inline constexpr std::size_t most_devices = most_routing_ids;
/// Limit on the change history; a watch that is further behind takes a snapshot. A cluster of the intended size makes
/// this many changes in half a second.
inline constexpr std::size_t most_changes = 65'536;
/// Limit on remembered incarnations of SIDs and of devices that have left; see Registry::add.
inline constexpr std::size_t most_gone = most_services;

/// The answer to a registration.
struct Registered {
    Epoch epoch = 0;
    Revision revision = 0;  ///< current revision of the table
    TimePoint until{};      ///< time at which the lease ends if it is not renewed
    RoutingId id;           ///< routing identifier of a device; 0 for a service
};

/// The sender knows another epoch of the registry and must register again, or take a snapshot.
struct EpochChanged {
    Epoch now = 0;
};
struct Renewed {
    TimePoint until{};
};
using Renewal = std::variant<Renewed, EpochChanged>;

/// All changes after `since`, in order and without a gap.
struct Changes {
    Epoch epoch = 0;
    Revision since = 0;
    std::vector<Change> changes;
};
/// The history does not cover the revision that was asked for; a snapshot is needed.
struct Compacted {
    Revision oldest = 0;  ///< lowest `since` that changes_since() can serve
};
using WatchAnswer = std::variant<Changes, Compacted, EpochChanged>;

/// Remembers the highest incarnations of SIDs or devices that have left the table, for the latest most_gone of them.
class GoneIncarnations {
public:
    void remember(const std::string& name, Incarnation incarnation);
    Incarnation newest(const std::string& name) const;  ///< the newest known incarnation of a name; 0: not known

private:
    std::unordered_map<std::string, Incarnation> newest_;
    std::deque<std::string> order_;
};

/// Service registry and discovery (SRD of draft 002, 4.4): the instances, gateways and routers that exist, kept by
/// leases. Every call passes the time, which should never decrease; if it does, the latest time counts.
class Registry {
public:
    /// `epoch` must be new: no earlier registry that the same peers may know has used it.
    explicit Registry(Epoch epoch) : epoch_(epoch) {}
    /// Restores a registry at `revision`. Its rows get new leases, and a watch from an earlier revision takes a
    /// snapshot.
    Registry(Epoch epoch, Revision revision, std::vector<Service> services, TimePoint now);

    /// Registers an instance, or a change of its registration, and renews its lease. A higher incarnation replaces the
    /// known one. Fails with `conflict` for a lower incarnation, even after its successor has left. A process that was
    /// cut off can therefore not return. Fails with `invalid_input` as check() does, and with `exhausted` if the table
    /// is full.
    Result<Registered> add(Registration said, TimePoint now);
    /// Registers a gateway or router, which keeps its routing identifier until it leaves. `id` is the identifier that
    /// the device already has. If `id` is 0, a registered device keeps its identifier, and a new device gets the lowest
    /// free one. Also fails with `conflict` if another device has the identifier `id`.
    Result<Registered> add(DeviceRegistration said, TimePoint now, RoutingId id = {});

    /// Renews a lease. Changes the revision only if the row was stale. Fails with `not_found` if the holder is not
    /// registered or the lease has lapsed; the holder must register. Fails with `conflict` if another incarnation is
    /// registered.
    Result<Renewal> renew(const Sid& sid, Incarnation incarnation, Epoch epoch, TimePoint now);
    Result<Renewal> renew_device(const std::string& name, Incarnation incarnation, Epoch epoch, TimePoint now);

    /// Removes a registration. Fails with `not_found` and `conflict` as renew() does.
    Result<void> withdraw(const Sid& sid, Incarnation incarnation, TimePoint now);
    Result<void> withdraw_device(const std::string& name, Incarnation incarnation, TimePoint now);
    /// Removes all instances of a task that has ended; returns their number.
    std::size_t withdraw_task(const TaskId& task, TimePoint now);

    /// Expires leases; no other function does. Must be called every second.
    void advance(TimePoint now);

    WatchAnswer changes_since(Epoch epoch, Revision since) const;
    Snapshot snapshot() const { return table_.snapshot(epoch_, revision_); }
    /// Give access to lookups; see RegistryTable.
    const RegistryTable& table() const { return table_; }
    Resolution resolve(std::string_view name) const { return table_.resolve(name); }

    Epoch epoch() const { return epoch_; }
    Revision revision() const { return revision_; }
    /// Returns when a service was registered or last renewed; nothing if it is not registered.
    std::optional<TimePoint> renewed(const Sid& sid) const;
    std::optional<TimePoint> renewed_device(const std::string& name) const;
    /// Returns the time since which self-preservation keeps all rows; see RegistrationLeases.
    std::optional<TimePoint> preserving_since() const { return leases_.preserving_since(); }

private:
    using Kind = RegistrationLeases::Kind;

    void put(Service row);
    void put(DeviceRow row);
    void remove(const Sid& sid);
    void remove_device(const std::string& name);
    void note(Change change);
    GoneIncarnations& gone(Kind kind) { return gone_[static_cast<std::size_t>(kind)]; }
    void mark_stale(const RegistrationLeases::Holder& holder, bool stale);
    Result<RoutingId> number(const DevicePtr& known, RoutingId wanted);
    Result<void> check_holder(Kind kind, const std::string& name, Incarnation incarnation) const;
    Result<Renewal> renew(Kind kind, const std::string& name, Incarnation incarnation, Epoch epoch, TimePoint now);
    void see(TimePoint now) { now_ = std::max(now_, now); }

    Epoch epoch_;
    Revision revision_ = 0;
    TimePoint now_{};
    RegistryTable table_;
    RegistrationLeases leases_;
    RoutingIds ids_;
    std::array<GoneIncarnations, 2> gone_;  ///< incarnations that have left, by kind of holder
    std::deque<Change> history_;            ///< latest changes, up to revision_
};

}  // namespace divisi::mesh::inline registry
