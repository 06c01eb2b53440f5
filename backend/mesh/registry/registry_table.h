// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "backend/mesh/registry/registration.h"

namespace divisi::mesh::inline registry {

/// Numbers the changes of one registry, from 1; 0: no change yet.
using Revision = std::uint64_t;
/// Identifies one lifetime of the registry; its owner assigns the number. In a new epoch, the numbering of changes
/// starts again, and no registration is known.
using Epoch = std::uint64_t;

/// A row of the table: an instance's registration and the registry's additions.
struct Service {
    Registration said;
    Revision revision = 0;  ///< revision of the change that made this row
    bool stale = false;     ///< whether its lease is overdue but kept (LeaseStanding::stale)
    bool operator==(const Service&) const = default;
};
struct DeviceRow {
    DeviceRegistration said;
    RoutingId id;
    Revision revision = 0;
    bool stale = false;
    bool operator==(const DeviceRow&) const = default;
};
// Rows are immutable, so table, history, snapshots and answers share them.
using ServicePtr = std::shared_ptr<const Service>;
using DevicePtr = std::shared_ptr<const DeviceRow>;

/// A change of one row. The row was added, replaced an earlier row, or was removed; `removed` rows have their last
/// state.
struct Change {
    Revision revision = 0;
    bool removed = false;
    std::variant<ServicePtr, DevicePtr> row;
};

/// The whole table at a revision: services by SID, devices by name.
struct Snapshot {
    Epoch epoch = 0;
    Revision revision = 0;
    std::vector<ServicePtr> services;
    std::vector<DevicePtr> devices;
};

/// The services that answer for a name.
struct Resolution {
    std::string matched;               ///< the requested name, or the longest path above it that matches; empty: none
    std::vector<ServicePtr> services;  ///< order: active, stale active, pending, draining, faulted; then by SID
    /// Returns the services that may get new work: the active ones or, if all active ones are stale, the stale ones.
    std::vector<ServicePtr> takers() const;
};

/// Holds the rows and finds the services that answer for a name. A change takes O(log n).
class RegistryTable {
public:
    /// Adds a row; replaces a row with the same SID or name.
    void put(ServicePtr service);
    void put(DevicePtr device);
    /// Removes a row and returns it; null if there is no such row.
    ServicePtr erase(const Sid& sid);
    DevicePtr erase_device(const std::string& name);
    void apply(const Change& change);

    ServicePtr find(const Sid& sid) const;
    DevicePtr find_device(const std::string& name) const;
    DevicePtr find_device(RoutingId id) const;
    /// Returns all services whose SID is `name` or lies below it. If there are none, returns the services of the
    /// longest path above `name` that is a SID or a registered prefix: "gpt-1/eval/7" finds the replicas with prefix
    /// "gpt-1/eval".
    Resolution resolve(std::string_view name) const;

    Snapshot snapshot(Epoch epoch, Revision revision) const;
    std::size_t services() const { return services_.size(); }
    std::size_t devices() const { return devices_.size(); }
    /// Returns the SIDs at or below a path.
    std::vector<Sid> under(std::string_view path) const;

private:
    using Services = std::map<std::string, ServicePtr, std::less<>>;
    template <typename Visit>
    void visit_under(std::string_view path, Visit visit) const;

    Services services_;                                               ///< services by SID
    std::set<std::pair<std::string_view, std::string_view>> claims_;  ///< pairs of prefix and SID; views into the rows
    std::map<std::string, DevicePtr> devices_;
    std::unordered_map<std::uint16_t, DevicePtr> by_id_;
};

}  // namespace divisi::mesh::inline registry
