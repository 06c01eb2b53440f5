// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/load_reports.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backend/mesh/base/service_path.h"

namespace divisi::mesh::inline forwarding {
namespace {

std::vector<LinkLoad> link_loads(const NeighbourLinks& neighbours, const FlowTable& flows) {
    std::map<RoutingId, LinkLoad> links;
    for (const auto& [id, neighbour] : neighbours)
        links[id] = {
            id.value(),    neighbour.is_usable(), 0, 0, neighbour.quality.bytes_per_s, neighbour.quality.latency_p50_s,
            neighbour.loss};
    for (const auto& [key, flow] : flows) {
        const auto link = links.find(flow.exit.device);
        if (link == links.end()) continue;
        link->second.queued += flow.queued;
        if (const RelayFlow::Downstream* next = flow.next()) link->second.credit += next->allowance.left();
    }
    std::vector<LinkLoad> rows;
    for (const auto& [id, link] : links) rows.push_back(link);
    return rows;
}

/// Returns the load by the prefixes of the receivers; leaves out flows that are not in the route table.
std::vector<PrefixLoad> prefix_loads(const RouteTable& table, const FlowTable& flows) {
    std::map<std::string, PrefixLoad> prefixes;
    for (const auto& [key, flow] : flows) {
        const Place* place = table.place(key.destination);
        if (!flow.named || !place) continue;
        const std::string prefix(parent(place->sid.value()));
        if (!is_service_path(prefix)) continue;
        PrefixLoad& row = prefixes[prefix];
        row.prefix = prefix;
        row.service_s = std::max(row.service_s, flow.quality.latency_p50_s);
        row.load = std::max(row.load, flow.quality.busy);
        row.queued += flow.queued;
        row.device = place->device;
        row.flops_per_s = place->flops_per_s;
    }
    std::vector<PrefixLoad> rows;
    for (auto& [prefix, row] : prefixes) rows.push_back(std::move(row));
    return rows;
}

}  // namespace

void LoadReports::tell(RelayContext& context, const NeighbourLinks& neighbours, const FlowTable& flows) {
    const TimePoint now = context.now;
    if (context.config.role != DeviceRole::router || !reporter_.may_tell(now)) return;
    LoadAdvert advert;
    advert.sender = context.config.self.value();
    advert.time = now;
    advert.links = link_loads(neighbours, flows);
    advert.prefixes = prefix_loads(context.table, flows);
    keep_within_bounds(advert);
    if (!reporter_.due(advert, now)) return;
    std::vector<RoutingId> to;
    for (const auto& [id, neighbour] : neighbours) {
        const Device* device = context.table.topology().device(id);
        if (device && device->role == DeviceRole::gateway && neighbour.is_usable()) to.push_back(id);
    }
    // Later processes of this router use higher numbers.
    advert.sequence = (std::uint64_t{context.config.boot} << 32) + ++last_number_;
    reporter_.told(advert, now);
    if (!to.empty()) context.actions.load = relay::LoadTo{std::move(to), std::move(advert)};
}

}  // namespace divisi::mesh::inline forwarding
