// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/registry_table.h"

#include <algorithm>

#include "backend/mesh/base/service_path.h"

namespace divisi::mesh::inline registry {

namespace {

/// Ranks a service by its ability to accept work; lower is better.
int rank(const Service& service) {
    const Health health = service.said.health;
    const int state = health == Health::active ? 0 : health == Health::pending ? 1 : health == Health::draining ? 2 : 3;
    return 2 * state + static_cast<int>(service.stale);
}

}  // namespace

std::vector<ServicePtr> Resolution::takers() const {
    if (services.empty() || services.front()->said.health != Health::active) return {};
    const int best = rank(*services.front());
    const auto end = std::ranges::find_if(services, [&](const ServicePtr& service) { return rank(*service) != best; });
    return {services.begin(), end};
}

void RegistryTable::put(ServicePtr service) {
    const std::string& sid = service->said.sid.value();
    ServicePtr& row = services_[sid];
    if (row) claims_.erase({row->said.prefix, sid});
    row = std::move(service);
    claims_.emplace(row->said.prefix, row->said.sid.value());
}

void RegistryTable::put(DevicePtr device) {
    DevicePtr& row = devices_[device->said.name];
    if (row) by_id_.erase(row->id.value());
    by_id_[device->id.value()] = device;
    row = std::move(device);
}

ServicePtr RegistryTable::erase(const Sid& sid) {
    auto node = services_.extract(sid.value());
    if (node.empty()) return nullptr;
    claims_.erase({node.mapped()->said.prefix, sid.value()});
    return std::move(node.mapped());
}

DevicePtr RegistryTable::erase_device(const std::string& name) {
    auto node = devices_.extract(name);
    if (node.empty()) return nullptr;
    by_id_.erase(node.mapped()->id.value());
    return std::move(node.mapped());
}

void RegistryTable::apply(const Change& change) {
    if (const auto* service = get_if<ServicePtr>(&change.row)) {
        if (change.removed) erase((*service)->said.sid);
        else put(*service);
    } else if (const auto* device = get_if<DevicePtr>(&change.row)) {
        if (change.removed) erase_device((*device)->said.name);
        else put(*device);
    }
}

ServicePtr RegistryTable::find(const Sid& sid) const {
    const auto found = services_.find(sid.value());
    return found == services_.end() ? nullptr : found->second;
}

DevicePtr RegistryTable::find_device(const std::string& name) const {
    const auto found = devices_.find(name);
    return found == devices_.end() ? nullptr : found->second;
}

DevicePtr RegistryTable::find_device(RoutingId id) const {
    const auto found = by_id_.find(id.value());
    return found == by_id_.end() ? nullptr : found->second;
}

template <typename Visit>
void RegistryTable::visit_under(std::string_view path, Visit visit) const {
    if (const auto self = services_.find(path); self != services_.end()) visit(self->second);
    const std::string below = std::string(path) + '/';
    for (auto at = services_.lower_bound(below); at != services_.end() && at->first.starts_with(below); ++at)
        visit(at->second);
}

std::vector<Sid> RegistryTable::under(std::string_view path) const {
    std::vector<Sid> sids;
    visit_under(path, [&](const ServicePtr& service) { sids.push_back(service->said.sid); });
    return sids;
}

Resolution RegistryTable::resolve(std::string_view name) const {
    Resolution found;
    const auto take = [&](const ServicePtr& service) { found.services.push_back(service); };
    visit_under(name, take);
    while (found.services.empty() && !(name = parent(name)).empty()) {
        if (const auto self = services_.find(name); self != services_.end()) take(self->second);
        for (auto at = claims_.lower_bound({name, {}}); at != claims_.end() && at->first == name; ++at)
            if (at->second != name) take(services_.find(at->second)->second);
    }
    found.matched = name;
    std::ranges::stable_sort(found.services, {}, [](const ServicePtr& service) { return rank(*service); });
    return found;
}

Snapshot RegistryTable::snapshot(Epoch epoch, Revision revision) const {
    Snapshot whole{epoch, revision, {}, {}};
    whole.services.reserve(services_.size());
    whole.devices.reserve(devices_.size());
    for (const auto& [sid, service] : services_) whole.services.push_back(service);
    for (const auto& [name, device] : devices_) whole.devices.push_back(device);
    return whole;
}

}  // namespace divisi::mesh::inline registry
