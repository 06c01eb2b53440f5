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
/// A watch that is further behind takes a snapshot. As many as a cluster of the goal's size changes in half a second.
inline constexpr std::size_t most_changes = 65'536;
/// Incarnations of SIDs and of devices that are gone; see Registry::add.
inline constexpr std::size_t most_gone = most_services;

/// The answer to a registration.
struct Registered {
    Epoch epoch = 0;
    Revision revision = 0;  ///< the table's now
    TimePoint until{};      ///< counts until then without a renewal
    RoutingId id;           ///< of a device; 0 for a service
};

/// The sender knows another life of the registry: it registers anew, or takes a snapshot.
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
/// The history does not reach back, or not yet as far as was asked: a snapshot is needed.
struct Compacted {
    Revision oldest = 0;  ///< the lowest that changes_since() can still begin after
};
using WatchAnswer = std::variant<Changes, Compacted, EpochChanged>;

/// The highest incarnations of SIDs or devices that have left the table, the latest most_gone of them.
class GoneIncarnations {
public:
    void remember(const std::string& name, Incarnation incarnation);
    Incarnation newest(const std::string& name) const;  ///< 0: not known

private:
    std::unordered_map<std::string, Incarnation> newest_;
    std::deque<std::string> order_;
};

/// Service registry and discovery (SRD of 002 4.4): which instances, gateways and routers there are, kept by leases.
/// Time comes in with every call and never goes back; where it does, the latest time counts.
class Registry {
public:
    /// `epoch`: never used before by a registry that the same peers could have known.
    explicit Registry(Epoch epoch) : epoch_(epoch) {}
    /// A registry that goes on where it stood at `revision`: its rows have new leases, and a watch that is further
    /// behind takes a snapshot.
    Registry(Epoch epoch, Revision revision, std::vector<Service> services, TimePoint now);

    /// Registers an instance or a change of it, and renews its lease. A higher incarnation takes the place of the known
    /// one. `conflict` for a lower one, also after its successor has left, so that a process that was cut off does not
    /// come back; `invalid_input`: see check(); `exhausted`: the table is full.
    Result<Registered> add(Registration said, TimePoint now);
    /// The same for a gateway or router, which keeps its routing identifier until it leaves. `id`: that it has already;
    /// 0: the lowest free one. `conflict` also where another device has it.
    Result<Registered> add(DeviceRegistration said, TimePoint now, RoutingId id = {});

    /// Changes no revision, but that of a row that was stale. `not_found`: not registered, or the lease has lapsed:
    /// register; `conflict`: another incarnation is registered.
    Result<Renewal> renew(const Sid& sid, Incarnation incarnation, Epoch epoch, TimePoint now);
    Result<Renewal> renew_device(const std::string& name, Incarnation incarnation, Epoch epoch, TimePoint now);

    /// `not_found` and `conflict` as of renew().
    Result<void> withdraw(const Sid& sid, Incarnation incarnation, TimePoint now);
    Result<void> withdraw_device(const std::string& name, Incarnation incarnation, TimePoint now);
    /// The task is over: all its instances leave. How many.
    std::size_t withdraw_task(const TaskId& task, TimePoint now);

    /// Leases expire here and nowhere else: to be called every second.
    void advance(TimePoint now);

    WatchAnswer changes_since(Epoch epoch, Revision since) const;
    Snapshot snapshot() const { return table_.snapshot(epoch_, revision_); }
    /// Lookups; see RegistryTable.
    const RegistryTable& table() const { return table_; }
    Resolution resolve(std::string_view name) const { return table_.resolve(name); }

    Epoch epoch() const { return epoch_; }
    Revision revision() const { return revision_; }
    /// When a service was registered, or its lease was renewed last; none where it is not registered.
    std::optional<TimePoint> renewed(const Sid& sid) const;
    std::optional<TimePoint> renewed_device(const std::string& name) const;
    /// Since when self-preservation holds all rows; see RegistrationLeases.
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
    std::array<GoneIncarnations, 2> gone_;  ///< by kind
    std::deque<Change> history_;            ///< the latest changes, up to revision_
};

}  // namespace divisi::mesh::inline registry
