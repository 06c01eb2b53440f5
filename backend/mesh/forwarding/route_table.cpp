// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/route_table.h"

#include <utility>

namespace divisi::mesh::inline forwarding {

void RouteTable::set(Topology topology, std::map<std::uint64_t, Place> places) {
    topology_ = std::move(topology);
    places_ = std::move(places);
    by_address_.clear();
    for (const Device& device : topology_.devices()) by_address_[device_address(device.id)] = device.id;
}

const Place* RouteTable::place(std::uint64_t sid) const {
    const auto place = places_.find(sid);
    return place == places_.end() ? nullptr : &place->second;
}

std::optional<RoutingId> RouteTable::device_at(const Ipv6& address) const {
    const auto device = by_address_.find(address);
    return device == by_address_.end() ? std::nullopt : std::optional(device->second);
}

std::string RouteTable::name_of(RoutingId id, const char* otherwise) const {
    const Device* device = topology_.device(id);
    return device ? device->name : otherwise;
}

bool RouteTable::has_flow(const FlowKey& key, const FlowSids& sids) const {
    const Place *source = place(key.source), *destination = place(key.destination);
    return source && destination && source->task.value() == sids.task && destination->task.value() == sids.task;
}

}  // namespace divisi::mesh::inline forwarding
