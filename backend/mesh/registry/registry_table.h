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

/// Numbers the changes of one registry, from 1; 0: nothing has happened yet.
using Revision = std::uint64_t;
/// Tells the registry's lives apart: another one has numbered its changes anew and knows nobody. Given by its owner.
using Epoch = std::uint64_t;

/// A row of the table: what an instance said, and what the registry adds.
struct Service {
    Registration said;
    Revision revision = 0;  ///< of the change that made this row
    bool stale = false;     ///< its lease lapsed during self-preservation
    bool operator==(const Service&) const = default;
};
struct DeviceRow {
    DeviceRegistration said;
    RoutingId id;
    Revision revision = 0;
    bool stale = false;
    bool operator==(const DeviceRow&) const = default;
};
// Rows never change, so that table, history, snapshots and answers share them.
using ServicePtr = std::shared_ptr<const Service>;
using DevicePtr = std::shared_ptr<const DeviceRow>;

/// A row that came, or took the place of an earlier one, or (`removed`) went as it last was.
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

/// Who answers for a name.
struct Resolution {
    std::string matched;               ///< the name that was asked for, or the longest path above it; empty: nobody
    std::vector<ServicePtr> services;  ///< active before stale active, pending, draining and faulted; then by SID
    /// Those that may be given new work: the active ones; where all of these are stale, the stale ones.
    std::vector<ServicePtr> takers() const;
};

/// The rows, and who answers for a name. A change takes O(log n).
class RegistryTable {
public:
    /// In the place of the row with the same SID or name.
    void put(ServicePtr service);
    void put(DevicePtr device);
    /// The row that went; null where there is none.
    ServicePtr erase(const Sid& sid);
    DevicePtr erase_device(const std::string& name);
    void apply(const Change& change);

    ServicePtr find(const Sid& sid) const;
    DevicePtr find_device(const std::string& name) const;
    DevicePtr find_device(RoutingId id) const;
    /// All services whose SID is `name` or lies under it. Where there are none, those of the longest path above
    /// `name` that is somebody's SID or registered prefix: "gpt-1/eval/7" finds the replicas with prefix "gpt-1/eval".
    Resolution resolve(std::string_view name) const;

    Snapshot snapshot(Epoch epoch, Revision revision) const;
    std::size_t services() const { return services_.size(); }
    std::size_t devices() const { return devices_.size(); }
    /// SIDs under a path.
    std::vector<Sid> under(std::string_view path) const;

private:
    using Services = std::map<std::string, ServicePtr, std::less<>>;
    template <typename Visit>
    void visit_under(std::string_view path, Visit visit) const;

    Services services_;                                               ///< by SID
    std::set<std::pair<std::string_view, std::string_view>> claims_;  ///< registered prefix, SID; views into rows
    std::map<std::string, DevicePtr> devices_;
    std::unordered_map<std::uint16_t, DevicePtr> by_id_;
};

}  // namespace divisi::mesh::inline registry
